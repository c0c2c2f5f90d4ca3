/* A locale that writes a decimal comma, for tests of what must not follow the locale.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_BASE_COMMA_LOCALE_H
#define TS_TESTS_UNIT_BASE_COMMA_LOCALE_H

#include "unit/base/testing.h"

#include <locale.h>

struct comma_locale {
  char folder[64]; /* of the one that was made here */
};

static inline void comma_locale_make(const char *folder) {
  char target[128];
  snprintf(target, sizeof target, "%s/de_DE.UTF-8", folder);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)) _exit(1);
    execlp("localedef", "localedef", "-i", "de_DE", "-f", "UTF-8", target, (char *)NULL);
    _exit(127);
  }
  waitpid(child, NULL, 0);
}

/* The German one, from the system, or made here where the tools and sources for it are installed; false without either.
 * To be left in any case. */
static inline bool comma_locale_enter(struct comma_locale *locale) {
  scratch_create(locale->folder);
  if (setlocale(LC_ALL, "de_DE.UTF-8")) return true;
  comma_locale_make(locale->folder);
  setenv("LOCPATH", locale->folder, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static inline void comma_locale_leave(struct comma_locale *locale) {
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  scratch_remove(locale->folder);
}

#endif
