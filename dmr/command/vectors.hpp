// DMR_FOR_EACH_MACHINE before a function: compiled for wide vectors, too; which one runs is chosen when the program
// starts. None of the kinds has multiply-and-add instructions, which round once instead of twice: results are the same
// bits on all of them.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DMR_FOR_EACH_MACHINE __attribute__((target_clones("avx2", "default")))
#else
#define DMR_FOR_EACH_MACHINE
#endif
