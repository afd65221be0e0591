# shellcheck shell=bash
# Sourced by quickstart and check (bash): packages, configuration, build with a progress line.
# The caller has changed to the repository root and sets `tool` (its name) for messages. All output of the tools
# goes to build-logs/, named after the step.

export LC_ALL=C.UTF-8
logs=build-logs
step_name=start

# A heading for what follows; later failures name it.
step() {
  step_name=$1
  printf '%s\n' "== $1"
}

# fail MESSAGE [LOG]: says which step failed, shows the end of its log, ends the script.
fail() {
  printf '\n%s: step "%s" failed: %s\n' "$tool" "$step_name" "$1" >&2
  if [ -n "${2-}" ] && [ -s "$2" ]; then
    printf -- '---- last lines of %s ----\n' "$2" >&2
    tail -n 30 "$2" >&2
    printf -- '----\n' >&2
  fi
  exit 1
}

now() { printf '%s' "${EPOCHREALTIME/,/.}"; }
seconds_since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", b - a }'; }

# wanted_packages SCOPE: the names in tools/packages; those marked "check" only with scope check.
wanted_packages() {
  awk -v scope="$1" '!/^#/ && NF && (NF == 1 || $2 == scope) { print $1 }' tools/packages
}

missing_packages() {
  local package
  for package in $(wanted_packages "$1"); do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

# ensure_packages SCOPE: installs what is missing as root or by sudo without a password; else prints the line to run.
ensure_packages() {
  command -v dpkg-query >/dev/null ||
    fail "this is not Debian; with the equivalents of $(wanted_packages "$1" | tr '\n' ' ')it builds and installs by
  meson setup build --prefix=\"\$PWD/dist\" && meson install -C build"
  local missing as_root=
  missing=$(missing_packages "$1" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root='sudo -n env'
    else
      printf '%s: these Debian packages are missing. Run as root:\n\n' "$tool" >&2
      printf '  apt-get update && apt-get install -y --no-install-recommends %s\n\n' "$missing" >&2
      printf 'and then ./%s again.\n' "$tool" >&2
      exit 1
    fi
  fi
  printf 'installing %s\n' "$missing"
  local log=$logs/packages.log
  : >"$log"
  # The package lists may be absent or too old: fetch them only then.
  # shellcheck disable=SC2086
  if ! install_packages "$as_root" $missing; then
    ${as_root:-env} apt-get update </dev/null >>"$log" 2>&1 || fail 'apt-get update' "$log"
    # shellcheck disable=SC2086
    install_packages "$as_root" $missing || fail 'apt-get install' "$log"
  fi
}

# install_packages PREFIX PACKAGE...: PREFIX is a command that runs another as root, or empty.
install_packages() {
  local as_root=$1
  shift
  ${as_root:-env} DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "$@" </dev/null >>"$logs/packages.log" 2>&1
}

# configure FOLDER [MESON OPTION...]: a build folder made elsewhere, or with other options, is made anew. Meson takes its
# compilers and their options from variables when it makes one, and never again.
configure() {
  local folder=$1 log variable
  shift
  log=$logs/$folder-configure.log
  local stamp="$PWD $* CC=${CC-} CXX=${CXX-}"
  for variable in FC CFLAGS CXXFLAGS CPPFLAGS FFLAGS LDFLAGS; do
    [ -z "${!variable-}" ] || stamp+=" $variable=${!variable}"
  done
  if [ -f "$folder/build.ninja" ] && [ "$(cat "$folder/dlinux-stamp" 2>/dev/null)" = "$stamp" ]; then
    return 0
  fi
  rm -rf "$folder"
  meson setup "$folder" . "$@" </dev/null >"$log" 2>&1 9>&- || fail 'meson setup' "$log"
  printf '%s\n' "$stamp" >"$folder/dlinux-stamp"
}

# Turns ninja's lines into one that is rewritten on a terminal, and into one per quarter elsewhere.
show_progress() {
  local folder=$1 terminal= width quarter=0 line done total
  [ -t 1 ] && terminal=yes
  width=$(tput cols 2>/dev/null || echo 80)
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*)$ ]] || continue
    done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if [ "$terminal" ]; then
      printf '\r\033[K%.*s' "$((width - 1))" "building $folder $done/$total ${BASH_REMATCH[3]}"
    elif ((done * 4 / total > quarter)); then
      quarter=$((done * 4 / total))
      printf 'building %s %d/%d\n' "$folder" "$done" "$total"
    fi
  done
  [ -z "$terminal" ] || printf '\r\033[K'
}

# build FOLDER: false when it does not compile; the log is build-logs/FOLDER.log.
build() {
  local folder=$1 log=$logs/$1.log
  NINJA_STATUS='[%f/%t] ' ninja -C "$folder" </dev/null 2>&1 9>&- | tee "$log" | show_progress "$folder"
  return "${PIPESTATUS[0]}"
}

# Makes the folder for logs, and ends the script where another one is at work: each would make the build folder anew under
# the other. Descriptor 9 is the lock; what may outlive the script, like the server of a compiler cache, is not given it.
take_tree() {
  { mkdir -p "$logs" && : >>"$logs/lock"; } 2>/dev/null || fail "nothing can be written to $PWD/$logs"
  exec 9>>"$logs/lock"
  flock --nonblock 9 || fail 'another quickstart or check is at work in this folder'
}

# set_up SCOPE: everything up to a built build/ with dist/ as its prefix; with the tests for scope check.
set_up() {
  take_tree
  step 'Debian packages'
  ensure_packages "$1"
  step 'build'
  # Lines alone: the rest of what debuggers know takes a fifth of the time to compile.
  configure build --prefix "$PWD/dist" -Dtests=disabled -Dc_args=-g1 -Dcpp_args=-g1
  # quickstart does not wait for the tests to compile, nor does it refuse warnings; once check has run, both stay.
  if [ "$1" = check ] && [ ! -e build/dlinux-for-check ]; then
    meson configure build -Dtests=enabled --werror >>"$logs/build-configure.log" 2>&1 ||
      fail 'meson configure' "$logs/build-configure.log"
    touch build/dlinux-for-check
  fi
  build build || fail 'it does not compile' "$logs/build.log"
}
