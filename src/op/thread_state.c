/* The state of a thread that arithmetic and the C library obey: the same before each call.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rounding, flushing of small numbers to zero and traps belong to the thread and decide results. They are looked at
 * before and after every call (5 ns on x86-64). Signal mask and locale of the thread are looked after for calls of
 * plugins only: two calls of the system (0.4 µs) that operations of this program do not need, because none of them
 * changes either. */
#include "op/state_int.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

#define USUAL_MXCSR 0x1f80 /* nothing trapped, to nearest, small numbers kept */
#define MXCSR_FLAGS 0x003f /* events so far: no influence on results */
#define USUAL_X87   0x037f /* the same, 64 bits of mantissa */

static bool is_usual(void) {
  uint16_t x87;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return (_mm_getcsr() & ~(unsigned)MXCSR_FLAGS) == USUAL_MXCSR && x87 == USUAL_X87;
}
#else
static bool is_usual(void) { return false; } /* always set, then */
#endif

static pthread_once_t locale_once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

void ts_thread_state_enter(struct ts_thread_state *before, bool is_foreign) {
  before->was_usual = is_usual();
  before->is_foreign = is_foreign;
  if (!before->was_usual) {
    fegetenv(&before->arithmetic);
    fesetenv(FE_DFL_ENV);
  }
  if (!is_foreign) return;
  pthread_once(&locale_once, make_locale);
  before->locale = uselocale(c_locale);
  pthread_sigmask(SIG_SETMASK, NULL, &before->signals);
}

void ts_thread_state_leave(const struct ts_thread_state *before) {
  if (!before->was_usual)
    fesetenv(&before->arithmetic);
  else if (!is_usual())
    fesetenv(FE_DFL_ENV);
  if (!before->is_foreign) return;
  uselocale(before->locale);
  pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
}
