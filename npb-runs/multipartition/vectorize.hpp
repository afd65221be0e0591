// NPB_INDEPENDENT before an innermost loop: its iterations touch different elements. The rows that these loops work on
// are parts of one allocation at distances that the compiler cannot know, so it could not see that by itself.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#define NPB_INDEPENDENT _Pragma("GCC ivdep")
#else
#define NPB_INDEPENDENT
#endif
