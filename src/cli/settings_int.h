/* What the places of settings share: which settings there are and which values they take.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_SETTINGS_INT_H
#define TS_CLI_SETTINGS_INT_H

#include "base/error.h"
#include "cli/settings.h"

struct ts_setting_kind {
  const char *name;     /* in files and in the option of the same name */
  const char *variable; /* in the environment */
  const char *fallback; /* the default */
};
extern const struct ts_setting_kind ts_setting_kinds[TS_SETTING_COUNT];

/* Whether the option of the same name would take the text; sets the error (USAGE) if not. */
bool ts_setting_fits(enum ts_setting_id id, const char *where, const char *text, struct ts_error *err);
/* Takes value and origin (copied) unless an earlier place had the setting. */
void ts_setting_offer(struct ts_settings *settings, enum ts_setting_id id, const char *value, const char *origin);
/* Offers what a file has; one that is not there has nothing. All its faults are added, with their places. */
void ts_settings_read_file(struct ts_settings *settings, const char *file, struct ts_faults *faults);

#endif
