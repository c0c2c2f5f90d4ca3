/* Typed requests of tessera_requests.h, brought to the one that is used inside.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program may have been compiled with an older or newer header: a request that is shorter than the one known here has
 * zero in the rest, a longer one is taken as long as what is not known here is zero. */
#include "request/typed.h"

#include "base/version.h"

#include <string.h>

#include "request/typed_fields.inc"

/* All lists: Y(name, NAME). */
#define REQUESTS(Y)                                                                                                    \
  Y(check, CHECK)                                                                                                      \
  Y(list, LIST)                                                                                                        \
  Y(init, INIT)                                                                                                        \
  Y(project, PROJECT)                                                                                                  \
  Y(plan, PLAN)                                                                                                        \
  Y(run, RUN)                                                                                                          \
  Y(study, STUDY)                                                                                                      \
  Y(work, WORK)                                                                                                        \
  Y(status, STATUS)                                                                                                    \
  Y(task, TASK)                                                                                                        \
  Y(costs, COSTS)                                                                                                      \
  Y(verify, VERIFY)                                                                                                    \
  Y(compare, COMPARE)                                                                                                  \
  Y(usage, USAGE)                                                                                                      \
  Y(gc, GC)                                                                                                            \
  Y(report, REPORT)                                                                                                    \
  Y(sample, SAMPLE)                                                                                                    \
  Y(analyse, ANALYSE)                                                                                                  \
  Y(schedule, SCHEDULE)                                                                                                \
  Y(tune, TUNE)                                                                                                        \
  Y(bench, BENCH)                                                                                                      \
  Y(operation, OPERATION)                                                                                              \
  Y(new, NEW)

/* A field has the same type on both sides. */
#define SAME_TYPE(call, field)                                                                                         \
  _Static_assert(_Generic(&((struct tessera_##call##_request *)0)->field,                                              \
                          __typeof__(&((struct ts_request *)0)->field) : 1, default : 0),                              \
                 #call "." #field);
#define CHECK(name, NAME) NAME##_FIELDS(SAME_TYPE)
REQUESTS(CHECK)

#define FIELD(call, field)                                                                                             \
  {#field, offsetof(struct tessera_##call##_request, field), offsetof(struct ts_request, field),                       \
   sizeof((struct ts_request *)0)->field},
#define TABLE(name, NAME) static const struct ts_typed_field name##_fields[] = {NAME##_FIELDS(FIELD)};
REQUESTS(TABLE)

#define TYPE(name, NAME)                                                                                               \
  const struct ts_request_type ts_##name##_request = {"tessera_" #name "_request",                                     \
                                                      sizeof(struct tessera_##name##_request), name##_fields,          \
                                                      sizeof name##_fields / sizeof name##_fields[0]};
REQUESTS(TYPE)

#define MOST_BYTES ((size_t)1 << 16) /* larger: it was not initialised */

/* Whether all bytes behind the fields that are known here are zero, which is the default of every field. */
static bool is_known(const char *bytes, size_t known, size_t size) {
  for (size_t i = known; i < size; i++)
    if (bytes[i] != 0) return false;
  return true;
}

bool ts_request_adopt(const struct ts_request_type *type, const void *given, struct ts_request *request,
                      struct ts_error *err) {
  const char *bytes = given;
  size_t size = 0;
  memcpy(&size, given, sizeof size);
  *request = (struct ts_request){0};
  if (size < type->fields[0].at + type->fields[0].bytes || size > MOST_BYTES) {
    ts_fail(err, TS_ERR_USAGE, "the request says that it has %zu bytes, which no version of it has", size);
    ts_error_help(err, "begin every request with TESSERA_INIT(struct %s)", type->name);
    return false;
  }
  if (!is_known(bytes, type->size_bytes, size)) {
    ts_fail(err, TS_ERR_USAGE, "the request uses fields that this library, version %s, does not know", TS_VERSION);
    ts_error_help(err, "use the library of the header that the program was compiled with, or a newer one");
    return false;
  }
  for (size_t i = 0; i < type->field_count; i++) {
    const struct ts_typed_field *field = &type->fields[i];
    if (field->at + field->bytes <= size) memcpy((char *)request + field->to, bytes + field->at, field->bytes);
  }
  return true;
}
