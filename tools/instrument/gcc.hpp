// The headers of GCC that the plugin needs, in the order that they need.
#pragma once

#include "gcc-plugin.h"
#include "plugin-version.h"

#include "context.h"
#include "tree.h"

#include "gimple.h"
#include "tree-pass.h"

#include "ssa.h"

#include "attribs.h"
#include "cfganal.h"
#include "cfghooks.h"
#include "cfgloop.h"
#include "cgraph.h"
#include "diagnostic-core.h"
#include "fold-const.h"
#include "gimple-iterator.h"
#include "gimplify-me.h"
#include "gimplify.h"
#include "stringpool.h"
#include "tree-cfg.h"
#include "tree-chrec.h"
#include "tree-into-ssa.h"
#include "tree-scalar-evolution.h"
#include "tree-ssa-loop-ivopts.h"
#include "tree-ssa-loop-niter.h"
#include "tree-ssa-loop.h"
