/* The one place where const is taken off a pointer: the compiler refuses it everywhere else (-Wcast-qual).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Legitimate for three reasons only: an owner frees what others may just read; a function of another library changes
 * nothing but lacks the const (jansson's iterators, argv, the user pointer of qsort_r); a field of shared data is not
 * part of its content (the count of references). */
#ifndef TS_BASE_CONST_H
#define TS_BASE_CONST_H

static inline void *ts_without_const(const void *pointer) {
  union {
    const void *given;
    void *taken;
  } view = {.given = pointer};
  return view.taken;
}

#endif
