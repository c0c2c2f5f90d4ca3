/* Settings that may come from several places: an option, the environment, the project, the user's file, the default.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_SETTINGS_H
#define TS_CLI_SETTINGS_H

#include "base/error.h"
#include "cli/arguments.h"

#include <stdbool.h>

enum ts_setting_id {
  TS_SETTING_JOBS,
  TS_SETTING_STORE,
  TS_SETTING_COLOR,
  TS_SETTING_PROGRESS,
  TS_SETTING_SCRATCH,
  TS_SETTING_COUNT
};

struct ts_setting {
  char *value;  /* owned */
  char *origin; /* owned; "option", "TESSERA_JOBS", "tessera.json:2:11", "default" */
};

struct ts_settings {
  struct ts_setting items[TS_SETTING_COUNT];
};

/* Finds every setting; the first place that has it wins. A setting that is wrong is an error even where another place
 * would win: the user should know. */
bool ts_settings_find(struct ts_settings *settings, const struct ts_arguments *arguments, struct ts_faults *faults);
void ts_settings_release(struct ts_settings *settings);
const char *ts_setting_name(enum ts_setting_id id);
const char *ts_setting_get(const struct ts_settings *settings, enum ts_setting_id id);
/* The number of jobs; 0: one for each CPU. */
size_t ts_settings_jobs(const struct ts_settings *settings);

#endif
