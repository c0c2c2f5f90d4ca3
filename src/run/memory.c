/* The memory budget: a task starts only when it fits; what others still need is let go, to be loaded or computed again.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Used memory is what pixel buffers take now plus what running tasks are expected to add. When the next task does not fit,
 * products that wait for later readers are dropped, those with the most bytes per second of getting them back first: a
 * product that the store keeps costs its loading (it is spilled), any other its computation (recording keeps exactly those
 * products that are cheaper to load than to compute). If that is not enough the task waits until another one has finished;
 * a task that runs alone always starts, so that every run ends. */
#include "run/run_int.h"

#include "base/alloc.h"

#include <stddef.h>
#include <stdlib.h>

#define LOAD_BYTES_PER_SECOND 500e6
#define UNKNOWN_SCRATCH       3.0  /* bytes of scratch per byte of input, where an operation does not say */
#define UNKNOWN_OUTPUT        1.0  /* bytes of output per byte of input, before the first call */
#define LOW_WATER             0.85 /* of the budget: dropping a little more now saves dropping at every task */

static double scratch_ratio(const struct ts_op *op) {
  const struct ts_op_descriptor *d = op->descriptor;
  bool says = d->size_bytes >= offsetof(struct ts_op_descriptor, scratch_per_input_byte) + sizeof(double);
  return says && d->scratch_per_input_byte > 0 ? d->scratch_per_input_byte : UNKNOWN_SCRATCH;
}

/* Bytes of pixels (tables are small change) that enter an instance. */
static double input_bytes(const struct engine *engine, const struct group *group, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  double sum = 0;
  if (node->kind == TS_NODE_SOURCE && node->scope == TS_PER_TILE) {
    const struct ts_region *region = &engine->dataset->tiles[instance->unit].region;
    return (double)region->width * (double)region->height * 3;
  }
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    struct instance *producers = ts_group_producers(group, instance, i, &count);
    for (size_t p = 0; p < count; p++) sum += (double)producers[p].content->sizes[node->inputs[i].port];
  }
  return sum;
}

uint64_t ts_memory_need(const struct engine *engine, const struct group *group, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  double bytes = input_bytes(engine, group, instance);
  struct ts_op *op = ts_instance_op(engine, instance);
  double output = node->kind == TS_NODE_TASK ? engine->output_ratio[node->task] : UNKNOWN_OUTPUT;
  double need = bytes * ((op ? scratch_ratio(op) : 0) + (output > 0 ? output : UNKNOWN_OUTPUT));
  return (uint64_t)need;
}

void ts_memory_learn(struct engine *engine, const struct group *group, const struct instance *instance,
                     const struct content *content) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  double in = input_bytes(engine, group, instance);
  double out = 0;
  if (node->kind != TS_NODE_TASK || in <= 0) return;
  for (size_t i = 0; i < content->output_count; i++) out += (double)content->sizes[i];
  if (out / in > engine->output_ratio[node->task]) engine->output_ratio[node->task] = out / in;
}

static bool fits(const struct engine *engine, uint64_t need, double share) {
  return (double)(ts_buffer_live_bytes() + engine->reserved_bytes + need) <=
         share * (double)engine->options->memory_bytes;
}

struct victim {
  struct content *content; /* borrowed */
  double score;            /* bytes per second of getting them back */
};

static int compare_victims(const void *a, const void *b) {
  double x = ((const struct victim *)a)->score, y = ((const struct victim *)b)->score;
  return x > y ? -1 : x < y;
}

static uint64_t bytes_in_memory(const struct content *content) {
  uint64_t sum = 0;
  for (size_t i = 0; i < content->output_count; i++) sum += content->data[i] ? content->sizes[i] : 0;
  return sum;
}

static double seconds_to_get_back(const struct content *content, uint64_t bytes) {
  double load = (double)bytes / LOAD_BYTES_PER_SECOND;
  return (content->is_durable ? load : content->cpu_s) + 1e-6;
}

static struct victim *list_victims(const struct engine *engine, size_t *count) {
  struct victim *victims = NULL;
  size_t capacity = 0;
  *count = 0;
  for (const struct group *group = engine->first_open; group; group = group->next_open) {
    for (size_t i = 0; i < group->all_count; i++) {
      struct content *content = group->all[i];
      uint64_t bytes = content->state == CONTENT_DONE && content->pins == 0 ? bytes_in_memory(content) : 0;
      if (bytes == 0) continue;
      victims = ts_grow(victims, *count, &capacity, sizeof *victims);
      victims[(*count)++] = (struct victim){content, (double)bytes / seconds_to_get_back(content, bytes)};
    }
  }
  if (*count > 0) qsort(victims, *count, sizeof *victims, compare_victims);
  return victims;
}

static void drop(struct engine *engine, struct content *content) {
  for (size_t i = 0; i < content->output_count; i++) {
    if (!content->data[i]) continue;
    engine->result->dropped++;
    engine->result->spilled += content->is_durable ? 1 : 0;
    ts_data_unref(content->data[i]);
    content->data[i] = NULL;
  }
}

static void make_room(struct engine *engine, uint64_t need) {
  size_t count = 0;
  struct victim *victims = list_victims(engine, &count);
  for (size_t i = 0; i < count && !fits(engine, need, LOW_WATER); i++) drop(engine, victims[i].content);
  free(victims);
}

/* Products that wait to be written are still in memory: writing them now frees it. */
static void drain_store(struct engine *engine) {
  struct ts_error ignored = {0};
  if (!engine->options->store) return;
  pthread_mutex_unlock(&engine->lock);
  ts_tell_events(engine);
  ts_store_flush(engine->options->store, &ignored);
  pthread_mutex_lock(&engine->lock);
}

static void pin_inputs(struct engine *engine, struct group *group, const struct instance *instance, int step) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    struct instance *producers = ts_group_producers(group, instance, i, &count);
    for (size_t p = 0; p < count; p++) producers[p].content->pins += step;
  }
}

uint64_t ts_memory_enter(struct engine *engine, struct group *group, const struct instance *instance) {
  if (engine->options->memory_bytes == 0) return 0;
  uint64_t need = ts_memory_need(engine, group, instance);
  bool drained = false;
  pin_inputs(engine, group, instance, 1);
  while (!fits(engine, need, 1)) {
    make_room(engine, need);
    if (fits(engine, need, 1)) break;
    if (!drained) {
      drained = true;
      drain_store(engine);
    } else if (engine->running > 0 && !engine->over) {
      engine->result->waits++;
      ts_engine_wait(engine);
    } else {
      break;
    }
  }
  engine->reserved_bytes += need;
  return need;
}

void ts_memory_leave(struct engine *engine, struct group *group, const struct instance *instance, uint64_t need) {
  if (engine->options->memory_bytes == 0) return;
  engine->reserved_bytes -= need;
  pin_inputs(engine, group, instance, -1);
}
