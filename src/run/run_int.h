/* Shared by the files of the run module: the state of a run. One mutex (engine.lock) guards all of it, except where a
 * field says otherwise; operations, the store and callbacks run without it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Life of an instance (one node of the plan in one unit): UNNEEDED until a wanted product needs it; then LOADABLE (the
 * store has it) or WAITING for its inputs; QUEUED when ready; RUNNING; or PENDING on another instance that is computing
 * the same content; at last DONE, FAILED or SKIPPED. */
#ifndef TS_RUN_RUN_INT_H
#define TS_RUN_RUN_INT_H

#include "run/call.h"

#include "base/arena.h"
#include "base/block.h"
#include "base/map.h"
#include "base/table.h"
#include "sched/policy.h"

#include <pthread.h>

enum instance_state { UNNEEDED, REGISTERING, LOADABLE, WAITING, QUEUED, RUNNING, PENDING, DONE, FAILED, SKIPPED };

struct instance;

/* An operation with canonical parameters: common to keys, records and contents of all tasks with them. */
struct recipe {
  struct ts_op *op;              /* borrowed */
  uint64_t number;               /* within the run */
  const struct ts_value *values; /* borrowed from the engine's arena; operation's order */
  struct ts_key_prefix lineage, content;
  /* Borrowed from the engine's arena; NULL if nothing is recorded, or if it differs with the pixel size. */
  const char *parameters_json;
};

/* One distinct result: the outputs of an operation for inputs of one content. Instances share it. Lives as long as its
 * window. */
struct content {
  enum { CONTENT_RUNNING, CONTENT_DONE, CONTENT_FAILED } state;
  struct ts_xxh128 identity;    /* of the operation and its inputs; zero if it is never looked for */
  struct content *next_running; /* borrowed: the list of under_way */
  struct ts_outputs out;        /* one reference to the data while somebody still needs it, else NULL */
  struct ts_key key;            /* content key, if has_key; then the same for all instances that share the content */
  bool has_key;
  size_t holders;             /* finished instances that somebody still reads from */
  uint32_t node;              /* of the instance that computed or loaded it; used to compute it again */
  size_t unit;                /* of the same instance */
  struct instance *waiters;   /* borrowed list through instance.next_waiter */
  double cpu_s;               /* CPU seconds of its computation */
  bool is_durable;            /* the store keeps all outputs */
  int pins;                   /* tasks that are about to read it, or reading: not to be dropped */
  bool lingers;               /* in contents.lingering */
  struct ts_failure *failure; /* owned: why it failed, or, until that is reported, what it wrote; NULL */
};

/* 128: 4 % more CPU; 512: no difference seen (60 sets on one tile, 2 threads: `bench/constants threads`). */
#define LINGER_COUNT 256
struct lingering {
  struct content *content; /* borrowed from the window */
  uint64_t bytes;          /* when it was put there */
};

/* The contents of a window. */
struct contents {
  struct ts_table by_identity; /* of borrowed contents: see content.c */
  struct ts_arena arena;       /* owns the contents; guarded by engine.lock */
  struct content **all;        /* owned array, for release */
  size_t all_count, all_capacity;
  struct lingering lingering[LINGER_COUNT]; /* a ring, the one that became idle first is the first to go */
  size_t linger_first, linger_count;
  uint64_t linger_bytes, most_linger_bytes;
};

/* Contents being computed, of all windows, and the ready tasks that wait for one of another window. */
struct under_way {
  struct content *first;        /* borrowed list through content.next_running */
  struct ts_ready_task *parked; /* owned */
  size_t parked_count, parked_capacity;
};

struct instance {
  enum instance_state state;
  bool looked_up; /* in_store has the store's answer from before the window was opened */
  bool in_store;
  bool registered; /* counted among the readers of its producers */
  bool lacks_key;  /* it is made when the last pane that the instance reads is opened */
  bool is_broken;  /* an input failed before the key was made: it is skipped then */
  bool awaited;    /* a coarser instance reads it: its pane, when it is opened, needs it */
  uint32_t node;
  uint32_t waiting_inputs; /* input edges whose producer is not finished */
  uint32_t readers;        /* consumers that have not finished yet */
  size_t unit;             /* global: tile, item or 0 */
  struct ts_key key;
  struct content *content; /* borrowed from the window; set when DONE, FAILED or PENDING */
  struct instance *next_waiter;
};

/* The instances of one unit of the finest scope that only others of this unit read: see pane.c. */
struct pane {
  size_t place;      /* in window.panes */
  size_t open_count; /* instances of the unit that are needed and not finished, and 1 until it is opened */
  size_t users;      /* computations again that look at its instances */
  bool has_keys;
  bool is_over; /* finished and reported: it is freed with its last user */
  struct instance instances[];
};

/* What the store said of an instance of a pane before the first one was opened. */
enum { FOUND_ASKED = 1, FOUND_THERE = 2 };

struct window {
  struct engine *engine; /* borrowed */
  uint32_t number;
  struct {
    size_t first, count;
  } units[TS_SCOPE_COUNT];    /* by scope */
  struct instance *instances; /* owned; those of node n start at offsets[n] */
  size_t *offsets;            /* owned */
  size_t instance_count;
  size_t open_count;   /* instances needed and not finished, and panes not opened */
  struct pane **panes; /* owned: per unit of the finest scope, while it is open; NULL: all are in `instances` */
  size_t pane_count, next_pane, open_panes;
  size_t loading;  /* instances that are being loaded and would need panes if that failed */
  bool is_opening; /* a thread makes a pane, without the lock */
  bool is_keyed;   /* the keys of `instances` were made before the first pane was opened */
  uint8_t *found;  /* owned: per instance of all panes, FOUND_...; NULL: the store has none of them */
  struct contents contents;
  struct window *next_open; /* borrowed: the engine's list of open windows */
};

/* Something to report outside engine.lock, in the order in which it happened. */
struct event {
  struct window *window;     /* borrowed: windows are destroyed by their own last event */
  struct instance *instance; /* borrowed; NULL: the window, or a pane of it, is finished */
  enum ts_outcome outcome;
  struct ts_call_times times;
  struct ts_data **data; /* owned array and references: the wanted outputs, where they are in memory; NULL */
  struct pane *pane;     /* borrowed: the pane that is finished; NULL */
};

/* Which nodes have their instances in panes, if windows are opened pane by pane. */
struct pane_layout {
  bool is_usable;      /* no unit of the finest scope reads a product that is made from all of them */
  enum ts_scope scope; /* the finest of the plan */
  uint32_t *inner;     /* owned: per node, its place in a pane; TS_NO_NODE: the window keeps its instances */
  uint32_t inner_count;
  bool *is_fed; /* owned: per node, whether it is coarser and reads what panes make */
};

/* Operations that read files, after those of the workflow inputs. */
enum { POLYGON_SOURCE, SAMPLE_SOURCE, EXTRA_SOURCES };

struct ts_run_setup {
  const struct ts_plan *plan; /* borrowed */
  /* Owned array: per workflow input, the operation that reads it; then EXTRA_SOURCES, NULL where there is none. */
  struct ts_op **source_ops;
  uint32_t *consumer_first; /* owned: consumers of node n are consumers[consumer_first[n] .. consumer_first[n + 1]) */
  uint32_t *consumers;      /* owned; one entry per input edge */
  /* Owned array: per node; NULL for other kinds than TASK, and where values have a unit: see recipe.c. */
  const struct recipe **recipes;
  pthread_mutex_t recipe_lock;  /* guards the next four, which grow during runs; taken last */
  struct ts_arena recipe_arena; /* owns the recipes */
  size_t recipe_count;
  struct ts_map known_recipes; /* operation and values -> struct recipe */
  struct ts_map sized_recipes; /* node and pixel size -> struct recipe, of nodes whose values have a unit */
  struct ts_store *store;      /* borrowed: its salt is part of keys; NULL: none */
  struct pane_layout layout;
  uint32_t *depths;            /* owned: per node, the longest way to it from a node without inputs */
  bool *is_stage_output;       /* owned: per task */
  char *producer;              /* owned: this machine and program, for records */
  struct ts_cache *cache;      /* owned: products of parts that were run before; NULL: none are kept */
  struct ts_task_needs *needs; /* owned: the different ones, the first are none; NULL: no task needs anything */
  size_t needs_count;
  uint32_t *needs_of_task; /* owned: per task, a place in `needs`; NULL as that */
  /* Of the run that is going on, and kept for the next: */
  struct ts_pool *pool; /* owned: its threads; NULL until there is a run */
  struct ts_pool *lent; /* owned: threads for operations that can share their work; NULL until one is to be lent */
  double *memory_ratio; /* owned: per task, most bytes taken during a call per byte of input so far; 0: never run */
};

/* Where the items of a run come from, and how many windows they make. */
struct supply {
  const struct ts_plan *plan;       /* borrowed */
  const struct ts_dataset *dataset; /* borrowed */
  size_t window_count;              /* as far as they are known */
  struct ts_feed feed;
  struct ts_array_feed array; /* the feed of a complete dataset */
  bool is_asking;             /* a thread asks the feed, without the lock */
  bool has_ended;             /* all windows are known */
};

struct engine {
  const struct ts_plan *plan;
  const struct ts_dataset *dataset;
  const struct ts_run_options *options;
  struct ts_run_result *result;
  struct ts_run_setup *own_setup; /* owned; NULL: the options gave one */
  struct ts_call_env env;
  char execution[24];         /* " #" and the number of the part's execution, as producers of its records end */
  char *own_producer;         /* owned; NULL: that of the setup */
  struct ts_run_setup *setup; /* borrowed */
  uint64_t *wanted_ports;     /* owned: per node, a bit per output port somebody wants */
  bool *needed;               /* owned: per node, whether a wanted product of the part needs it; NULL: all are */
  atomic_bool cancelled;      /* seen by operations */
  const struct ts_policy *policy;
  uint64_t *after_ns;            /* owned: per node, what is to be done after it; NULL: the run has no deadlines */
  uint32_t *window_order;        /* owned: which window is opened when; NULL: by their numbers */
  struct ts_worker_class worker; /* what the threads have; only where tasks have needs */

  pthread_mutex_t lock;
  pthread_cond_t changed; /* something became ready, or the run is over */
  struct ts_ready ready;
  size_t next_window, open_windows;
  struct supply supply;
  size_t unopened_panes;     /* of open windows */
  size_t opening;            /* windows and panes that a worker is making, without the lock */
  size_t instances;          /* of open windows and panes */
  struct window *first_open; /* owned list through window.next_open */
  size_t entering;           /* instances taken that wait for memory */
  size_t running;
  struct ts_places places;  /* what running tasks take; only where tasks have needs */
  uint64_t turn, next_turn; /* of tasks that wait for a place: whose it is, and that of the next to come */
  struct under_way under_way;
  struct reservation *reservations; /* borrowed list: memory that running tasks are expected to take */
  uint64_t stray_bytes;             /* memory of the process that base/block.h does not know of, when last looked at */
  struct ts_block_limit block_limit;
  bool over;
  size_t workers;         /* that have not left */
  pthread_cond_t left;    /* a worker has left */
  struct ts_str identity; /* work space of keys.c */
  struct event *events;   /* owned: not yet reported */
  size_t event_count, event_capacity;
  struct event *told; /* owned, guarded by `tell`: events being reported; its memory takes turns with events */
  size_t told_capacity;
  struct ts_error trouble; /* first error that ends the run */

  pthread_mutex_t tell; /* serialises callbacks; taken after, never before, engine.lock is released */
};

/* window.c: opening and closing, keys, units. All called under engine.lock, except window_create. */
/* by_panes: its finest units are opened later, if the plan allows it; else all at once. */
struct window *ts_window_create(struct engine *engine, uint32_t number, bool by_panes, struct ts_error *err);
void ts_window_destroy(struct window *window);
/* Instances are numbered within a window: first its own, then those of its panes, pane after pane. */
size_t ts_pane_index(const struct window *window, const struct instance *instance); /* of an instance of a pane */
struct instance *ts_pane_at(const struct window *window, size_t index);
/* The place of a node's instances in panes; TS_NO_NODE: the window itself keeps them. */
static inline uint32_t ts_inner_place(const struct window *window, uint32_t node) {
  return window->panes ? window->engine->setup->layout.inner[node] : TS_NO_NODE;
}
static inline struct instance *ts_window_instance(const struct window *window, uint32_t node, size_t local_unit) {
  const uint32_t inner = ts_inner_place(window, node);
  return inner == TS_NO_NODE ? &window->instances[window->offsets[node] + local_unit]
                             : &window->panes[local_unit]->instances[inner];
}
static inline size_t ts_window_index(const struct window *window, const struct instance *instance) {
  return ts_inner_place(window, instance->node) == TS_NO_NODE ? (size_t)(instance - window->instances)
                                                              : ts_pane_index(window, instance);
}
static inline struct instance *ts_window_at(const struct window *window, size_t index) {
  return index < window->instance_count ? &window->instances[index] : ts_pane_at(window, index);
}
struct instance *ts_window_instance_of_unit(const struct window *window, uint32_t node, size_t unit);
/* The producers of one input of an instance: first and count (more than one only for GATHER). */
struct instance *ts_window_producers(const struct window *window, const struct instance *consumer, size_t input,
                                     size_t *count);
/* Backwards from an instance, or from all that are wanted by themselves (some may come twice); vertices are numbers of
 * instances, and the window itself fills in the graph. Instances of panes are not wanted here, nor does the walk go on
 * from a coarser instance into panes. */
void ts_window_walk(const struct window *window, const struct instance *from, const struct ts_walk *walk);
void ts_window_walk_wanted(const struct window *window, const struct ts_walk *walk);
/* Calls visit for every consumer instance of a producer, once per edge. */
void ts_window_each_consumer(struct window *window, const struct instance *producer,
                             void (*visit)(struct window *window, struct instance *consumer, void *user), void *user);

/* pane.c */
void ts_layout_make(struct ts_run_setup *setup);
bool ts_run_store_is_empty(struct ts_store *store); /* or there is none */
/* Before anybody else knows the window: the keys that can be made, or all. */
bool ts_panes_begin(struct window *window, struct ts_error *err);
/* What the store said of an instance of a pane. */
static inline uint8_t ts_pane_found(const uint8_t *found, const struct pane_layout *layout, size_t place,
                                    uint32_t inner) {
  return found ? found[place * layout->inner_count + inner] : FOUND_ASKED;
}
/* The open pane of an instance; NULL: the window has none, or keeps the instance for all. Under engine.lock. */
static inline struct pane *ts_pane_of(const struct window *window, const struct instance *instance) {
  const struct ts_run_setup *setup = window->engine->setup;
  if (!window->panes || setup->plan->nodes[instance->node].scope != setup->layout.scope) return NULL;
  return window->panes[instance->unit - window->units[setup->layout.scope].first];
}
/* Whether the input leads from a coarser instance into panes. */
static inline bool ts_pane_is_crossed(const struct window *window, const struct instance *consumer, uint32_t producer) {
  const struct ts_run_setup *setup = window->engine->setup;
  return window->panes && setup->plan->nodes[producer].scope == setup->layout.scope &&
         setup->plan->nodes[consumer->node].scope != setup->layout.scope;
}
/* Under engine.lock, which opening releases while keys are hashed and the store is asked. */
bool ts_pane_may_open(const struct window *window);
bool ts_pane_open_next(struct window *window, struct ts_error *err);
void ts_pane_close(struct window *window, struct pane *pane); /* under engine.lock, after its last event */
/* Without engine.lock: keeps the pane that a content comes from, or makes it once more; until let go. */
bool ts_pane_hold(struct window *window, const struct content *content, struct ts_error *err);
void ts_pane_let_go(struct window *window, const struct content *content);
/* The instance that made a content; NULL: its pane is closed. Under engine.lock, or while its pane is held. */
struct instance *ts_content_origin(const struct window *window, const struct content *content);
/* setup.c: a pool of the setup with so many threads, a new one if it has another number. NULL with an error. */
struct ts_pool *ts_run_setup_pool(struct ts_pool **pool, size_t threads, struct ts_error *err);

/* engine.c: common to a run and a forecast. */
bool ts_engine_init(struct engine *engine, const struct ts_plan *plan, const struct ts_dataset *dataset,
                    const struct ts_run_options *options, struct ts_run_result *result, struct ts_error *err);
void ts_engine_release(struct engine *engine);
size_t ts_engine_worker(void); /* number of the calling thread among the workers, or TS_ANY_WORKER */
/* Under engine.lock: the first trouble ends the run; running tasks are still finished. */
void ts_engine_end(struct engine *engine, const struct ts_error *err);
void ts_engine_forget_window(struct engine *engine, struct window *window); /* under engine.lock */

/* cache.c; all but create and destroy do nothing without a cache. */
struct ts_cache *ts_cache_create(uint64_t most_bytes);
void ts_cache_destroy(struct ts_cache *cache);
struct ts_data *ts_cache_get(struct ts_cache *cache, const struct ts_sha256 *digest); /* a new reference, or NULL */
void ts_cache_put(struct ts_cache *cache, const struct ts_sha256 *digest, struct ts_data *data);

/* recipe.c */
bool ts_recipes_make(struct ts_run_setup *setup, struct ts_error *err);
/* Of a node whose values have a unit, converted for a pixel size that is known. Any thread. */
const struct recipe *ts_recipe_of_size(struct ts_run_setup *setup, uint32_t node, const struct ts_pixel_size *size,
                                       struct ts_error *err);
/* Parameters in clear; op may be NULL. Owned by the caller. The pixel size counts if the operation reads it. */
char *ts_parameters_json(const struct ts_op *op, const struct ts_value *values, const struct ts_pixel_size *size);

/* keys.c */
/* The recipe of an instance; NULL without an error: it is not a task. Values with a unit are converted for its item:
 * an error if no pixel size is known, or if the items of a dataset differ in theirs. Any thread. */
const struct recipe *ts_instance_recipe(const struct engine *engine, const struct instance *instance,
                                        struct ts_error *err);
/* The same of an instance that has a key. */
const struct recipe *ts_instance_known_recipe(const struct engine *engine, const struct instance *instance);
bool ts_instance_key(struct engine *engine, const struct window *window, struct instance *instance,
                     struct ts_error *err);
/* Content key over SHA-256 digests of the inputs. */
bool ts_instance_content_key(struct engine *engine, const struct window *window, const struct instance *instance,
                             struct ts_key *key, struct ts_error *err);
/* Identity of the content within the run, from what each product that the instance reads is known by. Equal for two
 * instances of a window exactly when operation, canonical parameters and inputs are. Under engine.lock. */
typedef struct ts_xxh128 ts_product_identity(void *user, const struct instance *producer, size_t port);
struct ts_xxh128 ts_instance_identity(struct engine *engine, const struct window *window,
                                      const struct instance *instance, ts_product_identity *identity_of, void *user);
/* The operation of an instance; CROP and GATHER have none (NULL). */
struct ts_op *ts_instance_op(const struct engine *engine, const struct instance *instance);
const char *ts_operation_name(enum ts_node_kind kind, const struct ts_op *op); /* also of crop and gather */
/* Fills the values of a source instance, and returns them. */
const struct ts_value *ts_source_parameters(const struct engine *engine, const struct instance *instance,
                                            struct ts_value *values);
/* The pixel size that the instance's operation may read: of its item; of a dataset, if all items have the same. Zero:
 * not known, or the operation does not read it. */
struct ts_pixel_size ts_instance_pixel_size(const struct engine *engine, const struct instance *instance);
/* The pixel size of the instance's item, whether its operation reads it or not; of a dataset, if all items agree. */
struct ts_pixel_size ts_item_pixel_size(const struct engine *engine, const struct instance *instance);
/* Of a crop the core that remains, of a gather the image into which tiles are joined if the dataset lacks some of them;
 * NULL: it needs none. */
const struct ts_region *ts_instance_rectangle(const struct engine *engine, const struct instance *instance);
/* The rectangle that a source instance of pixels reads: the tile with its halo, or the whole image. */
struct ts_region ts_source_region(const struct engine *engine, const struct instance *instance);
/* The most pixels that a source reads of an image; 0: all. */
int64_t ts_source_sample_px(const struct engine *engine, const struct instance *instance);
/* The file that a source instance reads. */
const struct ts_item_source *ts_instance_source(const struct engine *engine, const struct instance *instance);
/* Key of the file a source instance reads: the digest of its bytes. */
struct ts_key ts_instance_file_key(const struct engine *engine, const struct instance *instance);
size_t ts_instance_output_count(const struct engine *engine, const struct instance *instance);
const char *ts_instance_output_port(const struct engine *engine, const struct instance *instance, size_t port);

/* supply.c */
void ts_supply_begin(struct supply *supply, const struct ts_run_options *options);
/* Whether the feed said something new; false: there is nothing yet, or nothing any more. Under the lock, which is
 * released while the feed is asked. */
bool ts_supply_ask(struct supply *supply, pthread_mutex_t *lock);

/* activate.c: which instances are needed; under engine.lock. */
struct ts_walk ts_activation(struct window *window); /* the walk that activates an instance and all that it needs */
void ts_activate_wanted(struct window *window);
/* A product that the store promised cannot be read: the instance is to be computed. */
void ts_activate_damaged(struct window *window, struct instance *instance);
/* Puts the instance into a worker's own queue, or into the one for all (TS_ANY_WORKER). */
#define TS_ANY_WORKER SIZE_MAX
void ts_make_ready(struct window *window, struct instance *instance, size_t worker);
/* Asks the store about all that ts_activate_wanted will ask for; before the window is open, without engine.lock. */
void ts_look_up_wanted(struct window *window);
bool ts_look_up(void *user, size_t index); /* the walk of the same: asks about one instance of the window `user` */
bool ts_instance_in_store(struct engine *engine, const struct instance *instance);
bool ts_instance_is_kept(const struct engine *engine, const struct instance *instance);

/* content.c: under engine.lock. */
/* Of the outputs of an instance of a node in a unit. */
struct content *ts_content_create(struct contents *contents, uint32_t node, size_t unit, size_t output_count);
void ts_contents_release(struct contents *contents);
/* The content of this identity, or NULL. */
struct content *ts_content_find(const struct contents *contents, const struct ts_xxh128 *identity);
/* From now on it is found by this identity. */
void ts_content_identify(struct contents *contents, struct content *content, const struct ts_xxh128 *identity);
/* No known task will read it: its data linger for a while, because a task whose content turns out to be the same
 * may need them yet, and then go. */
void ts_content_drop_idle(struct contents *contents, struct content *content);
void ts_content_drop_lingering(struct contents *contents);
/* Where there is a store, a task whose content another window is computing is
 * parked until any computation ends, and then finds it in the store: so each content is computed once whatever the
 * timing. */
bool ts_content_is_running(const struct under_way *under_way, const struct ts_xxh128 *identity);
void ts_content_start(struct under_way *under_way, struct content *content);
/* Puts the parked ones back into the queue; whether there were any. */
bool ts_content_stop(struct under_way *under_way, const struct content *content, struct ts_ready *ready);
void ts_content_park(struct under_way *under_way, const struct ts_ready_task *task);

/* schedule.c: order and room of tasks. */
/* What the operations of the plan declare to need; by ts_run_setup_create. */
bool ts_schedule_needs(struct ts_run_setup *setup, struct ts_error *err);
void ts_schedule_init(struct engine *engine);                           /* by ts_engine_init, last */
uint32_t ts_schedule_window(const struct engine *engine, size_t place); /* the number of the window opened then */
/* Whether the threads have what the tasks of the run need; before the first of them. */
bool ts_schedule_check(const struct engine *engine, struct ts_error *err);
/* Where an instance of a node in a window comes in the ready queue. Under engine.lock. */
void ts_schedule_place(const struct engine *engine, uint32_t window, uint32_t node, struct ts_ready_task *task);
/* Waits until the threads have room for what the task of a node needs, and takes it. Under engine.lock. */
void ts_schedule_enter(struct engine *engine, uint32_t node);
void ts_schedule_leave(struct engine *engine, uint32_t node);

/* memory.c: under engine.lock. */
/* Waits until the instance may start within the budget. Between enter and leave the worker counts the memory that it
 * takes. */
void ts_memory_enter(struct engine *engine, struct window *window, const struct instance *instance);
void ts_memory_leave(struct engine *engine, const struct instance *instance);
/* After a call: its memory, for the next call of the same task. */
void ts_memory_learn(struct engine *engine, const struct window *window, const struct instance *instance);
void ts_engine_wait(struct engine *engine); /* engine.c: until something changes, or for a short while */

/* finish.c: under engine.lock. */
void ts_finish(struct window *window, struct instance *instance, struct content *content, enum ts_outcome outcome,
               const struct ts_call_times *times);
/* One thing less to be done in a window, and in a pane of it (may be NULL): the last one reports the end of both. */
void ts_finish_one(struct window *window, struct pane *pane);
/* Something that the instance needs failed. */
void ts_skip(struct window *window, struct instance *instance);
/* A product has one reader less. */
void ts_release_reader(struct window *window, struct instance *producer);
/* Reports the end of a window; by ts_finish with its last instance. */
void ts_finish_window(struct window *window);
/* finish.c: without any lock; reports the events so far. */
void ts_tell_events(struct engine *engine);

/* memory.c: blocks in use and idle ones together stay within the budget. */
void ts_memory_limit_blocks(struct engine *engine);
/* memory.c: without engine.lock, around the call of an operation. */
void ts_memory_call_begin(void);
uint64_t ts_memory_call_end(void); /* most bytes the call took */

/* execute.c: without engine.lock. */
/* The call of an instance; a source still needs its values (ts_source_parameters). */
struct ts_call ts_instance_call(const struct engine *engine, const struct instance *instance);
/* How many threads a call may use: see ts_call_env. */
size_t ts_engine_lend(void *user, size_t input_bytes, struct ts_pool **pool);
/* Computes the outputs as ts_call_compute does. A file that changed ends the run. */
bool ts_execute(struct engine *engine, const struct window *window, const struct instance *instance,
                struct ts_data *const *inputs, size_t input_count, struct ts_data **outputs,
                struct ts_call_times *times, struct ts_failure *failure);
/* Records the outputs of a content, or an alias without them. Whether the store keeps all of them. */
bool ts_record_result(struct engine *engine, const struct window *window, const struct instance *instance,
                      const struct content *content, const struct ts_call_times *times, bool alias);

/* materialise.c: without engine.lock. Data of an output of a content: from memory, the store, or computed again. */
struct ts_data *ts_materialise(struct engine *engine, struct window *window, struct content *content, size_t port,
                               struct ts_failure *failure);
/* All inputs of an instance as held references (NULL for unconnected ports); count entries, owned. */
struct ts_data **ts_collect_inputs(struct engine *engine, struct window *window, const struct instance *instance,
                                   size_t *count, struct ts_failure *failure);
void ts_release_inputs(struct ts_data **inputs, size_t count);

#endif
