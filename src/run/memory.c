/* The memory budget: a task starts only when it fits; products are dropped, and loaded or computed again later.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Used memory is that of pixels and scratch now (base/block.h counts both) plus the memory that running tasks are still
 * expected to take: each runs with a reservation, of which it uses up a part. When the next task does not fit, products
 * that wait for later readers are dropped, those with the most bytes per second of getting them back first: a product
 * that the store keeps costs its loading (it is spilled), any other its computation (recording keeps exactly those
 * products that are cheaper to load than to compute). If that is not enough the task waits until another one has
 * finished; a task that runs alone always starts, so that every run ends. */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/block.h"
#include "base/memory.h"
#include "image/image.h"
#include "image/polygons.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Measured by `bench/constants memory.c` (40 sets, 2 threads, a budget of a quarter of the memory that they take
 * without: docs/performance.md, "Constants"); "none": no difference seen in CPU time, memory held, or products
 * dropped. */
#define LOAD_BYTES_PER_SECOND 500e6 /* of the encoded form: read, unpacked, digest checked. Half, twice: none */
#define FILL_BYTES_PER_SECOND 4e9   /* of the pixels in memory. Half, twice: none */
#define UNKNOWN_SCRATCH       3.0   /* bytes per byte of input, where an operation does not say. Half, twice: none */
#define UNKNOWN_OUTPUT        1.0   /* bytes per byte of input, before the first call. Half: fewer waits; twice: none */
/* Private memory of the program without any work. Half: none; twice: 4 % more memory held. */
#define OWN_BYTES ((uint64_t)4 << 20)
/* Of the budget: from here on strays are counted. 0.3: none; 0.84: fewer products spilled, the same CPU time. */
#define SHORT_SHARE 0.6
#define MARGIN      1.05 /* the next call may take a little more than those before. 1.0, 1.2: none */
/* Of the budget: calls differ, and the C library keeps a little of the freed memory. 0.7: 9 % less memory held; 0.95: 7
 * % less CPU time, but 9 % more memory held. */
#define FULL        0.84
#define STRAY_PARTS 32   /* more strays than this part of the budget are worth freeing. Half, twice: none */
#define LOW_WATER   0.75 /* of the budget: dropping more now saves dropping at every task. 0.6, 0.84: none */

/* A thread works on one task at a time, so each has one. In the engine's list from enter to leave. */
struct reservation {
  uint64_t need_bytes;
  struct ts_block_watch watch;
  int64_t call_start_bytes, call_bytes; /* of the last call of an operation: on the watch before it; most taken */
  struct reservation *next;
};
static _Thread_local struct reservation mine;
/* Contents that the thread's task keeps from being dropped, from enter to leave. */
static _Thread_local struct {
  struct content **items; /* owned array of borrowed contents */
  size_t count, capacity;
} pins;

static double scratch_ratio(const struct ts_op *op) {
  const struct ts_op_variant *variant = ts_op_variant_chosen(op);
  const double declared = variant ? variant->scratch_per_input_byte : op->descriptor->scratch_per_input_byte;
  return declared > 0 ? declared : UNKNOWN_SCRATCH;
}

/* A reader takes in what it makes: the rectangle as pixels of its type. */
static double source_bytes(const struct engine *engine, const struct instance *instance) {
  const struct ts_type *type = ts_instance_source(engine, instance)->type;
  if (!type || type->kind != TS_DATA_PIXELS) return 0;
  const struct ts_region region = ts_source_region(engine, instance);
  const double sample_px = (double)ts_source_sample_px(engine, instance);
  double px = (double)region.width * (double)region.height;
  if (sample_px > 0 && sample_px < px) px = sample_px;
  return px * (double)ts_element_bytes(type->element) * type->channels;
}

/* Bytes of pixels (tables are small change) that enter an instance. */
static double input_bytes(const struct engine *engine, const struct window *window, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  double sum = 0;
  if (node->kind == TS_NODE_SOURCE) return source_bytes(engine, instance);
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    struct instance *producers = ts_window_producers(window, instance, i, &count);
    for (size_t p = 0; p < count; p++) {
      const struct content *content = producers[p].content;
      sum += content ? (double)content->out.sizes[node->inputs[i].port] : 0;
    }
  }
  return sum;
}

/* The bytes that a call takes: scratch and outputs; at least those that the operation says it needs. */
static double call_bytes(const struct engine *engine, const struct window *window, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  double learnt = node->kind == TS_NODE_TASK ? engine->setup->memory_ratio[node->task] * MARGIN : 0;
  const struct ts_op *op = ts_instance_op(engine, instance);
  const double bytes =
      input_bytes(engine, window, instance) * (learnt > 0 ? learnt : (op ? scratch_ratio(op) : 0) + UNKNOWN_OUTPUT);
  return op && bytes < (double)op->needs.memory_bytes ? (double)op->needs.memory_bytes : bytes;
}

/* Inputs that were dropped come back first, one after the other: each takes its own bytes and, if the store does not
 * keep it, a call whose own inputs may have to come back before. */
static double missing_bytes(const struct engine *engine, const struct window *window, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  double sum = 0, largest_call = 0;
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    struct instance *producers = ts_window_producers(window, instance, i, &count);
    for (size_t p = 0; p < count; p++) {
      const struct content *content = producers[p].content;
      if (!content || content->out.data[node->inputs[i].port]) continue;
      sum += (double)content->out.sizes[node->inputs[i].port];
      if (content->is_durable) continue;
      const struct instance *origin = ts_content_origin(window, content);
      double call = origin ? call_bytes(engine, window, origin) + missing_bytes(engine, window, origin) : 0;
      if (call > largest_call) largest_call = call;
    }
  }
  return sum + largest_call;
}

static uint64_t memory_need(const struct engine *engine, const struct window *window, const struct instance *instance) {
  return (uint64_t)(call_bytes(engine, window, instance) + missing_bytes(engine, window, instance));
}

void ts_memory_call_begin(void) { mine.call_start_bytes = ts_block_watch_mark(); }

uint64_t ts_memory_call_end(void) {
  mine.call_bytes = atomic_load_explicit(&mine.watch.peak_bytes, memory_order_relaxed) - mine.call_start_bytes;
  return mine.call_bytes > 0 ? (uint64_t)mine.call_bytes : 0;
}

void ts_memory_learn(struct engine *engine, const struct window *window, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (engine->options->memory_bytes == 0 || node->kind != TS_NODE_TASK) return;
  double in = input_bytes(engine, window, instance);
  double ratio = in > 0 ? (double)mine.call_bytes / in : 0;
  if (ratio > engine->setup->memory_ratio[node->task]) engine->setup->memory_ratio[node->task] = ratio;
}

/* The bytes that running tasks may still take. */
static uint64_t outstanding_bytes(const struct engine *engine) {
  uint64_t sum = 0;
  for (struct reservation *r = engine->reservations; r; r = r->next) {
    int64_t taken = atomic_load_explicit(&r->watch.now_bytes, memory_order_relaxed);
    uint64_t used = taken > 0 ? (uint64_t)taken : 0;
    sum += used < r->need_bytes ? r->need_bytes - used : 0;
  }
  return sum;
}

static bool fits(const struct engine *engine, uint64_t need, double share) {
  return (double)(ts_blocks_used_bytes() + engine->stray_bytes + outstanding_bytes(engine) + need) <=
         share * (double)engine->options->memory_bytes;
}

/* Pages that lie free inside the heap, such as those of an image decoder, go back to the system. */
static void trim_heap(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static uint64_t stray_bytes(void) {
  uint64_t resident = ts_memory_resident_bytes();
  uint64_t known = ts_blocks_used_bytes() + ts_blocks_idle_bytes() + OWN_BYTES;
  return resident > known ? resident - known : 0;
}

void ts_memory_limit_blocks(struct engine *engine) {
  uint64_t full = (uint64_t)(FULL * (double)engine->options->memory_bytes);
  if (engine->options->memory_bytes > 0)
    ts_blocks_set_limit(&engine->block_limit, engine->stray_bytes < full ? full - engine->stray_bytes : 1);
}

/* The memory of the process beside blocks: heaps of decoders and plugins, free pieces that the C library keeps. A part
 * is the program itself; the rest counts against the budget. Looked at only when memory is getting short: it costs
 * microseconds. */
static void count_strays(struct engine *engine) {
  uint64_t budget = engine->options->memory_bytes;
  engine->stray_bytes = stray_bytes();
  if (engine->stray_bytes > budget / STRAY_PARTS) {
    trim_heap();
    engine->stray_bytes = stray_bytes();
  }
  ts_memory_limit_blocks(engine);
}

struct victim {
  struct content *content; /* borrowed */
  double score;            /* bytes per second of getting them back */
};

static int compare_victims(const void *a, const void *b) {
  double x = ((const struct victim *)a)->score, y = ((const struct victim *)b)->score;
  return x > y ? -1 : x < y;
}

/* The bytes that dropping a content frees, by the time it takes to get it back. */
static struct victim rate_victim(struct content *content) {
  double bytes = 0, coded = 0;
  for (size_t i = 0; i < content->out.count; i++) {
    if (!content->out.data[i]) continue;
    bytes += (double)content->out.sizes[i];
    coded += (double)ts_data_coded_bytes(content->out.data[i]);
  }
  double load_s = coded / LOAD_BYTES_PER_SECOND + bytes / FILL_BYTES_PER_SECOND;
  return (struct victim){content, bytes / ((content->is_durable ? load_s : content->cpu_s) + 1e-6)};
}

static struct victim *list_victims(const struct engine *engine, size_t *count) {
  struct victim *victims = NULL;
  size_t capacity = 0;
  *count = 0;
  for (const struct window *window = engine->first_open; window; window = window->next_open) {
    for (size_t i = 0; i < window->contents.all_count; i++) {
      struct content *content = window->contents.all[i];
      if (content->state != CONTENT_DONE || content->pins > 0) continue;
      struct victim victim = rate_victim(content);
      if (victim.score <= 0) continue; /* nothing in memory */
      victims = ts_grow(victims, *count, &capacity, sizeof *victims);
      victims[(*count)++] = victim;
    }
  }
  if (*count > 0) qsort(victims, *count, sizeof *victims, compare_victims);
  return victims;
}

static void drop(struct engine *engine, struct content *content) {
  for (size_t i = 0; i < content->out.count; i++) {
    if (!content->out.data[i]) continue;
    engine->result->dropped++;
    engine->result->spilled += content->is_durable ? 1 : 0;
    ts_data_unref(content->out.data[i]);
    content->out.data[i] = NULL;
  }
}

static void make_room(struct engine *engine, uint64_t need) {
  for (struct window *window = engine->first_open; window; window = window->next_open)
    ts_content_drop_lingering(&window->contents);
  size_t count = 0;
  ts_auto_free struct victim *victims = list_victims(engine, &count);
  for (size_t i = 0; i < count && !fits(engine, need, LOW_WATER); i++) drop(engine, victims[i].content);
}

/* Products that wait to be written are still in memory, as are images whose next tile is not read yet. */
static void let_go_of_the_rest(struct engine *engine) {
  struct ts_error ignored = {0};
  pthread_mutex_unlock(&engine->lock);
  ts_images_close_idle();
  ts_polygons_close_idle();
  if (engine->options->store) {
    ts_tell_events(engine);
    ts_store_flush(engine->options->store, &ignored);
  }
  pthread_mutex_lock(&engine->lock);
  count_strays(engine);
}

static void pin(struct content *content) {
  pins.items = ts_grow(pins.items, pins.count, &pins.capacity, sizeof(struct content *));
  pins.items[pins.count++] = content;
  content->pins++;
}

/* The inputs of the instance and, where one has to be computed again first, its inputs in turn. */
static void pin_inputs(const struct engine *engine, const struct window *window, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    struct instance *producers = ts_window_producers(window, instance, i, &count);
    for (size_t p = 0; p < count; p++) {
      struct content *content = producers[p].content;
      if (!content) continue;
      pin(content);
      const struct instance *origin = ts_content_origin(window, content);
      if (origin && !content->out.data[node->inputs[i].port] && !content->is_durable)
        pin_inputs(engine, window, origin);
    }
  }
}

static void unpin_all(void) {
  for (size_t i = 0; i < pins.count; i++) pins.items[i]->pins--;
  free(pins.items);
  memset(&pins, 0, sizeof pins);
}

static void reserve(struct engine *engine, uint64_t need) {
  mine = (struct reservation){.need_bytes = need, .next = engine->reservations};
  engine->reservations = &mine;
  ts_block_watch_set(&mine.watch);
}

void ts_memory_enter(struct engine *engine, struct window *window, const struct instance *instance) {
  if (engine->options->memory_bytes == 0) return;
  uint64_t need = memory_need(engine, window, instance);
  bool drained = false;
  pin_inputs(engine, window, instance);
  if (!fits(engine, need, SHORT_SHARE)) count_strays(engine);
  while (!fits(engine, need, FULL)) {
    make_room(engine, need);
    if (fits(engine, need, FULL)) break;
    if (!drained) {
      drained = true;
      let_go_of_the_rest(engine);
    } else if (engine->running > 0 && !engine->over) {
      engine->result->waits++;
      ts_engine_wait(engine);
      need = memory_need(engine, window, instance); /* more may be known, or missing, by now */
      count_strays(engine);
    } else {
      break;
    }
  }
  reserve(engine, need);
}

void ts_memory_leave(struct engine *engine, const struct instance *instance) {
  if (engine->options->memory_bytes == 0) return;
  struct reservation **link = &engine->reservations;
  while (*link != &mine) link = &(*link)->next;
  *link = mine.next;
  ts_block_watch_set(NULL);
  unpin_all();
  if (engine->plan->nodes[instance->node].kind == TS_NODE_SOURCE) trim_heap();
}
