/* A memory that a caller lends to a kernel that works part by part: values of parts that were computed before.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A kernel puts all that a part's value depends on into its key, apart from large inputs such as the image: the prefix,
 * which the caller makes from their contents, replaces these. Results are the same bits with any memory, and with
 * NULL. */
#ifndef TS_KERNELS_MEMO_H
#define TS_KERNELS_MEMO_H

#include <stddef.h>

#define TS_KERNEL_NOT_KNOWN ((size_t)-1)

/* Where kernels take a pointer to this, NULL means: nothing is known and nothing to be remembered. Both functions are
 * called from several threads at once. */
struct ts_kernel_memo {
  unsigned char prefix[16]; /* of every key: made from the contents of the inputs that the kernel names */
  /* Copies the value of a key and gives its size, or TS_KERNEL_NOT_KNOWN. */
  size_t (*recall)(void *user, const void *key, size_t key_bytes, void *value, size_t value_bytes);
  void (*remember)(void *user, const void *key, size_t key_bytes, const void *value, size_t value_bytes);
  void *user; /* borrowed: given to both */
};

#endif
