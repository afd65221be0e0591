#!/usr/bin/env python3
"""Writes a weak stub for every implementation in the function table; a real one that is linked wins."""
import argparse
import sys
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--api", required=True, help="folder of the table and its reader")
parser.add_argument("--out", required=True)
options = parser.parse_args()
sys.path.insert(0, options.api)
from generate import impl_params  # noqa: E402
from table import read_table  # noqa: E402

lines = ['#include "../ops/op.hpp"', '#include "impl.hpp"', '#include "stubs.hpp"', "",
         "#pragma GCC diagnostic ignored \"-Wunused-parameter\"", "namespace detmpi::impl {", ""]
for function in read_table(Path(options.api) / "functions"):
    if function.shares:
        continue
    if function.plan and function.plan_use in ("", "run"):
        lines.append(f"[[gnu::weak]] PlanPtr {function.plan}({impl_params(function)}) {{ "
                     f'note_stub("{function.name}"); return {{}}; }}')
    if function.unsupported or function.plan_use:
        continue
    lines.append(f"[[gnu::weak]] {function.returns} {function.impl}({impl_params(function)}) {{ "
                 f'note_stub("{function.name}"); return {function.returns}(); }}')
lines += ["", "}  // namespace detmpi::impl", ""]
Path(options.out).write_text("\n".join(lines))
