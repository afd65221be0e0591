// A hint for loops that the compiler is to vectorise.
#pragma once

// Before a loop whose iterations do not touch each other's data, which the compiler cannot see by itself: pointers into
// one array, at distances known at run time only. Nothing for clang, which warns of hints that it could not follow.
#ifdef __clang__
#define NPB_INDEPENDENT_ITERATIONS
#else
#define NPB_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif
