// Counts this thread's allocations, so that tests and benchmarks can hold the hot path to none.
#ifndef REGIOND_CMALLOCCOUNT_H
#define REGIOND_CMALLOCCOUNT_H
#include <stdint.h>
/// Calls of malloc, calloc, realloc and the aligned forms made by the calling thread so far.
uint64_t malloc_count_now(void);
/// Bytes asked for by those calls.
uint64_t malloc_bytes_now(void);
/// Bytes that all threads hold now, with what the allocator adds to each block.
uint64_t malloc_live_bytes(void);
#endif
