/* A project: what is to be done, read from files and a request. Opened step by step, then read-only.
 * SPDX-License-Identifier: Apache-2.0
 *
 * ts_project_read takes the study or workflow file, ts_study_methods_settle what the request says about methods,
 * ts_project_open_dataset the data; each step needs the ones before it. Everyone after that takes a const project. */
#ifndef TS_PROJECT_PROJECT_H
#define TS_PROJECT_PROJECT_H

#include "request/phases.h"
#include "request/request.h"

#include "analysis/aggregate.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/error.h"
#include "base/json.h"
#include "dataset/dataset.h"
#include "design/design.h"
#include "image/image.h"
#include "op/op.h"
#include "plan/halo.h"
#include "plan/plan.h"
#include "project/issues.h"
#include "project/request.h"
#include "strategy/strategy.h"
#include "workflow/workflow.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What a run cost, as an output: measured, never taken from the store. */
enum study_cost { COST_NONE, COST_SECONDS, COST_CPU_SECONDS, COST_CORE_HOURS, COST_PEAK_BYTES };

/* One number per run that a study analyses: a column of a table product, over all rows, tiles and files, or what the
 * run cost. */
struct study_output {
  enum study_cost cost; /* NONE: a column; otherwise there is no product: source and those below are not used */
  const char *name;     /* "compare.table:diff"; against the default run "compare.table:diff_vs_default" */
  const char *label;    /* a name for sentences; "" if the file has none */
  const char *better;   /* "higher", "lower": of the file, or of a score against a truth; NULL: neither */
  const char *product;  /* "compare.table" */
  const char *column;
  /* How the rows and tiles of a file become one number, and the files of a run; TS_OVER_COUNT: the file has none.
   * Both are set by ts_study_outputs_resolve. */
  enum ts_over over_tiles, over_files;
  const struct ts_op_ratio *ratio; /* borrowed from its operation; NULL: the column is not a ratio */
  const char *pointer;             /* JSON pointer in the study file, for complaints */
  bool is_object;                  /* the file has an object there, not a string */
  struct ts_source source;
  size_t wanted; /* index among the wanted products */
  /* Of a product that is joined from tiles: the same column of a table that those tiles make, which shows where on a
   * slide the number comes from. Its source has the kind NONE if there is none. */
  struct {
    struct ts_source source;
    const struct ts_op_ratio *ratio;
    enum ts_over over;
    size_t wanted;
  } tiles;
  const char *against; /* "truth", "files", "default"; NULL: compares nothing, or the dataset is not open yet */
};

/* The reference that a study compares its results with. ANY: the truth where the data has it, otherwise the default
 * run. */
enum study_reference { REFERENCE_ANY, REFERENCE_TRUTH, REFERENCE_DEFAULT, REFERENCE_FILES };

/* Values of a group whose items a study does not see. */
struct study_hold_out {
  size_t group; /* among those that the study declares */
  const char **values;
  size_t value_count;
};

/* A study file, or its replacement when a bare workflow is run. */
struct study_file {
  const char *path;   /* as the user would write it */
  const char *folder; /* paths in the file are relative to it */
  const char *name;
  const char *question;
  const char *workflow;
  const char **data_files; /* patterns */
  size_t data_file_count;
  const char *manifest; /* NULL if none */
  const char **groups;  /* columns of the manifest */
  size_t group_count;
  struct study_hold_out *hold_out; /* by group */
  size_t hold_out_count;
  int64_t tile_px, halo_px; /* of the file; what is in force is that of the request, and project.halo */
  bool has_halo;
  int32_t level;
  const char *tissue;                                     /* "auto", "on", "off"; NULL: the file does not say */
  struct ts_strategy_options methods[TS_STRATEGY_PHASES]; /* the only phase, or the screening and the second phase */
  size_t phase_count;
  const struct ts_strategy *whole; /* borrowed: the strategy that is made of the phases; NULL: there is one */
  bool methods_settled;            /* the options of the command line have been applied */
  struct ts_keep keep;
  struct ts_until until;
  size_t max_runs; /* 0: no limit */
  size_t resamples;
  double confidence;
  uint64_t seed;
  struct study_output *outputs;
  size_t output_count;
  enum study_reference reference;
  const char **reference_files;
  size_t reference_file_count;
  const char **varied; /* names; NULL: all that have a grid or range */
  size_t varied_count;
  struct ts_parameter *engine; /* settings of the engine that are varied: see study_engine.c */
  size_t engine_count;
  bool is_measured; /* an output is a cost, or the engine is varied: sets are run one by one, and nothing is reused */
  bool is_bare_workflow;
  double task_limit_s; /* for one call of an operation; 0: none */
};

/* A work order in place of the files of a project: how the module that knows orders reads one. */
struct ts_project;
struct paths;
struct item_facts;
struct ts_order;
struct ts_order_reader {
  /* Study, operations and workflow of project.order. */
  bool (*read)(struct ts_project *project, struct ts_issues *issues);
  /* The files of an order's items, as ts_manifest_read lists them; false with faults if one is not to be found. */
  bool (*list_files)(struct ts_project *project, const struct ts_order *order, struct paths *files,
                     struct item_facts *facts, struct ts_issues *issues);
  /* The items of an order as JSON, and how it cuts images; NULL: it does not say. */
  const json_t *(*items)(const struct ts_order *order);
  const json_t *(*grid)(const struct ts_order *order);
};

/* The halo of tiles, settled when images are cut: see data/halo.h. */
struct ts_project_halo {
  int64_t px;            /* in force */
  bool is_given;         /* the study file says it; otherwise it was computed, now or when the run began */
  bool is_cut;           /* an image has several tiles; otherwise nothing is needed, and nothing is below */
  struct ts_halo needed; /* in the arena */
  const struct ts_task_reach *reaches; /* in the arena: per task, with the largest values of the request */
};

struct ts_project {
  const struct ts_request *request;           /* borrowed: what was asked; of a continued run, what it was asked */
  const struct ts_order *order;               /* borrowed: read in place of the files of the project; NULL */
  const struct ts_order *begun;               /* borrowed: that of the run that is continued; NULL */
  const struct ts_order_reader *order_reader; /* static; NULL: there is neither of the two */
  struct ts_store *store;                     /* borrowed: remembers digests of files; NULL */
  const struct ts_lent_store *lent;           /* borrowed: in place of the store of the request; NULL */
  struct ts_phases *phases;                   /* owned; NULL: nobody observes the call */
  struct ts_arena arena;                      /* owns most small things */
  struct ts_budget budget;                    /* in force until the project is released */
  struct ts_json_doc doc;                     /* the study or workflow file */
  struct ts_json_doc workflow_doc;            /* the workflow that a study names */
  struct study_file study;
  struct ts_registry *registry;        /* owned */
  struct ts_workflow *workflow;        /* owned */
  struct ts_dataset dataset;           /* arrays owned by the arena; of a study, without what it holds out */
  struct ts_dataset held_out;          /* the same: what it holds out; without items: nothing */
  struct ts_dataset all;               /* both together, where something is held out: see ts_project_all */
  bool has_split;                      /* the data says of each item whether it is held out */
  const struct ts_item_source *opened; /* in the arena: per item and input, files found by digest; NULL */
  const char *const *item_names;       /* in the arena: with them, the names of the items */
  bool *supplied;                      /* per workflow input */
  const char **against;                /* per task: the reference of its products; NULL: none */
  struct ts_project_halo halo;
  const char *values_from; /* in the arena: the file or the set that values of the request come from; NULL: none */
  bool is_study;           /* the dataset was opened with the study's reference */
};

/* project.c */
void ts_project_init(struct ts_project *project, const struct ts_request *request);
void ts_project_release(struct ts_project *project);
struct ts_registry *ts_project_registry(void); /* a registry with the built-in operations */
/* Study or workflow file, workflow, outputs. */
bool ts_project_read(struct ts_project *project, struct ts_issues *issues);

/* study_file.c */
bool ts_study_file_parse(struct ts_project *project, struct ts_issues *issues);

/* study_engine.c: settings of the engine as columns of a design. */
enum ts_engine_setting { TS_ENGINE_TILE, TS_ENGINE_THREADS, TS_ENGINE_WORKERS };
struct study_reader;
void ts_study_engine_read(struct study_reader *r, const json_t *root);
/* Whether a column is a setting of the engine: "engine:threads". */
bool ts_study_engine_find(const char *column, enum ts_engine_setting *setting);

/* study_outputs.c: the columns that a study names, in the workflow. */
/* Finds the products of the outputs and how each becomes one number; faults with their places. */
void ts_study_outputs_resolve(struct ts_project *project, struct ts_issues *issues);
/* The default over the tiles of a file: pool for a ratio, sum for a count, else mean; over files: sum for a count. */
enum ts_over ts_column_over_tiles(const struct ts_op *op, size_t port, const char *column);
enum ts_over ts_column_over_files(const struct ts_op *op, size_t port, const char *column);
/* A column that the tables of a product lack: one text for both, before and during a run. */
void ts_study_no_column(const struct ts_project *project, const struct study_output *output, const char *column,
                        struct ts_issues *issues);
/* "objects cut at tile edges", or NULL: whether the column counts or scores objects that tiles cut. */
const char *ts_study_outputs_cut_objects(const struct ts_project *project, const struct ts_source *source,
                                         const char *column);
/* Once the dataset is open: warnings about numbers that depend on how images are cut into tiles. */
void ts_study_outputs_warn_tiling(const struct ts_project *project, struct ts_issues *issues);

/* study_method.c: the strategy of a study, and the options of the command line that change it. */
/* Reads the "method" of a study file; defaults where there is none. */
void ts_study_method_read(struct study_reader *r, const json_t *root);
void ts_study_method_default(struct ts_project *project);
/* Applies the options of the request; once, before the design is drawn. */
bool ts_study_methods_settle(struct ts_project *project, struct ts_issues *issues);
/* All phases as one strategy; borrows from the study. */
struct ts_strategy_options ts_study_strategy(const struct study_file *study);
uint64_t ts_study_seed(const struct ts_project *project);

/* dataset.c */
/* is_study: compare with the study's reference; otherwise (a run) with the truth where the data has it. */
bool ts_project_open_dataset(struct ts_project *project, bool is_study, struct ts_issues *issues);
/* How often a task runs over the dataset. */
size_t ts_project_task_units(const struct ts_project *project, size_t task);
/* Cuts the images of the dataset again, with the tile of the request: for a copy of a project, whose arena gets the new
 * arrays. */
bool ts_project_cut_again(struct ts_project *copy, struct ts_issues *issues);
/* The groups of an item that has any, by name; a new reference. */
json_t *ts_project_groups_json(const struct ts_project *project, const struct ts_item *item);

/* data/split.c: every item, those that a study holds out too, in the order of the data. */
const struct ts_dataset *ts_project_all(const struct ts_project *project);

/* data/groups.c: the files that have one value of a group. */
struct ts_group_files {
  const char *group, *value; /* borrowed from the project: "patient", "p1" */
  size_t *files;             /* in the arena: items, ascending */
  size_t count;
};
/* Group by group as the study declares them, the values of each in the order of their first files; in the arena. */
const struct ts_group_files *ts_project_group_files(const struct ts_project *project, struct ts_arena *arena,
                                                    size_t *count);

/* reference.c: results and their references. */
/* The input that the files of a study's "reference" feed; TS_NONE if there is none. */
size_t ts_reference_input(const struct ts_workflow *w);
/* Once the dataset is known: fills project.against and the names of outputs; faults where a study names a reference
 * that the data does not have. */
bool ts_reference_settle(struct ts_project *project, struct ts_issues *issues);
/* The name of a measure: "dice", or "dice_vs_default". In the arena. */
const char *ts_reference_measure(struct ts_arena *arena, const char *column, const char *against);
/* Per task, whether it only compares products of the default parameters with themselves; to free. */
bool *ts_reference_idle(const struct ts_project *project, const struct ts_value *values);
/* The first input of the workflow without files that keeps a task from running; TS_NONE if there is none. */
size_t ts_reference_missing(const struct ts_project *project, size_t task);
/* How to supply it; in the arena. */
const char *ts_reference_advice(struct ts_arena *arena, const struct ts_workflow *w, size_t input);
/* The mask that is compared: made by default_run, or beside the reference at the task that compares; false: none. */
bool ts_reference_mask(const struct ts_workflow *w, struct ts_source *mask);

/* data_files.c: the files of the dataset. */
/* Sets path, digest and file of the source; the digest is from the store (NULL: none) where it is known there. */
bool ts_source_open(struct ts_store *store, struct ts_arena *arena, const char *path, struct ts_item_source *source,
                    struct ts_error *err);
/* Header, and pixels, of a file that is as it was when it was opened; DATA_CHANGED otherwise. */
bool ts_source_inspect(const struct ts_item_source *source, int32_t level, struct ts_image_info *info,
                       struct ts_error *err);
struct ts_data *ts_source_read_image(const struct ts_item_source *source, const struct ts_region *region,
                                     struct ts_error *err);
/* Before results are reported: all files have the content that they were opened with; DATA_CHANGED otherwise. */
bool ts_project_confirm_files(const struct ts_project *project, struct ts_error *err);

#endif
