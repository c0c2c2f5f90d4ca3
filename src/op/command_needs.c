/* "needs" of a command manifest: what a call of the command needs of the machine.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

#include "base/size.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t read_count(const struct ts_reader *reader, const json_t *object, const char *name) {
  const json_t *value = ts_reader_get(object, name, TS_WANT_INTEGER);
  if (!value) return 0;
  const json_int_t number = json_integer_value(value);
  if (number >= 1 && number <= TS_OP_MOST_NEEDED) return (uint32_t)number;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, ts_reader_child(reader, "/needs", name),
                                         TS_JSON_VALUE, "%lld is not a number of '%s'", (long long)number, name);
  ts_error_help(err, "give a whole number from 1 to %d, or leave it out", TS_OP_MOST_NEEDED);
  return 0;
}

static uint64_t read_memory(const struct ts_reader *reader, const json_t *object) {
  const char *text = ts_reader_string(reader, object, "memory");
  uint64_t bytes = 0;
  if (!text || (ts_parse_bytes(text, &bytes) && bytes <= TS_OP_MOST_NEEDED_BYTES)) return bytes;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, "/needs/memory", TS_JSON_VALUE,
                                         "'%s' is not an amount of memory", text);
  ts_error_help(err, "give a number with k, M, G or T, such as \"800M\" or \"8G\"");
  return 0;
}

static const char *read_site(const struct ts_reader *reader, const json_t *object) {
  const char *site = ts_reader_string(reader, object, "site");
  if (!site || ts_op_site_allowed(site)) return site;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_NAME, "/needs/site", TS_JSON_VALUE,
                                         "the site '%s' has a name that is not allowed", site);
  ts_error_help(err, "use at most %d letters, digits, '.', '_' and '-'", TS_OP_SITE_MAX);
  return NULL;
}

void ts_command_read_needs(const struct ts_reader *reader, const json_t *manifest,
                           struct ts_op_descriptor *descriptor) {
  struct ts_field fields[] = {{.name = "cores", .want = TS_WANT_INTEGER, .example = "4"},
                              {.name = "memory", .want = TS_WANT_STRING, .example = "\"8G\""},
                              {.name = "gpu", .want = TS_WANT_INTEGER, .example = "1"},
                              {.name = "exclusive", .want = TS_WANT_BOOLEAN, .example = "true"},
                              {.name = "site", .want = TS_WANT_STRING, .example = "\"a\""},
                              {.name = "gang", .want = TS_WANT_INTEGER, .example = "4"}};
  const json_t *object = ts_reader_get(manifest, "needs", TS_WANT_OBJECT);
  if (!object) return;
  ts_reader_fields(reader, object, "/needs", "'needs'", fields, COUNT(fields));
  struct ts_op_needs *needs = ts_arena_alloc(reader->arena, sizeof *needs);
  *needs = (struct ts_op_needs){.struct_bytes = sizeof *needs,
                                .cores = read_count(reader, object, "cores"),
                                .memory_bytes = read_memory(reader, object),
                                .gpus = read_count(reader, object, "gpu"),
                                .exclusive = json_is_true(json_object_get(object, "exclusive")),
                                .site = read_site(reader, object),
                                .gang = read_count(reader, object, "gang")};
  descriptor->needs = needs;
}
