/* Current folder, environment and locale of the process: taken, compared, described, restored.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Comparing takes about 1 µs with 30 variables. The umask and signal handlers are not compared: the one cannot be
 * read without changing it, the other is changed by many well-behaved libraries. */
#include "op/state_int.h"

#include "base/alloc.h"

#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ; // NOLINT(readability-redundant-declaration): not in every header of the C library

static const struct {
  int category;
  nl_item name;
  const char *text;
} categories[] = {{LC_CTYPE, NL_LOCALE_NAME(LC_CTYPE), "LC_CTYPE"},
                  {LC_NUMERIC, NL_LOCALE_NAME(LC_NUMERIC), "LC_NUMERIC"},
                  {LC_TIME, NL_LOCALE_NAME(LC_TIME), "LC_TIME"},
                  {LC_COLLATE, NL_LOCALE_NAME(LC_COLLATE), "LC_COLLATE"},
                  {LC_MONETARY, NL_LOCALE_NAME(LC_MONETARY), "LC_MONETARY"},
                  {LC_MESSAGES, NL_LOCALE_NAME(LC_MESSAGES), "LC_MESSAGES"}};
#define CATEGORY_COUNT (sizeof categories / sizeof *categories)

/* ---- The environment. ---- */

/* Copies that became the process's environment. Code may hold strings of them for ever: none is freed. */
struct installed {
  struct installed *next;
  char **strings; /* owned */
  char **array;   /* owned: the same strings, in an array that setenv and unsetenv write into */
};
static struct installed *all_installed; /* guarded by the lock of process_state.c */

static size_t count_strings(char *const *strings) {
  size_t count = 0;
  while (strings && strings[count]) count++;
  return count;
}

static char **copy_environment(char *const *from) {
  const size_t count = count_strings(from);
  char **copy = ts_calloc(count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++) copy[i] = ts_strdup(from[i]);
  return copy;
}

static void free_environment(char **strings) {
  for (size_t i = 0; strings && strings[i]; i++) free(strings[i]);
  free(strings);
}

/* The place of the first difference; SIZE_MAX if there is none. */
static size_t first_difference(char *const *a, char *const *b) {
  static char *const nothing[] = {NULL};
  if (!a) a = nothing;
  if (!b) b = nothing;
  for (size_t i = 0;; i++) {
    if (!a[i] && !b[i]) return SIZE_MAX;
    if (!a[i] || !b[i] || strcmp(a[i], b[i]) != 0) return i;
  }
}

static char **present_environment(void) { return __atomic_load_n(&environ, __ATOMIC_ACQUIRE); }

/* An earlier copy whose strings are unchanged is used again, so that a hundred changes do not cost a hundred copies. */
static void install_environment(char *const *wanted) {
  struct installed *copy = all_installed;
  while (copy && first_difference(copy->strings, wanted) != SIZE_MAX) copy = copy->next;
  if (!copy) {
    copy = ts_calloc(1, sizeof *copy);
    *copy = (struct installed){.next = all_installed, .strings = copy_environment(wanted)};
    copy->array = ts_calloc(count_strings(wanted) + 1, sizeof *copy->array);
    all_installed = copy;
  }
  memcpy(copy->array, copy->strings, (count_strings(wanted) + 1) * sizeof *copy->array);
  __atomic_store_n(&environ, copy->array, __ATOMIC_RELEASE);
}

/* ---- The current folder. ---- */

static bool is_there(const struct ts_snapshot *snapshot, const struct stat *status) {
  return snapshot->folder_device == (uint64_t)status->st_dev && snapshot->folder_inode == (uint64_t)status->st_ino;
}

/* The path is the quick answer; a folder that was renamed is still the same. */
static bool is_in_folder(const struct ts_snapshot *snapshot) {
  char path[PATH_MAX];
  struct stat status;
  if (snapshot->folder_fd < 0) return true;
  if (getcwd(path, sizeof path) && strcmp(path, snapshot->folder) == 0) return true;
  return stat(".", &status) == 0 && is_there(snapshot, &status);
}

static void take_folder(struct ts_snapshot *snapshot) {
  char path[PATH_MAX];
  struct stat status;
  snapshot->folder_fd = stat(".", &status) == 0 ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  snapshot->folder_device = (uint64_t)status.st_dev;
  snapshot->folder_inode = (uint64_t)status.st_ino;
  snapshot->folder = ts_strdup(getcwd(path, sizeof path) ? path : "");
}

/* ---- The locale. ---- */

/* A copy, because the names of the global one may be freed by code that changes it. */
static locale_t present_locale(void) { return duplocale(LC_GLOBAL_LOCALE); }

static const char *locale_name(locale_t locale, size_t category) {
  return locale ? nl_langinfo_l(categories[category].name, locale) : "C";
}

static size_t first_other_category(locale_t a, locale_t b) {
  for (size_t i = 0; i < CATEGORY_COUNT; i++)
    if (strcmp(locale_name(a, i), locale_name(b, i)) != 0) return i;
  return CATEGORY_COUNT;
}

static bool has_locale(const struct ts_snapshot *snapshot) {
  const locale_t present = present_locale();
  const bool same = first_other_category(present, snapshot->locale) == CATEGORY_COUNT;
  if (present) freelocale(present);
  return same;
}

/* ---- All of it. ---- */

void ts_snapshot_take(struct ts_snapshot *snapshot) {
  *snapshot = (struct ts_snapshot){.environment = copy_environment(present_environment()), .locale = present_locale()};
  take_folder(snapshot);
}

void ts_snapshot_release(struct ts_snapshot *snapshot) {
  if (snapshot->folder_fd >= 0) close(snapshot->folder_fd);
  free(snapshot->folder);
  free_environment(snapshot->environment);
  if (snapshot->locale) freelocale(snapshot->locale);
  *snapshot = (struct ts_snapshot){.folder_fd = -1};
}

bool ts_snapshot_holds(const struct ts_snapshot *snapshot) {
  return is_in_folder(snapshot) && first_difference(present_environment(), snapshot->environment) == SIZE_MAX &&
         has_locale(snapshot);
}

static void add(struct ts_state_change *change, const char *text) {
  const size_t length = strlen(change->text);
  snprintf(change->text + length, sizeof change->text - length, "%s%s", length > 0 ? " and " : "", text);
}

static void describe_environment(const struct ts_snapshot *snapshot, struct ts_state_change *change) {
  char *const *present = present_environment();
  const size_t at = first_difference(present, snapshot->environment);
  if (at == SIZE_MAX) return;
  char text[120];
  const char *entry = present && present[at] ? present[at] : snapshot->environment[at];
  snprintf(text, sizeof text, "the environment (variable '%.*s')", (int)strcspn(entry, "="), entry);
  add(change, text);
}

static void describe_locale(const struct ts_snapshot *snapshot, struct ts_state_change *change) {
  const locale_t present = present_locale();
  const size_t at = first_other_category(present, snapshot->locale);
  char text[120];
  if (at < CATEGORY_COUNT) {
    snprintf(text, sizeof text, "the locale (%s: '%s' became '%s')", categories[at].text,
             locale_name(snapshot->locale, at), locale_name(present, at));
    add(change, text);
  }
  if (present) freelocale(present);
}

void ts_snapshot_describe(const struct ts_snapshot *snapshot, struct ts_state_change *change) {
  char path[PATH_MAX], text[200];
  change->text[0] = '\0';
  if (!is_in_folder(snapshot)) {
    const char *now = getcwd(path, sizeof path) ? path : "one that is gone";
    snprintf(text, sizeof text, "the current folder (to '%.150s')", now);
    add(change, text);
  }
  describe_environment(snapshot, change);
  describe_locale(snapshot, change);
}

void ts_snapshot_put_back(const struct ts_snapshot *snapshot) {
  if (!is_in_folder(snapshot) && fchdir(snapshot->folder_fd) != 0) {
    /* The folder was removed, or may not be entered any more: relative names do not work in any thread. */
  }
  if (first_difference(present_environment(), snapshot->environment) != SIZE_MAX)
    install_environment(snapshot->environment);
  if (has_locale(snapshot)) return;
  for (size_t i = 0; i < CATEGORY_COUNT; i++) setlocale(categories[i].category, locale_name(snapshot->locale, i));
}
