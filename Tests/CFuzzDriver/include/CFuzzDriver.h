// libFuzzer for a program that has a main of its own. The compiler's fuzzer runtime defines it.
#ifndef REGIOND_CFUZZDRIVER_H
#define REGIOND_CFUZZDRIVER_H
#include <stddef.h>
#include <stdint.h>
/// Calls back with inputs until the options in the arguments say to stop; does not always return.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
#endif
