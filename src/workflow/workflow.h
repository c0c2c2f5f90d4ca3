/* A workflow as data: parameters, typed ports, stages and their tasks, checked and resolved into one graph of tasks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading gathers all faults of a file at once. A workflow that was read without faults is read-only from then on. */
#ifndef TS_WORKFLOW_WORKFLOW_H
#define TS_WORKFLOW_WORKFLOW_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "base/value.h"
#include "data/data.h"
#include "op/op.h"
#include "workflow/distribution.h"
#include "workflow/unit.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_NONE ((size_t)-1)

/* How often a stage runs: once per tile, per file (image) or per dataset. Ordered from fine to coarse. */
enum ts_scope { TS_PER_TILE, TS_PER_FILE, TS_PER_DATASET };
#define TS_SCOPE_COUNT (TS_PER_DATASET + 1)
/* Limits of "sample_px": below the first a sample has less than one block (image/sample.h). */
#define TS_SAMPLE_PX_MIN 65536
#define TS_SAMPLE_PX_MAX 268435456
const char *ts_scope_name(enum ts_scope scope); /* as in "per": tile, file, dataset */

/* One parameter. `domain`: accepted by the operation. `levels` or `range`: drawn by designs (none: not varied). */
struct ts_parameter {
  const char *name;
  const char *help; /* "" if none */
  enum ts_value_type type;
  enum ts_unit unit; /* numbers: of all values here; operations get pixels. Domains of operations are in pixels */
  bool has_domain;
  double domain_low, domain_high; /* numbers, both ends included; that of the operations if the file declares none */
  const struct ts_value *choices; /* strings: the allowed ones; NULL: any */
  size_t choice_count;
  const struct ts_value *levels; /* the grid, in order; NULL without one */
  size_t level_count;
  /* Whether designs vary it freely between two ends. Without "range" in the file these are the ends of the
   * distribution, or where it is TS_TINY_PROBABILITY from its end. */
  bool has_range;
  double range_low, range_high;
  struct ts_distribution distribution; /* between the ends; of integers half a unit wider, and rounded */
  const double *shares; /* per level: the share of it and all before it, 1 for the last; NULL: equal shares */
  struct ts_value default_value;
  const char *group; /* parameters of one group are varied together by designs for groups; NULL: none */
};

/* Where an input of a task, or the whole workflow, comes from. */
enum ts_source_kind { TS_SOURCE_NONE, TS_SOURCE_INPUT, TS_SOURCE_TASK };
struct ts_source {
  enum ts_source_kind kind;
  size_t index; /* of the workflow input, or of the task */
  size_t port;  /* output port of the task's operation */
};

/* An input that the dataset must supply, per tile (pixels) or per file (anything else). */
struct ts_workflow_input {
  const char *name;
  const char *help;
  const struct ts_type *type; /* NULL when the declaration has alternatives ("mask|labels") */
  const char *declaration;    /* as written */
  bool optional;              /* tasks that need it are left out when the dataset does not supply it */
  /* "default_run": "segment.mask": without a file this input is that product of the run with default parameters. */
  struct ts_source default_run;
};

/* A parameter of a task's operation: bound to a workflow parameter, or fixed. */
struct ts_binding {
  size_t parameter;      /* index in the workflow, or TS_NONE */
  struct ts_value fixed; /* if parameter is TS_NONE */
  enum ts_unit unit;     /* of the parameter: the operation gets the value in pixels */
};

struct ts_task {
  const char *name;
  size_t stage;
  struct ts_op *op;                    /* borrowed from the registry */
  const struct ts_source *inputs;      /* op->descriptor->input_count entries */
  const bool *core;                    /* per input: whether tiles lose their halo before they enter (see "region") */
  const struct ts_binding *parameters; /* op->descriptor->parameter_count entries */
};

struct ts_stage_output {
  const char *name;
  struct ts_source source; /* a task of this stage */
};

struct ts_stage {
  const char *name;
  enum ts_scope scope;
  /* "sample_px": this stage per file sees at most so many pixels of each image of the dataset; 0: all of them. */
  int64_t sample_px;
  size_t first_task; /* tasks of a stage are consecutive in ts_workflow.tasks */
  size_t task_count;
  const struct ts_stage_output *outputs;
  size_t output_count;
};

enum ts_comparison { TS_LESS, TS_LESS_EQUAL, TS_GREATER, TS_GREATER_EQUAL, TS_EQUAL, TS_NOT_EQUAL };
/* "minSize < maxSize": each side a parameter (index) or a number (parameter TS_NONE). */
struct ts_constraint {
  const char *text; /* as written */
  size_t left, right;
  double left_number, right_number;
  enum ts_comparison comparison;
};

struct ts_workflow {
  struct ts_arena arena; /* owns everything below */
  const char *file;
  const char *name;
  const char *help;
  const struct ts_workflow_input *inputs;
  size_t input_count;
  const struct ts_parameter *parameters;
  size_t parameter_count;
  const struct ts_stage *stages; /* in an order in which every stage follows those it needs */
  size_t stage_count;
  const struct ts_task *tasks; /* in an order in which every task follows those it needs */
  size_t task_count;
  const struct ts_constraint *constraints;
  size_t constraint_count;
};

/* Reads and checks a workflow file. Operation files it names ("operations": ["./libx.so", "fit.json"]) are loaded into
 * the registry, relative to the workflow's folder. NULL if there was any fault; all faults are in `faults`, with
 * places. */
struct ts_workflow *ts_workflow_read(const char *file, struct ts_registry *registry, struct ts_faults *faults);
/* The same, and leaves the document open, also after faults. */
struct ts_workflow *ts_workflow_read_doc(struct ts_json_doc *doc, const char *file, struct ts_registry *registry,
                                         struct ts_faults *faults);
/* Opens a workflow or study file. Unlike ts_json_doc_open it names every key that occurs twice (two producers,
 * duplicate name) and goes on with the first of the two: true with new faults then. False: the file is not JSON at
 * all. */
bool ts_workflow_open(struct ts_json_doc *doc, const char *file, struct ts_faults *faults);
/* The same as ts_workflow_read for a document that is open. */
struct ts_workflow *ts_workflow_parse(const struct ts_json_doc *doc, struct ts_registry *registry,
                                      struct ts_faults *faults);
void ts_workflow_destroy(struct ts_workflow *workflow);

bool ts_workflow_find_parameter(const struct ts_workflow *workflow, const char *name, size_t *index);
bool ts_workflow_find_input(const struct ts_workflow *workflow, const char *name, size_t *index);
/* An input that others are compared with: one with a default_run, or one called "reference". */
bool ts_is_reference_input(const struct ts_workflow_input *input);
/* Names of columns of a manifest that no input can have: "mpp", "level", "tissue", "split". */
bool ts_is_reserved_column(const char *name);
/* Objects that tiles cut go as pieces, of a type that chains, to a task of a coarser stage. Whether a task makes such
 * pieces, so that its other products are those of one tile; and the task whose pieces a task joins, or TS_NONE. */
bool ts_task_makes_pieces(const struct ts_workflow *workflow, size_t task);
size_t ts_task_joins(const struct ts_workflow *workflow, size_t task);
bool ts_workflow_find_stage(const struct ts_workflow *workflow, const char *name, size_t *index);
/* "segment.mask" -> its source; the help of the error lists what there is. */
bool ts_workflow_find_output(const struct ts_workflow *workflow, const char *name, struct ts_source *source,
                             struct ts_error *err);
/* "segment.split" for messages. The buffer is the caller's. */
const char *ts_task_name(const struct ts_workflow *workflow, size_t task, char *buffer, size_t size);
/* Whether a value lies in the parameter's domain. */
bool ts_parameter_check(const struct ts_parameter *parameter, const struct ts_value *value, struct ts_error *err);
/* Whether a whole set of values (one per parameter) satisfies all constraints; the error names the first violated
 * one. */
bool ts_workflow_check_set(const struct ts_workflow *workflow, const struct ts_value *values, struct ts_error *err);
/* The value at a share of the probability, for a parameter whose distribution is not uniform. */
struct ts_value ts_parameter_at(const struct ts_parameter *parameter, double unit);
/* Whether two numbers satisfy a comparison. */
bool ts_constraint_holds(const struct ts_constraint *constraint, double left, double right);
/* "<", "<=", ... as constraints have it. */
const char *ts_comparison_sign(enum ts_comparison comparison);
/* "constraints" of a space file: sides are indices of `parameters`. Without parameters_known, unknown names are not
 * reported: they may be those of parameters that could not be read. */
bool ts_constraints_parse(const struct ts_json_doc *doc, const json_t *list, const char *pointer,
                          const struct ts_parameter *const *parameters, size_t parameter_count, bool parameters_known,
                          struct ts_arena *arena, const struct ts_constraint **constraints, size_t *count,
                          struct ts_faults *faults);
/* One parameter object of a workflow or space file ("parameters" entry); shared with design/space.c. */
bool ts_parameter_parse(const struct ts_json_doc *doc, const json_t *object, const char *pointer, const char *name,
                        struct ts_arena *arena, struct ts_parameter *parameter, struct ts_faults *faults);
/* Whether this can be the name of a workflow, study, stage or parameter: names appear in file names, on the command
 * line and in table headers, hence the narrow rule. If not, BAD_NAME; `what` as in "a study". */
bool ts_name_check(const char *name, const char *what, struct ts_error *err);

#endif
