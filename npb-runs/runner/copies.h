/* How fast this machine copies, in the state in which a run found it: no library moves messages faster. To be called by
 * all ranks. Bytes a second, the best of several times. */
#pragma once

/* Of processor time, between buffers that are too large for caches, on all ranks at once. */
double copy_rate_of_memory(void);
/* What another core has just written, up to half a MiB; on rank 1, else 0. 0 also where there are more ranks than
 * cores. The ranks meet in a file of the folder. */
double copy_rate_between_cores(const char* folder);
