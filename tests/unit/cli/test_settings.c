/* Settings: which place wins, where each comes from, and faults of configuration files with their places.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/cli/fake_tessera.h"

#include "base/const.h"
#include "base/file.h"
#include "cli/settings.h"

static char folder[64];

static void put(const char *name, const char *text) {
  char path[160];
  struct ts_error err = {0};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *parent = ts_path_folder(path);
  assert_true(ts_folder_create(parent, &err));
  assert_true(ts_file_write(path, text, strlen(text), &err));
  free(parent);
}

static int enter(void **state) {
  (void)state;
  static const char *const variables[] = {"TESSERA_JOBS",     "TESSERA_STORE",   "TESSERA_COLOR",
                                          "TESSERA_PROGRESS", "TESSERA_SCRATCH", "NO_COLOR"};
  for (size_t i = 0; i < COUNT_OF(variables); i++) unsetenv(variables[i]);
  scratch_create(folder);
  char config[96];
  snprintf(config, sizeof config, "%s/config", folder);
  setenv("XDG_CONFIG_HOME", config, 1);
  return 0;
}

static int leave(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

/* Asserts value and origin of a setting for "tessera -C FOLDER WORDS". */
static void assert_setting(const char *option, enum ts_setting_id id, const char *value, const char *origin) {
  const char *words[] = {"tessera", "-C", folder, "check", option};
  struct ts_arguments arguments;
  struct ts_error err = {0};
  struct ts_settings settings;
  struct ts_faults faults = {0};
  assert_true(ts_arguments_parse(&arguments, option ? 5 : 4, ts_without_const(words), &err));
  assert_true(ts_settings_find(&settings, &arguments, &faults));
  assert_string_equal(ts_setting_get(&settings, id), value);
  const char *found = settings.items[id].origin;
  bool in_folder = ts_str_starts_with(found, folder);
  assert_string_equal(in_folder ? found + strlen(folder) + 1 : found, origin);
  ts_settings_release(&settings);
  ts_arguments_release(&arguments);
}

static void defaults_come_last(void **state) {
  (void)state;
  assert_setting(NULL, TS_SETTING_JOBS, "0", "default");
  assert_setting(NULL, TS_SETTING_STORE, ".tessera", "default");
  assert_setting(NULL, TS_SETTING_COLOR, "auto", "default");
  assert_setting(NULL, TS_SETTING_PROGRESS, "auto", "default");
}

/* Puts the places in, from the weakest to the strongest, and looks after each. */
static void each_place_overrides_the_next(void **state) {
  (void)state;
  put("config/tessera/config.json",
      "{\n  \"jobs\": 2,\n  \"store\": \"user\",\n  \"color\": \"never\", \"progress\": \"none\"}");
  assert_setting(NULL, TS_SETTING_JOBS, "2", "config/tessera/config.json:2:11");
  assert_setting(NULL, TS_SETTING_STORE, "user", "config/tessera/config.json:3:12");
  assert_setting(NULL, TS_SETTING_COLOR, "never", "config/tessera/config.json:4:12");
  assert_setting(NULL, TS_SETTING_PROGRESS, "none", "config/tessera/config.json:4:33");
  put("tessera.json", "{\"jobs\": 3, \"store\": \"project\", \"color\": \"auto\", \"progress\": \"json\"}");
  assert_setting(NULL, TS_SETTING_JOBS, "3", "tessera.json:1:10");
  assert_setting(NULL, TS_SETTING_STORE, "project", "tessera.json:1:22");
  assert_setting(NULL, TS_SETTING_COLOR, "auto", "tessera.json:1:42");
  assert_setting(NULL, TS_SETTING_PROGRESS, "json", "tessera.json:1:62");
  setenv("NO_COLOR", "1", 1);
  assert_setting(NULL, TS_SETTING_COLOR, "never", "NO_COLOR");
  assert_setting(NULL, TS_SETTING_SCRATCH, "4 x memory", "default");
  put("tessera.json", "{\"scratch\": \"20G\"}");
  assert_setting(NULL, TS_SETTING_SCRATCH, "20G", "tessera.json:1:13");
  setenv("TESSERA_SCRATCH", "2G", 1);
  assert_setting(NULL, TS_SETTING_SCRATCH, "2G", "TESSERA_SCRATCH");
  assert_setting("--scratch=1.5G", TS_SETTING_SCRATCH, "1.5G", "option");
  setenv("TESSERA_JOBS", "4", 1);
  setenv("TESSERA_STORE", "variable", 1);
  setenv("TESSERA_COLOR", "always", 1);
  setenv("TESSERA_PROGRESS", "plain", 1);
  assert_setting(NULL, TS_SETTING_JOBS, "4", "TESSERA_JOBS");
  assert_setting(NULL, TS_SETTING_STORE, "variable", "TESSERA_STORE");
  assert_setting(NULL, TS_SETTING_COLOR, "always", "TESSERA_COLOR");
  assert_setting(NULL, TS_SETTING_PROGRESS, "plain", "TESSERA_PROGRESS");
  assert_setting("-j5", TS_SETTING_JOBS, "5", "option");
  assert_setting("--store=option", TS_SETTING_STORE, "option", "option");
  assert_setting("--color=never", TS_SETTING_COLOR, "never", "option");
  assert_setting("--progress=auto", TS_SETTING_PROGRESS, "auto", "option");
}

static void empty_variables_count_as_unset(void **state) {
  (void)state;
  setenv("NO_COLOR", "", 1);
  setenv("TESSERA_JOBS", "", 1);
  assert_setting(NULL, TS_SETTING_COLOR, "auto", "default");
  assert_setting(NULL, TS_SETTING_JOBS, "0", "default");
}

static struct ts_faults faults_of_project(void) {
  const char *words[] = {"tessera", "-C", folder, "check"};
  struct ts_arguments arguments;
  struct ts_error err = {0};
  struct ts_settings settings;
  struct ts_faults faults = {0};
  assert_true(ts_arguments_parse(&arguments, 4, ts_without_const(words), &err));
  assert_false(ts_settings_find(&settings, &arguments, &faults));
  ts_settings_release(&settings);
  ts_arguments_release(&arguments);
  return faults;
}

static void all_faults_of_a_file_are_told(void **state) {
  (void)state;
  put("tessera.json", "{\n  \"job\": 3,\n  \"store\": 5,\n  \"color\": \"allways\",\n  \"jobs\": -1\n}");
  char file[96];
  snprintf(file, sizeof file, "%s/tessera.json", folder);
  struct ts_faults faults = faults_of_project();
  assert_int_equal(faults.count, 4);
  assert_error(&faults.items[0], TS_ERR_UNKNOWN_KEY);
  assert_string_equal(faults.items[0].text, "unknown setting 'job'");
  assert_string_equal(faults.items[0].help, "did you mean 'jobs'?");
  assert_place(&faults.items[0], file, 2, 3);
  assert_error(&faults.items[1], TS_ERR_WRONG_TYPE);
  assert_string_equal(faults.items[1].help, "give it a string");
  assert_place(&faults.items[1], file, 3, 12);
  assert_error(&faults.items[2], TS_ERR_BAD_VALUE);
  assert_string_equal(faults.items[2].help, "did you mean 'always'? it takes auto, always or never");
  assert_place(&faults.items[2], file, 4, 12);
  assert_error(&faults.items[3], TS_ERR_BAD_VALUE);
  assert_place(&faults.items[3], file, 5, 11);
  ts_faults_release(&faults);
}

static void files_that_are_no_settings(void **state) {
  (void)state;
  put("tessera.json", "[1]");
  struct ts_faults faults = faults_of_project();
  assert_int_equal(faults.count, 1);
  assert_error(&faults.items[0], TS_ERR_WRONG_TYPE);
  assert_int_equal(faults.items[0].where.line, 1);
  ts_faults_release(&faults);
  put("tessera.json", "{\"jobs\": 3,}");
  faults = faults_of_project();
  assert_int_equal(faults.count, 1);
  assert_error(&faults.items[0], TS_ERR_JSON_SYNTAX);
  assert_int_equal(faults.items[0].where.column, 12);
  ts_faults_release(&faults);
}

static void wrong_variables_are_usage_errors(void **state) {
  (void)state;
  setenv("TESSERA_JOBS", "many", 1);
  struct ts_faults faults = faults_of_project();
  assert_int_equal(faults.count, 1);
  assert_error(&faults.items[0], TS_ERR_USAGE);
  assert_string_equal(faults.items[0].text, "'many' is not a number that 'TESSERA_JOBS' takes");
  ts_faults_release(&faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(defaults_come_last, enter, leave),
      cmocka_unit_test_setup_teardown(each_place_overrides_the_next, enter, leave),
      cmocka_unit_test_setup_teardown(empty_variables_count_as_unset, enter, leave),
      cmocka_unit_test_setup_teardown(all_faults_of_a_file_are_told, enter, leave),
      cmocka_unit_test_setup_teardown(files_that_are_no_settings, enter, leave),
      cmocka_unit_test_setup_teardown(wrong_variables_are_usage_errors, enter, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
