#!/bin/bash
# usage: setup_test.sh ROOT
# The functions of tools/setup.sh, with stand-ins for the commands of the system; and the usage of both commands.
set -u
root=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# expect NAME PATTERN CODE COMMAND...: output matches the pattern (bash glob) and the exit code is CODE.
expect() {
  local name=$1 pattern=$2 code=$3 output got
  shift 3
  output=$("$@" 2>&1 </dev/null)
  got=$?
  # shellcheck disable=SC2053
  if [[ $got = "$code" && $output = $pattern ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s: exit code %s, output:\n%s\n' "$name" "$got" "$output"
  fi
}

# stand_in NAME: a command of that name, its text on standard input.
stand_in() {
  { echo '#!/bin/bash'; cat; } >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}

# in_setup CODE: runs bash code with setup.sh loaded, in a small tree of its own, stand-ins first in PATH.
in_setup() {
  (
    cd "$scratch/tree" || exit 99
    rm -rf build-logs
    mkdir build-logs
    PATH=$scratch/bin:$PATH STATE=$scratch bash -uc "tool=quickstart; . tools/setup.sh; $1"
  )
}

mkdir -p "$scratch/bin" "$scratch/tree/tools"
cp "$root/tools/setup.sh" "$scratch/tree/tools/"
printf '# comment\nalpha\nbeta\ngamma check\n' >"$scratch/tree/tools/packages"

stand_in dpkg-query <<'END'
grep -qx "${*: -1}" "$STATE/installed" && echo installed
END
stand_in apt-get <<'END'
echo "apt-get $*" >>"$STATE/calls"
[ "$1" = update ] && { touch "$STATE/updated"; exit 0; }
[ -e "$STATE/stale" ] && [ ! -e "$STATE/updated" ] && { echo 'unable to locate'; exit 100; }
[ -e "$STATE/broken" ] && { echo 'no network'; exit 100; }
for word; do echo "$word"; done >>"$STATE/installed"
END
stand_in sudo <<'END'
[ -e "$STATE/no-sudo" ] && exit 1
shift
exec "$@"
END
stand_in id <<'END'
cat "$STATE/user"
END

reset() {
  rm -f "$scratch"/{stale,broken,updated,no-sudo}
  printf '%s\n' "$2" >"$scratch/user"
  printf '%s\n' $1 >"$scratch/installed"
  : >"$scratch/calls"
}

reset 'alpha beta' 1000
expect 'nothing missing' '' 0 in_setup 'ensure_packages quickstart'
expect 'the column selects' 'gamma' 0 in_setup 'missing_packages check'
reset alpha 0
expect 'root installs' 'installing beta' 0 in_setup 'ensure_packages quickstart'
expect 'without fetching lists' '*install*beta' 0 cat "$scratch/calls"
expect 'and is done' '' 0 in_setup 'ensure_packages quickstart'
reset alpha 0; touch "$scratch/stale"
expect 'root fetches lists when needed' 'installing beta' 0 in_setup 'ensure_packages quickstart'
expect 'install, update, install' '*install*beta*update*install*beta' 0 cat "$scratch/calls"
reset alpha 0; touch "$scratch/broken"
expect 'a failure shows the log' '*step "start" failed: apt-get install*no network*' 1 \
  in_setup 'ensure_packages quickstart'
reset alpha 1000
expect 'a user with sudo installs' 'installing beta' 0 in_setup 'ensure_packages quickstart'
reset alpha 1000; touch "$scratch/no-sudo"
expect 'a user without it gets the line to run' \
  '*apt-get update && apt-get install -y --no-install-recommends beta gamma
*./quickstart again.' 1 in_setup 'ensure_packages check'
expect 'and nothing is called' '' 0 cat "$scratch/calls"

expect 'progress, not on a terminal' $'building b 2/8\nbuilding b 4/8\nbuilding b 8/8' 0 in_setup \
  'printf "[%d/8] Compiling x\n" 1 2 3 4 5 8 | show_progress b'
expect 'progress of one step' 'building b 1/1' 0 in_setup 'echo "[1/1] Linking" | show_progress b'
stand_in ninja <<'END'
echo 'oh dear'; exit 3
END
expect 'a build that fails' 'code 3' 0 in_setup 'build b; echo code $?'
expect 'its log' 'oh dear' 0 in_setup 'build b; cat build-logs/b.log'
stand_in meson <<'END'
echo "meson $*" >>"$STATE/calls"
mkdir -p "$2"; touch "$2/build.ninja"
END
reset alpha 0
expect 'configures once' '' 0 in_setup 'configure b -Dx=1; configure b -Dx=1'
expect 'one call' 'meson setup b . -Dx=1' 0 cat "$scratch/calls"
expect 'configures anew for another compiler' '' 0 in_setup 'CXX=other configure b -Dx=1'
expect 'two calls' $'meson*\nmeson setup b . -Dx=1' 0 cat "$scratch/calls"
reset alpha 0
expect 'configures anew for other options of the compiler' '' 0 \
  in_setup 'CXXFLAGS=-O1 configure b -Dx=1; CXXFLAGS="-O1 -g" configure b -Dx=1; CXXFLAGS="-O1 -g" configure b -Dx=1'
expect 'a call for each' $'meson setup b . -Dx=1\nmeson setup b . -Dx=1' 0 cat "$scratch/calls"

expect 'the tree is free' '' 0 in_setup 'take_tree'
expect 'one script at a time' '*another quickstart or check is at work*' 1 \
  in_setup 'exec 8>build-logs/lock; flock 8; take_tree'
expect 'a tree that cannot be written to' '*nothing can be written to */tree/build-logs' 1 \
  in_setup 'rmdir build-logs; touch build-logs; take_tree'

expect 'another system' '*not Debian; with the equivalents of alpha beta it builds*meson setup build --prefix="$PWD/dist" &&*' 1 \
  in_setup 'command() { return 1; }; ensure_packages quickstart'

expect 'quickstart --help' 'usage: ./quickstart*' 0 "$root/quickstart" --help
expect 'quickstart --wrong' "*unknown option '--wrong'*" 2 "$root/quickstart" --wrong
expect 'check --help' 'usage: ./check*' 0 "$root/check" --help
expect 'check --wrong' "*unknown option '--wrong'*" 2 "$root/check" --wrong
expect 'sh quickstart' 'usage: ./quickstart*' 0 sh "$root/quickstart" --help
expect 'sh check' "*unknown option '--wrong'*" 2 sh "$root/check" --wrong

cat >"$scratch/log.json" <<'END'
{"name": "a", "result": "OK", "stdout": "x\ntally: 3 passed, 0 failed, 1 skipped\n"}
{"name": "b", "result": "OK"}
{"name": "c", "result": "FAIL", "stdout": "tally: 2 passed, 2 failed, 0 skipped\n"}
{"name": "d", "result": "TIMEOUT", "stdout": "tally: 4 passed, 0 failed, 0 skipped\n"}
{"name": "e", "result": "SKIP"}
{"name": "f", "result": "EXPECTEDFAIL", "stdout": "tally: 0 passed, 1 failed, 0 skipped\n"}
{"name": "g", "result": "UNEXPECTEDPASS"}
END
expect 'tally' '11 4 2' 0 python3 -B "$root/tools/tally.py" "$scratch/log.json"
: >"$scratch/empty.json"
expect 'tally of nothing' '0 0 0' 0 python3 -B "$root/tools/tally.py" "$scratch/empty.json"
expect 'tally without a log' 'tally.py: *' 1 python3 -B "$root/tools/tally.py" "$scratch/none.json"

echo "tally: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
