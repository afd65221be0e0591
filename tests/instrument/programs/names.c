/* Functions of the table that headers give other names, depending on how the program is compiled; and functions of the
 * program with names of the table. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

static char from[100000], to[100000];
static char text[100];

/* Another function than that of <signal.h>, which is not included: it installs nothing. */
__attribute__((noipa)) static int signal(int x, int y) { return x - y; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const size_t n = argc > 0 ? sizeof from - 1 : 0; /* unknown to the compiler */
  long sum = 0;
  begin();
  for (int i = 0; i < 1000; ++i) {
    int number;
    if (sscanf("12", "%d", &number) == 1) sum += number;
  }
  report("sscanf");
  begin();
  for (int i = 0; i < 1000; ++i) sum += snprintf(text, sizeof text, "%d %d", i, 2 * i);
  report("snprintf");
  begin();
  for (int i = 0; i < 1000; ++i) memcpy(to, from, n), sum += to[i];
  report("memcpy");
  begin();
  for (int i = 0; i < 1000; ++i) strcpy(text, argv[0] + strlen(argv[0])), sum += text[0];
  report("strcpy");
  const int flags = argc > 0 ? O_RDONLY : 0;
  begin();
  for (int i = 0; i < 100; ++i) {
    const int file = open("/dev/zero", flags);
    sum += pread(file, to, n, 0) + lseek(file, 0, SEEK_SET);
    close(file);
  }
  report("files");
  FILE* const nothing = freopen("/dev/null", "w", stderr);
  begin();
  for (int i = 0; i < 1000; ++i) sum += putc(i % 64, nothing);
  report("putc");
  begin();
  for (int i = 0; i < 1000; ++i) sum += strtol("12", NULL, 10) + atoi("12");
  report("numbers");
  begin();
  for (int i = 0; i < 1000; ++i) sum += signal(i, 1000);
  report("own signal");
  printf("result: %ld\n", sum);
  return MPI_Finalize();
}
