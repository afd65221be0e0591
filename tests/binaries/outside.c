/* Loaded in front of a program that seeds its random numbers from outside: the date is always the same, and the system's
 * random numbers are zeros. Other clocks go on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  if (clock != CLOCK_REALTIME) return real(clock, now);
  now->tv_sec = 1700000000;
  now->tv_nsec = 0;
  return 0;
}

int getentropy(void *bytes, size_t size) {
  memset(bytes, 0, size);
  return 0;
}
