// Defines malloc over glibc's own entry points. Thread-local, because tests run in parallel.
#include "CMallocCount.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local uint64_t calls, bytes;

static inline void count(size_t size) {
    calls++;
    bytes += size;
}

void *malloc(size_t size) { count(size); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count(number * size); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { count(size); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { count(size); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { count(size); return __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    count(size);
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

uint64_t malloc_count_now(void) { return calls; }
uint64_t malloc_bytes_now(void) { return bytes; }
uint64_t malloc_live_bytes(void) {
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}
