/* The passes of the workflow reader, and the drafts of stages and tasks that they share.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading goes in passes, each in a file of its own: the text (duplicate.c, read.c), inputs and parameters (input.c,
 * parameter.c), stages and tasks as written (draft.c), connections (connect.c), their types (fit.c), parameters of
 * operations (bind.c), constraints (constraint.c), the order and cycles (order.c), the finished workflow (build.c).
 * A part that a pass has complained about is marked (NULL, TS_LINK_BROKEN, ..._known), and later passes keep silent
 * about it. */
#ifndef TS_WORKFLOW_WORKFLOW_INT_H
#define TS_WORKFLOW_WORKFLOW_INT_H

#include "base/reader.h"
#include "workflow/workflow.h"

/* ts_name_check with a place (name.c). */
bool ts_reader_name(struct ts_reader *reader, const char *name, const char *pointer, enum ts_json_part part,
                    const char *what);

/* ---- drafts ---- */

enum ts_link_kind { TS_LINK_BROKEN, TS_LINK_INPUT, TS_LINK_STAGE, TS_LINK_STAGE_INPUT, TS_LINK_TASK };

/* One line of an "in" or "out": as written, and what it turned out to mean. */
struct ts_link {
  const char *name;
  const char *text; /* NULL: it was not a string; reported */
  const char *pointer;
  enum ts_link_kind kind;
  size_t index; /* of the workflow input, the stage, the stage's input, or the task in this stage */
  size_t port;  /* output of the stage, or of the task's operation */
  bool misfit;  /* its type was complained about */
  bool core;    /* inputs of a stage: named as "core" in its "region" */
};

struct ts_links {
  struct ts_link *items; /* owned by the scratch arena, like everything in a draft */
  size_t count;
  bool known; /* false: it could not be read as a whole, or a key is faulty */
};

struct ts_task_draft {
  const char *name; /* NULL: none that can be used; reported */
  const char *pointer;
  struct ts_op *op; /* NULL: unknown; reported */
  struct ts_links in;
  size_t *link_of_port; /* per input of the operation: index in `in`, or TS_NONE */
  const json_t *params;
  bool params_faulty;
  struct ts_binding *bindings; /* per parameter of the operation */
  size_t place;                /* in the finished workflow */
};

struct ts_stage_draft {
  const char *name; /* NULL: none that can be used; reported */
  const char *pointer;
  enum ts_scope scope;
  bool core_only; /* "region": "core": everything that its tasks take loses its halo */
  int64_t sample_px;
  struct ts_links in;
  struct ts_links out;
  struct ts_task_draft *tasks;
  size_t task_count;
  bool tasks_known; /* false: some task has no name, so that an unknown one may be it */
  size_t place;     /* in the finished workflow */
};

struct ts_input_draft {
  struct ts_workflow_input input;
  const char *pointer;
  const char *default_run; /* as written; NULL without */
  struct ts_link default_link;
};

struct ts_parameter_draft {
  struct ts_parameter parameter;
  const char *pointer;
  bool sound;      /* false: reported; its values must not be read */
  bool has_domain; /* declared in the file, not taken over from the operations */
  bool has_choices;
  bool used;
  bool clash; /* with an operation; reported */
};

/* Everything known while a workflow is read. */
struct ts_builder {
  struct ts_reader reader;
  struct ts_registry *registry; /* borrowed */
  struct ts_workflow *workflow; /* owned until handed out */
  struct ts_arena scratch;
  struct ts_input_draft *inputs;
  size_t input_count;
  bool inputs_known; /* the next three: false if an unknown name may be in a part that could not be read */
  struct ts_parameter_draft *parameters;
  size_t parameter_count;
  bool parameters_known;
  struct ts_stage_draft *stages;
  size_t stage_count;
  bool stages_known;
  bool operations_known; /* false: a file of operations could not be loaded */
  bool uses_known;       /* false: a task could not be read, which may use any parameter */
};

/* ---- the passes ---- */

/* If the only trouble with a text is keys that occur twice: reports them, wipes the second ones, parses the rest. */
bool ts_parse_with_duplicates(struct ts_json_doc *doc, const char *name, char *text, size_t length,
                              struct ts_faults *faults);
/* One draft per member of the object, in the scratch arena. */
struct ts_input_draft *ts_read_inputs(struct ts_reader *reader, struct ts_arena *scratch, const json_t *object,
                                      const char *pointer);
struct ts_parameter_draft *ts_read_parameters(struct ts_reader *reader, struct ts_arena *scratch, const json_t *object,
                                              const char *pointer);
/* "grid" of a parameter: a list, or {"from", "to", "step"}. */
bool ts_read_grid(struct ts_reader *reader, const json_t *grid, const char *pointer, struct ts_parameter *parameter);
/* "distribution" (NULL: uniform) of a parameter whose range or grid was read. */
bool ts_read_distribution(struct ts_reader *reader, const json_t *json, const char *pointer,
                          struct ts_parameter *parameter);
/* "weights" of a parameter whose grid was read. */
bool ts_read_weights(struct ts_reader *reader, const json_t *list, const char *pointer, struct ts_parameter *parameter);
/* Reads one value of a parameter; otherwise WRONG_TYPE. `label` is "'default' of parameter 'G1'". */
bool ts_read_value(struct ts_reader *reader, const json_t *json, const char *pointer, enum ts_value_type type,
                   const char *label, struct ts_value *value);
/* Default, grid and range against domain and choices. */
bool ts_check_parameter_values(struct ts_reader *reader, const struct ts_parameter *parameter, const json_t *object,
                               const char *pointer);
void ts_read_stages(struct ts_builder *builder, const json_t *list, const char *pointer);
void ts_connect(struct ts_builder *builder);
void ts_check_types(struct ts_builder *builder);
void ts_bind_parameters(struct ts_builder *builder);
/* Domains of parameters against those of the operations they are bound to. */
void ts_settle_domains(struct ts_builder *builder);
void ts_read_constraints(struct ts_builder *builder, const json_t *list, const char *pointer);
/* Sorts stages and tasks (fills in `place`) and reports cycles. */
void ts_order(struct ts_builder *builder);
void ts_build(struct ts_builder *builder);

/* The type declaration of what a link of a stage leads to; NULL if it is broken or undeclared. */
const char *ts_link_type(const struct ts_builder *builder, const struct ts_stage_draft *stage,
                         const struct ts_link *link);
/* Resolved to the finished workflow's indices. */
struct ts_source ts_link_source(const struct ts_builder *builder, const struct ts_stage_draft *stage,
                                const struct ts_link *link);

/* A declaration in words: "a mask or a label image". */
const char *ts_type_in_words(struct ts_arena *arena, const char *declaration);
/* Values in words: 0..255. */
void ts_print_span(struct ts_str *out, double low, double high);
/* The numbers a study may give a parameter: its grid or range, or the default alone. */
bool ts_parameter_span(const struct ts_parameter *parameter, double *low, double *high);

struct ts_edge {
  size_t from, to;
  const char *pointer; /* where the connection is written */
};
/* Fills order[] with 0..count-1 such that edges lead forward, otherwise as written. Every cycle found is given to
 * `report` (nodes in the direction of the data, the one written first leading; the pointer of the edge that closes
 * it). */
void ts_sort_graph(size_t count, const struct ts_edge *edges, size_t edge_count, size_t *order,
                   void (*report)(void *user, const size_t *nodes, size_t node_count, const char *pointer), void *user);

#endif
