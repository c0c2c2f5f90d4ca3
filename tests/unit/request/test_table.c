/* The table of options, the request inside and the typed requests: what one of them has, the others have too.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/file.h"
#include "request/table.h"
#include "request/typed.h"

#include <stdlib.h>
#include <string.h>

/* The commands of each typed request, and the fields in it that are no options of theirs. */
static const struct {
  const struct ts_request_type *type;
  enum ts_command_id commands[2];
  size_t command_count;
  const char *fields[10];
} types[] = {
    {&ts_check_request, {TS_COMMAND_CHECK}, 1, {"file"}},
    {&ts_list_request, {TS_COMMAND_LIST}, 1, {"file"}},
    {&ts_init_request, {TS_COMMAND_INIT}, 1, {NULL}},
    {&ts_plan_request, {TS_COMMAND_PLAN}, 1, {"file", "single"}},
    {&ts_run_request,
     {TS_COMMAND_RUN},
     1,
     {"file", "command", "program", "watch", "stop", "observer", "operations", "operations_count"}},
    {&ts_study_request,
     {TS_COMMAND_STUDY},
     1,
     {"file", "command", "program", "watch", "stop", "observer", "operations", "operations_count"}},
    {&ts_work_request, {TS_COMMAND_WORKER}, 1, {"watch", "stop"}},
    {&ts_status_request, {TS_COMMAND_STATUS}, 1, {"run"}},
    {&ts_task_request, {TS_COMMAND_LOG, TS_COMMAND_EXPLAIN}, 2, {"task"}},
    {&ts_compare_request, {TS_COMMAND_COMPARE}, 1, {"runs", "run_count"}},
    {&ts_report_request, {TS_COMMAND_REPORT}, 1, {"run"}},
    {&ts_verify_request, {TS_COMMAND_STORE}, 1, {"file", "watch", "stop", "observer"}},
    {&ts_gc_request, {TS_COMMAND_STORE}, 1, {"stop"}},
    {&ts_sample_request, {TS_COMMAND_SAMPLE}, 1, {"on_text", "text_user", "stop", "observer"}},
    {&ts_analyse_request, {TS_COMMAND_ANALYSE}, 1, {"stop", "observer"}},
    {&ts_schedule_request, {TS_COMMAND_SCHEDULE}, 1, {"file", "stop"}},
    {&ts_tune_request, {TS_COMMAND_TUNE}, 1, {"stop", "observer"}},
    {&ts_bench_request, {TS_COMMAND_BENCH}, 1, {"file"}},
    {&ts_operation_request, {TS_COMMAND_CALL}, 1, {"operation", "watch"}},
    {&ts_new_request, {TS_COMMAND_NEW}, 1, {"file"}},
};

static const struct ts_typed_field *field_at(const struct ts_request_type *type, size_t to) {
  for (size_t i = 0; i < type->field_count; i++)
    if (type->fields[i].to == to) return &type->fields[i];
  return NULL;
}

/* Whether an option of these commands sets the field, or says whether it was given. */
static bool is_option(size_t type, size_t to) {
  for (size_t i = 0; i < ts_option_row_count; i++) {
    const struct ts_option_row *row = &ts_option_rows[i];
    if (row->shown.is_program || (row->member != to && !(row->given && row->given == to))) continue;
    for (size_t c = 0; c < types[type].command_count; c++)
      if (row->commands & TS_COMMAND_BIT(types[type].commands[c])) return true;
  }
  return false;
}

/* Whether an option of 'store' is for another topic than this one, as its help says; --yes is for what removes
 * something. */
static bool is_elsewhere(const struct tessera_option *option, const struct ts_request_type *type) {
  const bool is_gc = type == &ts_gc_request;
  const bool is_of_all = strcmp(option->name, "folder") == 0 || strcmp(option->name, "store") == 0;
  const bool is_of_gc = strncmp(option->help, "'gc'", 4) == 0 || strcmp(option->name, "yes") == 0;
  return !is_of_all && is_of_gc != is_gc;
}

static void every_option_is_a_field_of_the_typed_request(void **state) {
  (void)state;
  for (size_t t = 0; t < COUNT_OF(types); t++) {
    for (size_t i = 0; i < ts_option_row_count; i++) {
      const struct ts_option_row *row = &ts_option_rows[i];
      if (row->shown.is_program) continue;
      if (!(row->commands & TS_COMMAND_BIT(types[t].commands[0]))) continue;
      if (is_elsewhere(&row->shown, types[t].type)) continue;
      if (!field_at(types[t].type, row->member))
        fail_msg("'%s' has no field '%s' for --%s", types[t].type->name, row->member_name, row->shown.name);
      if (row->given && !field_at(types[t].type, row->given))
        fail_msg("'%s' does not say whether '%s' is given", types[t].type->name, row->member_name);
    }
  }
}

static void every_field_of_a_typed_request_is_an_option(void **state) {
  (void)state;
  for (size_t t = 0; t < COUNT_OF(types); t++) {
    for (size_t i = 0; i < types[t].type->field_count; i++) {
      const struct ts_typed_field *field = &types[t].type->fields[i];
      bool listed = false;
      for (size_t k = 0; types[t].fields[k]; k++) listed |= strcmp(types[t].fields[k], field->name) == 0;
      if (listed == is_option(t, field->to))
        fail_msg("'%s' of '%s' is %s", field->name, types[t].type->name, listed ? "an option too" : "not an option");
    }
  }
}

/* No field of the struct is missing in its list: between those that are listed there is only padding. */
static void lists_of_fields_are_complete(void **state) {
  (void)state;
  for (size_t t = 0; t < COUNT_OF(types); t++) {
    const struct ts_request_type *type = types[t].type;
    size_t end = sizeof(size_t);
    for (size_t i = 0; i <= type->field_count; i++) {
      const size_t at = i < type->field_count ? type->fields[i].at : type->size_bytes;
      const size_t align = i < type->field_count && type->fields[i].bytes < 8 ? type->fields[i].bytes : 8;
      assert_true(at >= end);
      if (at - end >= align) fail_msg("'%s' has a field before byte %zu that is not listed", type->name, at);
      if (i < type->field_count) end = at + type->fields[i].bytes;
    }
  }
}

/* ---- every field of the request inside ---- */

/* Fields that no option of the table sets. */
static const char *const no_options[] = {"file", "command", "program",   "watch", "single",   "run",      "runs",
                                         "task", "on_text", "text_user", "stop",  "observer", "operation"};

static char *header(void) {
  struct ts_str text = {0};
  struct ts_error err = {0};
  char *path = ts_path_join(getenv("TESSERA_SOURCE_DIR") ? getenv("TESSERA_SOURCE_DIR") : ".", "src/request/request.h");
  assert_true(ts_file_read(path, 0, &text, &err));
  free(path);
  return ts_str_detach(&text);
}

/* Comments become blanks. */
static void blank_comments(char *text) {
  for (char *open; (open = strstr(text, "/*"));) {
    const char *close = strstr(open, "*/");
    assert_non_null(close);
    while (open < close + 2) *open++ = ' ';
  }
}

static bool is_set(const char *name) {
  for (size_t i = 0; i < ts_option_row_count; i++)
    if (ts_option_rows[i].member_name && strcmp(ts_option_rows[i].member_name, name) == 0) return true;
  for (size_t i = 0; i < COUNT_OF(no_options); i++)
    if (strcmp(no_options[i], name) == 0) return true;
  const size_t length = strlen(name);
  return strncmp(name, "has_", 4) == 0 || strcmp(name, "resume") == 0 ||
         (length > 6 && strcmp(name + length - 6, "_count") == 0);
}

/* The names that a declaration ends with: "const char *keys, *cost". A function pointer is named in brackets. */
static void check_declaration(char *declaration, size_t *count) {
  char *function = strstr(declaration, "(*"), *rest = NULL;
  if (function) {
    declaration = function + 2;
    declaration[strcspn(declaration, ")")] = '\0';
  }
  for (char *part = strtok_r(declaration, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
    size_t end = strlen(part);
    while (end > 0 && strchr(" \n", part[end - 1])) part[--end] = '\0';
    while (end > 0 && !strchr(" \n*", part[end - 1])) end--;
    if (!is_set(part + end)) fail_msg("no option sets the field '%s'", part + end);
    (*count)++;
  }
}

static void every_field_is_set_by_an_option(void **state) {
  (void)state;
  char *text = header();
  blank_comments(text);
  char *body = strstr(text, "struct ts_request {"), *rest = NULL;
  assert_non_null(body);
  body += strlen("struct ts_request {");
  *strchr(body, '}') = '\0';
  size_t count = 0;
  for (char *line = strtok_r(body, ";", &rest); line; line = strtok_r(NULL, ";", &rest))
    if (line[strspn(line, " \n")] != '\0') check_declaration(line, &count);
  assert_true(count > 80); /* the header was read */
  assert_false(is_set("nonsense"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_option_is_a_field_of_the_typed_request),
      cmocka_unit_test(every_field_of_a_typed_request_is_an_option),
      cmocka_unit_test(lists_of_fields_are_complete),
      cmocka_unit_test(every_field_is_set_by_an_option),
  };
  return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
