/* Finds the settings in force and where each comes from.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/settings.h"

#include "base/alloc.h"
#include "base/file.h"
#include "cli/arguments_int.h"
#include "cli/settings_int.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH_DEFAULT "4 x memory"

const struct ts_setting_kind ts_setting_kinds[TS_SETTING_COUNT] = {
    [TS_SETTING_JOBS] = {"jobs", "TESSERA_JOBS", "0"},
    [TS_SETTING_STORE] = {"store", "TESSERA_STORE", ".tessera"},
    [TS_SETTING_COLOR] = {"color", "TESSERA_COLOR", "auto"},
    [TS_SETTING_PROGRESS] = {"progress", "TESSERA_PROGRESS", "auto"},
    [TS_SETTING_SCRATCH] = {"scratch", "TESSERA_SCRATCH", SCRATCH_DEFAULT},
};

const char *ts_setting_name(enum ts_setting_id id) { return ts_setting_kinds[id].name; }

const char *ts_setting_get(const struct ts_settings *settings, enum ts_setting_id id) {
  return settings->items[id].value;
}

size_t ts_settings_jobs(const struct ts_settings *settings) {
  return (size_t)strtoull(settings->items[TS_SETTING_JOBS].value, NULL, 10);
}

bool ts_setting_fits(enum ts_setting_id id, const char *where, const char *text, struct ts_error *err) {
  const char *name = ts_setting_kinds[id].name;
  struct tessera_fault fault;
  const struct tessera_option *option = ts_option_find(NULL, name, strlen(name));
  if (!option) TS_BUG("no option '%s'", name);
  return tessera_option_check(option, text, where, &fault) || ts_argument_fail(&fault, err);
}

void ts_setting_offer(struct ts_settings *settings, enum ts_setting_id id, const char *value, const char *origin) {
  struct ts_setting *setting = &settings->items[id];
  if (setting->value) return;
  setting->value = ts_strdup(value);
  setting->origin = ts_strdup(origin);
}

static void offer_option(struct ts_settings *settings, enum ts_setting_id id, const char *text) {
  if (text) ts_setting_offer(settings, id, text, "option");
}

static void offer_options(struct ts_settings *settings, const struct ts_arguments *arguments) {
  const char *threads = ts_arguments_get(arguments, "threads"); /* bench: another name for jobs */
  offer_option(settings, TS_SETTING_JOBS, threads ? threads : ts_arguments_get(arguments, "jobs"));
  offer_option(settings, TS_SETTING_SCRATCH, ts_arguments_get(arguments, "scratch"));
  offer_option(settings, TS_SETTING_STORE, ts_arguments_get(arguments, "store"));
  offer_option(settings, TS_SETTING_COLOR, arguments->color);
  offer_option(settings, TS_SETTING_PROGRESS, arguments->progress);
}

/* An empty variable counts as not set. */
static void offer_environment(struct ts_settings *settings, struct ts_faults *faults) {
  for (int i = 0; i < TS_SETTING_COUNT; i++) {
    const char *variable = ts_setting_kinds[i].variable;
    const char *value = getenv(variable);
    if (!value || *value == '\0') continue;
    struct ts_error err = {0};
    if (ts_setting_fits((enum ts_setting_id)i, variable, value, &err)) {
      ts_setting_offer(settings, (enum ts_setting_id)i, value, variable);
    } else {
      *ts_faults_add(faults) = err;
    }
  }
  const char *no_color = getenv("NO_COLOR"); /* no-color.org: any text but the empty one */
  if (no_color && *no_color != '\0') ts_setting_offer(settings, TS_SETTING_COLOR, "never", "NO_COLOR");
}

/* NULL: the user has no folder for configuration. Owned result. */
static char *user_file(void) {
  const char *folder = getenv("XDG_CONFIG_HOME");
  if (folder && folder[0] == '/')
    return ts_path_join(folder, "tessera/config.json"); /* XDG: relative ones are ignored */
  const char *home = getenv("HOME");
  return home && *home != '\0' ? ts_path_join(home, ".config/tessera/config.json") : NULL;
}

bool ts_settings_find(struct ts_settings *settings, const struct ts_arguments *arguments, struct ts_faults *faults) {
  memset(settings, 0, sizeof *settings);
  size_t before = faults->count;
  const char *folder = ts_arguments_get(arguments, "folder");
  offer_options(settings, arguments);
  offer_environment(settings, faults);
  ts_auto_free char *project = ts_path_join(folder ? folder : ".", "tessera.json");
  ts_settings_read_file(settings, ts_str_starts_with(project, "./") ? project + 2 : project, faults);
  ts_auto_free char *user = user_file();
  if (user) ts_settings_read_file(settings, user, faults);
  for (int i = 0; i < TS_SETTING_COUNT; i++) {
    ts_setting_offer(settings, (enum ts_setting_id)i, ts_setting_kinds[i].fallback, "default");
  }
  return faults->count == before;
}

void ts_settings_release(struct ts_settings *settings) {
  for (int i = 0; i < TS_SETTING_COUNT; i++) {
    free(settings->items[i].value);
    free(settings->items[i].origin);
  }
  memset(settings, 0, sizeof *settings);
}
