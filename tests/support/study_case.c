/* Sessions that nothing was opened for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/study_case.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "op/implementation.h"
#include "work/engine.h"
#include "work/planning.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Operations. ---- */

const char *const probe_columns[PROBE_COLUMNS] = {"size", "cells", "both", "found", "other", "share"};

/* A failure: probes are planned, not run. */
static int run_never(struct ts_op_call *call) {
  (void)call;
  return 1;
}

static const struct ts_op_port *const image_port[] = {TS_OP_PORT(.name = "image", .type = "image/gray8", .help = "")};
static const struct ts_op_port *const table_port[] = {TS_OP_PORT(.name = "table", .type = "table", .help = "")};
static const struct ts_op_parameter *const p_q[] = {
    TS_OP_PARAMETER(.name = "p", .type = TS_OP_REAL, .low = 0, .high = 1, .help = ""),
    TS_OP_PARAMETER(.name = "q", .type = TS_OP_REAL, .low = 0, .high = 1, .help = "")};
static const struct ts_op_column *const columns[] = {TS_OP_COLUMN("table", "size"),  TS_OP_COLUMN("table", "cells"),
                                                     TS_OP_COLUMN("table", "both"),  TS_OP_COLUMN("table", "found"),
                                                     TS_OP_COLUMN("table", "other"), TS_OP_COLUMN("table", "share")};
static const struct ts_op_column *const counts[] = {TS_OP_COLUMN("table", "cells")};
static const struct ts_op_term *const above[] = {TS_OP_TERM("both", 2)};
static const struct ts_op_term *const below[] = {TS_OP_TERM("found", 1), TS_OP_TERM("both", 1),
                                                 TS_OP_TERM("other", -0.5)};
static const struct ts_op_ratio *const ratios[] = {TS_OP_RATIO(TS_OP_COLUMN("table", "share"), above, 1, below, 3)};

#define PROBE(title, ins)                                                                                              \
  TS_OP_DESCRIPTOR_HEAD, .name = (title), .version = 1, .help = "", .inputs = (ins), .input_count = COUNT_OF(ins),     \
                         .outputs = table_port, .output_count = 1, .run = run_never
#define DECLARES                                                                                                       \
  .columns = columns, .column_count = COUNT_OF(columns), .ratios = ratios, .ratio_count = COUNT_OF(ratios),            \
  .counts = counts, .counts_count = COUNT_OF(counts)

/* In order of names, as the registry wants them. */
static const struct ts_op_descriptor operations[] = {
    {PROBE("probe.count", image_port), .parameters = p_q, .parameter_count = 2, DECLARES},
    {PROBE("probe.free", image_port), .parameters = p_q, .parameter_count = 2},
    {PROBE("probe.join", table_port), DECLARES},
};

struct ts_registry *probe_registry_create(void) {
  struct ts_implementation implementations[COUNT_OF(operations)];
  const struct ts_op_descriptor *descriptors[COUNT_OF(operations)];
  memset(implementations, 0, sizeof implementations);
  for (size_t i = 0; i < COUNT_OF(operations); i++) {
    implementations[i].operation = operations[i].name;
    descriptors[i] = &operations[i];
  }
  struct ts_registry *registry = toy_registry_create();
  ts_registry_add_built_in(registry, descriptors, COUNT_OF(operations), implementations, COUNT_OF(operations));
  return registry;
}

/* ---- Workflows. ---- */

#define PARAMETER(name, more) "\"" name "\": {\"type\": \"real\", \"range\": [0, 1], \"default\": 0.5" more "}"
#define WORKFLOW(group)                                                                                                \
  "{\"tessera\": 1, \"name\": \"probes\", \"inputs\": {\"image\": {\"type\": \"image/gray8\"}}, \"parameters\": "      \
  "{" PARAMETER("A", "") ", " PARAMETER("B", "") ", " PARAMETER("C", group) ", " PARAMETER(                            \
      "D",                                                                                                             \
      group) "}, "                                                                                                     \
             "\"stages\": ["                                                                                           \
             "{\"name\": \"tile\", \"per\": \"tile\", \"in\": {\"image\": \"image\"}, "                                \
             "\"out\": {\"table\": \"count.table\", \"free\": \"free.table\"}, \"tasks\": ["                           \
             "{\"name\": \"count\", \"op\": \"probe.count\", \"in\": {\"image\": \"image\"}, \"params\": {\"p\": "     \
             "\"A\", \"q\": "                                                                                          \
             "\"B\"}}, "                                                                                               \
             "{\"name\": \"free\", \"op\": \"probe.free\", \"in\": {\"image\": \"image\"}, \"params\": {\"p\": "       \
             "\"C\", \"q\": "                                                                                          \
             "\"D\"}}]}, "                                                                                             \
             "{\"name\": \"file\", \"per\": \"file\", \"in\": {\"table\": \"tile.table\"}, \"out\": {\"table\": "      \
             "\"join.table\"},"                                                                                        \
             " \"tasks\": [{\"name\": \"join\", \"op\": \"probe.join\", \"in\": {\"table\": \"table\"}}]}, "           \
             "{\"name\": \"all\", \"per\": \"dataset\", \"in\": {\"table\": \"file.table\"}, \"out\": {\"table\": "    \
             "\"join.table\"}, \"tasks\": [{\"name\": \"join\", \"op\": \"probe.join\", \"in\": {\"table\": "          \
             "\"table\"}}]}]}"

const char *const probe_workflow = WORKFLOW("");
const char *const probe_grouped_workflow = WORKFLOW(", \"group\": \"pair\"");

/* ---- Projects. ---- */

bool study_case_init(struct study_case *c, const char *workflow, const char *method, const char *outputs) {
  struct ts_error err = {0};
  ts_project_init(&c->project, &c->request);
  assert_true(ts_work_init(&c->work, &c->project, &c->issues));
  c->project.registry = probe_registry_create();
  c->project.workflow = toy_workflow(workflow, c->project.registry);
  const char *text =
      ts_arena_printf(&c->work.arena,
                      "{\"tessera\": 1, \"workflow\": \"w.json\", \"data\": {\"files\": [\"a.png\"]}, "
                      "\"method\": %s, \"outputs\": %s}",
                      method ? method : "{\"name\": \"morris\"}", outputs ? outputs : "[\"tile.table:size\"]");
  if (!ts_json_doc_parse(&c->project.doc, "study.json", text, strlen(text), &err)) fail_msg("%s\n%s", err.text, text);
  bool parsed = ts_study_file_parse(&c->project, &c->issues);
  ts_study_outputs_resolve(&c->project, &c->issues);
  return parsed && ts_issues_ok(&c->issues);
}

void study_case_images(struct study_case *c, const struct toy_image *images, size_t count, int64_t tile_px) {
  bool *supplied = ts_arena_array(&c->work.arena, c->project.workflow->input_count, sizeof *supplied);
  for (size_t i = 0; i < c->project.workflow->input_count; i++) supplied[i] = true;
  const struct toy_case toy = {.workflow = c->project.workflow, .options.supplied = supplied};
  toy_dataset_init(&c->data, &toy, images, count, tile_px, 0);
  c->project.dataset = c->data.dataset;
  c->project.supplied = supplied;
}

void study_case_release(struct study_case *c) {
  toy_dataset_release(&c->data);
  ts_work_release(&c->work);
  ts_project_release(&c->project);
  ts_issues_release(&c->issues);
  *c = (struct study_case){0};
}

struct ts_plan *study_case_plan(struct study_case *c, const struct parameter_sets *sets) {
  size_t count = 0;
  struct ts_source *wanted = ts_planning_study_products(&c->work, &count);
  struct ts_plan *plan = ts_planning_make(&c->work, sets->values, sets->count, wanted, count, false, &c->issues);
  if (!plan) fail_msg("%s", study_case_faults(c));
  return plan;
}

const char *study_case_faults(const struct study_case *c) {
  static char text[4096];
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < c->issues.faults.count && length < sizeof text; i++)
    length +=
        (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "\n" : "", c->issues.faults.items[i].text);
  return text;
}

const char *study_case_warnings(const struct study_case *c) {
  static char text[4096];
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < c->issues.warning_count && length < sizeof text; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "\n" : "", c->issues.warnings[i]);
  return text;
}
