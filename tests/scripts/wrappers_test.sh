#!/bin/sh
# usage: wrappers_test.sh BUILD BINDIR
# Installs into a folder whose path is awkward, and uses detmpicc, detmpicxx and detmpifort from elsewhere without any variable.
set -u
unset LD_LIBRARY_PATH DETMPI_CC DETMPI_CXX DETMPI_FC
build=$1 bindir=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# check NAME COMMAND...: the command must succeed.
check() {
  name=$1
  shift
  if "$@" >"$scratch/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name"
    cat "$scratch/log"
  fi
}
refuse() { ! "$@"; }
prints() { "$scratch/prints" "$@"; }

# `prints TEXT COMMAND...`: the command succeeds and its output holds TEXT.
cat >"$scratch/prints" <<'END'
#!/bin/sh
text=$1
shift
output=$("$@" 2>&1) || { printf '%s\n' "$output"; exit 1; }
case $output in *"$text"*) exit 0 ;; esac
printf 'no "%s" in:\n%s\n' "$text" "$output"
exit 1
END
chmod +x "$scratch/prints"

if ! DESTDIR=$scratch/stage meson install -C "$build" --no-rebuild >"$scratch/log" 2>&1; then
  cat "$scratch/log"
  exit 1
fi
# The tree that holds bin/, moved as a whole.
home="$scratch/a b, it's (here)"
mv "$scratch/stage/${bindir%/*}" "$home"
# CMake's module does not read back quoted words.
plain=$scratch/plain
cp -a "$home" "$plain"
cc="$home/bin/detmpicc" cxx="$home/bin/detmpicxx" fort="$home/bin/detmpifort"

mkdir "$scratch/user"
cd "$scratch/user" || exit 1
cat >one.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
  int ready = 1;
  MPI_Initialized(&ready);
  return argc > 9 ? MPI_Init(&argc, &argv) : ready;
}
END
cp one.c one.cpp

check 'compiles and links C' "$cc" -Wall -Werror -O1 one.c -o one
check 'the program finds its libraries' ./one
check 'compiles and links C++' "$cxx" -Wall -Werror one.cpp -o two
check 'the C++ program finds its libraries' ./two
check 'position-dependent' "$cc" -no-pie one.c -o three
check 'the position-dependent program runs' ./three
check 'compiles alone' "$cc" -c one.c
check 'links alone' "$cc" one.o -o four
check 'the program linked alone runs' ./four
check 'a source whose name has a space' sh -c 'cp one.c "my one.c" && "$0" "my one.c" -o "my one" && "./my one"' "$cc"
check 'source from standard input' sh -c '"$0" -x c - -o five <one.c && ./five' "$cc"
check 'a linked tool' sh -c 'ln -s "$0" alias && ./alias one.c -o six && ./six' "$cc"
check 'only -c: no link flags' refuse prints -ldetmpi "$cc" -show -c one.c
check 'only -E: no link flags' refuse prints -ldetmpi "$cc" -show -E one.c
check 'only -S: no link flags' refuse prints -ldetmpi "$cc" -show -S one.c
check 'links in part, without libraries' sh -c '"$0" -r one.c -o part.o && "$0" part.o -o parts && ./parts' "$cc"
check '-show gives a command that works' sh -c 'eval "$("$0" -show one.c -o seven)" && ./seven' "$cc"
check '-show does not run it' sh -c '"$0" -show one.c -o eight && [ ! -e eight ]' "$cc"
check '-show alone shows all flags' prints -ldetmpi "$cc" -show
check '-compile_info' prints include "$cc" -compile_info
check '-compile_info has no libraries' refuse prints -ldetmpi "$cc" -compile_info
check '-link_info' prints -ldetmpi "$cc" -link_info
check '--version names the compiler too' prints 'Free Software' env DETMPI_CC=gcc "$cc" --version
check '--help' prints usage: "$cxx" --help
check '-v alone asks the compiler' prints version "$cc" -v
for option in -S -E -M -c -show -shared; do
  check "-Xlinker $option is for the linker" prints "-Xlinker $option -rdynamic" "$cc" -show one.c -Xlinker "$option"
done
check '-Xlinker at the end is for the compiler to refuse' refuse "$cc" one.c -Xlinker
check 'what options name is no input' sh -c \
  '"$0" -I . -D X -U Y -L . -include stdio.h -isystem . -MF made -MT it -MQ it -o out 2>&1 | grep "no input files"' "$cc"
check 'what options name is no option' sh -c '"$0" -c one.c -o -show && [ -e ./-show ]' "$cc"
check 'an input behind them is one' sh -c '"$0" -D X -I . -o inputs one.c && ./inputs' "$cc"
check 'DETMPI_CC with an option' prints 'echo -n ' env DETMPI_CC='echo -n' "$cc" -show -c one.c
check 'DETMPI_CXX' prints hello env DETMPI_CXX='echo hello' "$cxx" one.cpp
check 'DETMPI_FC' prints hello env DETMPI_FC='echo hello' "$fort" one.f90
check '-cc=' prints hello "$cc" -cc='echo hello' one.c
check '-cc= without one says so' sh -c '"$0" -cc= one.c 2>&1 | grep "no compiler is named"' "$cc"
check 'DETMPI_CC without one says so' sh -c 'DETMPI_CC=" " "$0" -show 2>&1 | grep "no compiler is named"' "$cc"
check 'a compiler that is not named fails' refuse "$cc" -cc= one.c
check 'names of files do not get into DETMPI_CC' prints '*.c' env DETMPI_CC='echo *.c' "$cc" -c one.c
check 'a failing compiler gives its code' sh -c '"$0" -cc="sh -c exit\ 3" x.c; [ $? -ne 0 ]' "$cc"
check 'an error in the source is an error' refuse "$cc" missing.c
check 'pkg-config' sh -c 'PKG_CONFIG_PATH="$0/lib/pkgconfig" pkg-config --cflags --libs detmpi' "$home"
cat >count.cpp <<'END'
#include <dmr/map_reduce.hpp>
struct Count : dmr::MapReduce<Count, int, int, dmr::Sum<int>> {
  void map(const dmr::Piece&, auto& emit) const { emit(1, 2); }
};
int main() {
  dmr::init();
  const auto counts = Count().run(dmr::Input::memory("text"));
  return counts.size() == 1 && counts[0].second == 2 ? 0 : 1;
}
END
check 'pkg-config is all that a MapReduce job needs' sh -c \
  'c++ -std=c++20 count.cpp -o count $(PKG_CONFIG_PATH="$0/lib/pkgconfig" pkg-config --cflags --libs dmr) &&
   LD_LIBRARY_PATH=$0/lib ./count' "$plain"

if command -v gfortran >/dev/null; then
  printf '%s\n' 'subroutine add(a, b)' 'real(8) :: a, b' 'a = a + b' 'end subroutine' >part.f90
  printf '%s\n' 'void add_(double *, double *);' 'int main(void) { double a = 1, b = 2; add_(&a, &b); return a != 3; }' >main.c
  check 'compiles Fortran' "$fort" -c part.f90
  if [ -e "$home/include/mpi.mod" ]; then
    printf '      %s\n' 'program old' "include 'mpif.h'" 'logical flag' 'call MPI_Initialized(flag, ierr)' 'end' >old.f
    printf '%s\n' 'program new' 'use mpi' 'logical :: flag' 'call MPI_Initialized(flag, ierr)' 'end' >new.f90
    printf '%s\n' 'program newest' 'use mpi_f08' 'logical :: flag' 'call MPI_Initialized(flag)' 'end' >newest.f90
    check 'mpif.h' sh -c '"$0/bin/detmpif77" old.f -o old && ./old' "$home"
    check 'module mpi' sh -c '"$0/bin/detmpif90" new.f90 -o new && ./new' "$home"
    check 'module mpi_f08' sh -c '"$0/bin/detmpifort" newest.f90 -o newest && ./newest' "$home"
  fi
  check 'links Fortran and C' sh -c '"$0" -c main.c && "$1" main.o part.o -o fortran && ./fortran' "$cc" "$fort"
fi

if [ -e "$home/lib/dlinux/detmpi_instrument.so" ]; then
  check '--instrument, C' sh -c '"$0" --instrument -O2 one.c -o ten && ./ten' "$cc"
  check '--instrument, C++' sh -c '"$0" --instrument -O2 one.cpp -o ten && ./ten' "$cxx"
  check '--instrument, position-dependent' sh -c '"$0" --instrument -O2 -no-pie one.c -o ten && ./ten' "$cc"
  check '--instrument with -flto' sh -c '"$0" --instrument -O2 -flto one.c -o ten && ./ten' "$plain/bin/detmpicc"
  ! command -v gfortran >/dev/null ||
    check '--instrument, Fortran' prints detmpi_work_left "$fort" --instrument -S part.f90 -o -
  check '--instrument counts' prints detmpi_work_left "$cc" --instrument -S one.c -o -
  check 'without --instrument nothing counts' refuse prints detmpi_work "$cc" -S one.c -o -
  check '--instrument -show shows the plugin' prints -fplugin= "$cc" --instrument -show one.c
  check '--instrument with another compiler says why' \
    sh -c 'DETMPI_CC="echo 4.2.1" "$0" --instrument one.c 2>&1 >/dev/null | grep "needs GCC"' "$cc"
  check '--instrument with another compiler fails' refuse env DETMPI_CC='echo 4.2.1' "$cc" --instrument one.c
else
  check '--instrument says that it is missing' sh -c '"$0" --instrument one.c 2>&1 | grep "not part"' "$cc"
fi

# Programs under AddressSanitizer: nothing of the library's is a leak. Where the leak checker cannot work at all, as in
# some containers, it is not asked.
cat >leaks.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, sum;
  MPI_Comm twin;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, twin);
  MPI_Comm_free(&twin);
  MPI_Finalize();
  return argc > 9;
}
END
echo 'int main(void) { return 0; }' >nothing.c
if gcc -fsanitize=address nothing.c -o nothing 2>/dev/null && ASAN_OPTIONS=detect_leaks=1 ./nothing 2>/dev/null; then
  check 'compiles with -fsanitize=address' "$cc" -fsanitize=address leaks.c -o leaks
  check 'no leaks' env ASAN_OPTIONS=detect_leaks=1 "$home/bin/detmpirun" -n 2 ./leaks
  check 'no leaks where ranks are forked' \
    env ASAN_OPTIONS=detect_leaks=1 "$home/bin/detmpirun" -n 2 --start=fork ./leaks
  echo 'int main(void) { void *volatile lost = __builtin_malloc(5); lost = 0; return lost != 0; }' >lost.c
  check 'a leak would be seen' sh -c 'gcc -fsanitize=address lost.c -o lost && ! ASAN_OPTIONS=detect_leaks=1 ./lost'
fi

if command -v cmake >/dev/null; then
  printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(user C CXX)' 'find_package(MPI REQUIRED)' \
    'add_executable(nine one.c)' 'target_link_libraries(nine MPI::MPI_C)' >CMakeLists.txt
  check 'CMake finds it' cmake -B cm -DMPI_C_COMPILER="$plain/bin/detmpicc" -DMPI_CXX_COMPILER="$plain/bin/detmpicxx"
  check 'CMake builds with it' cmake --build cm
  check 'what CMake built runs' cm/nine
fi

# The usual names, in a folder of their own.
names="$home/lib/dlinux/mpi/bin"
cat >three.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Finalize();
  return size == 3 ? 0 : 1;
}
END
cp three.c three.cpp
check 'mpicc and mpiexec' env PATH="$names:$PATH" sh -c 'mpicc three.c -o three && mpiexec -n 3 ./three'
for name in mpicxx mpic++ mpiCC; do
  check "$name and mpirun" env PATH="$names:$PATH" sh -c '"$0" three.cpp -o three && mpirun -np 3 ./three' "$name"
done
check 'mpiexec runs as many as are asked for' refuse "$names/mpiexec" -n 2 ./three
check 'mpiexec of several programs' "$names/mpiexec" -n 2 ./three : ./three
if [ -e "$home/include/mpi.mod" ]; then
  for name in mpifort mpif77 mpif90; do
    check "$name" env PATH="$names:$PATH" sh -c '"$0" newest.f90 -o newest && ./newest' "$name"
  done
fi
if command -v cmake >/dev/null; then
  mkdir names
  cp three.c names
  printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(user C)' 'enable_testing()' 'find_package(MPI REQUIRED)' \
    'add_executable(three three.c)' 'target_link_libraries(three MPI::MPI_C)' \
    'add_test(NAME three COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 $<TARGET_FILE:three>)' \
    >names/CMakeLists.txt
  check 'CMake finds all by their names' \
    env PATH="$plain/lib/dlinux/mpi/bin:$PATH" cmake -S names -B names/build
  check 'CMake found these' grep "MPIEXEC_EXECUTABLE.*=$plain" names/build/CMakeCache.txt
  check 'CMake builds by their names' cmake --build names/build
  check 'the tests of CMake run three ranks' sh -c 'cd names/build && ctest'
fi

echo "tally: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
