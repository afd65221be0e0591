// Headers of the standard library that most sources begin with, parsed once for each target (cpp_pch in meson.build): to
// parse them takes longer than most of our sources. Only headers that are not ours, so that a change of ours compiles
// anew what includes it. A source includes what it uses all the same: `check --long` builds without this.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
