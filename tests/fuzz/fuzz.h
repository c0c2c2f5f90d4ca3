/* What the fuzz targets share: a scratch folder, and what must hold for every input that was refused.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_FUZZ_FUZZ_H
#define TS_TESTS_FUZZ_FUZZ_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's two entry points. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Makes a scratch folder below TMPDIR and goes there, so that relative names in an input lead nowhere. */
void fuzz_start(void);
/* Writes a file in the scratch folder. */
void fuzz_write(const char *name, const void *data, size_t size);
/* Copies a file of the checkout (TESSERA_SOURCE_DIR) into the scratch folder. */
void fuzz_copy(const char *source, const char *name);

/* Aborts unless the error is set, says what is wrong in valid UTF-8, and says what to do. */
void fuzz_check_error(const struct ts_error *err);
/* The same for all faults of a file; there must be one if it was refused and none if it was not. */
void fuzz_check_faults(const struct ts_faults *faults, int refused);

#endif
