/* Gets the data of a content back when it is needed again: from memory, from the store, or by computing it once more.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

#include <string.h>

static struct ts_data *from_memory(struct engine *engine, struct content *content, size_t port) {
  pthread_mutex_lock(&engine->lock);
  struct ts_data *data = content->out.data[port] ? ts_data_ref(content->out.data[port]) : NULL;
  pthread_mutex_unlock(&engine->lock);
  return data;
}

/* Leaves the data with the content while others still read it; takes a reference and returns one. Should another thread
 * have got the same data back in the meantime, there is no need for two copies. */
static struct ts_data *keep(struct engine *engine, struct content *content, size_t port, struct ts_data *data) {
  pthread_mutex_lock(&engine->lock);
  struct ts_data *other = content->out.data[port] ? ts_data_ref(content->out.data[port]) : NULL;
  if (!other && content->holders > 0) content->out.data[port] = ts_data_ref(data);
  pthread_mutex_unlock(&engine->lock);
  if (!other) return data;
  ts_data_unref(data);
  return other;
}

static struct ts_data *compute_from(struct engine *engine, struct window *window, struct content *content,
                                    const struct instance *origin, size_t port, struct ts_failure *failure) {
  size_t input_count = 0;
  struct ts_data **inputs = ts_collect_inputs(engine, window, origin, &input_count, failure);
  if (!inputs) return NULL;
  struct ts_data **outputs = ts_calloc(content->out.count + 1, sizeof(struct ts_data *));
  struct ts_call_times times = {0};
  struct ts_data *result = NULL;
  if (ts_execute(engine, window, origin, inputs, input_count, outputs, &times, failure)) {
    pthread_mutex_lock(&engine->lock);
    if (engine->plan->nodes[origin->node].kind == TS_NODE_TASK) engine->result->recomputed++;
    pthread_mutex_unlock(&engine->lock);
    result = keep(engine, content, port, ts_data_ref(outputs[port]));
  }
  for (size_t i = 0; i < content->out.count; i++) ts_data_unref(outputs[i]);
  free(outputs);
  ts_release_inputs(inputs, input_count);
  return result;
}

static struct ts_data *compute_again(struct engine *engine, struct window *window, struct content *content, size_t port,
                                     struct ts_failure *failure) {
  struct ts_error err = {0};
  struct ts_data *data = NULL;
  if (ts_pane_hold(window, content, &err))
    data = compute_from(engine, window, content, ts_content_origin(window, content), port, failure);
  else if (failure)
    failure->error = err;
  ts_pane_let_go(window, content);
  return data;
}

struct ts_data *ts_materialise(struct engine *engine, struct window *window, struct content *content, size_t port,
                               struct ts_failure *failure) {
  struct ts_data *data = from_memory(engine, content, port);
  if (data) return data;
  if (engine->options->store) {
    struct ts_error err = {0};
    data = ts_call_load_product(&engine->env, &content->out.digests[port], &err);
    if (data) return keep(engine, content, port, data);
  }
  return compute_again(engine, window, content, port, failure);
}

void ts_release_inputs(struct ts_data **inputs, size_t count) {
  for (size_t i = 0; inputs && i < count; i++) ts_data_unref(inputs[i]);
  free(inputs);
}

static struct ts_data *open_file(const struct engine *engine, const struct instance *instance) {
  const struct ts_item_source *source = ts_instance_source(engine, instance);
  return ts_data_create_file(source->path, &source->digest);
}

/* An instance loaded from the store has no finished producers: to compute it again they are found (the store may know
 * their digests), or computed, in turn. */
static struct content *content_of_producer(struct engine *engine, struct window *window, struct instance *producer) {
  pthread_mutex_lock(&engine->lock);
  struct content *content = producer->state == DONE ? producer->content : NULL;
  bool created = !content;
  if (created) {
    content = ts_content_create(&window->contents, producer->node, producer->unit,
                                ts_instance_output_count(engine, producer));
    content->state = CONTENT_DONE;
  }
  pthread_mutex_unlock(&engine->lock);
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record record;
  struct ts_error ignored = {0};
  if (created && engine->options->store &&
      ts_store_find(engine->options->store, &producer->key, &arena, &record, &ignored))
    ts_outputs_recall(&content->out, &record);
  return content;
}

struct ts_data **ts_collect_inputs(struct engine *engine, struct window *window, const struct instance *instance,
                                   size_t *count, struct ts_failure *failure) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  size_t capacity = 0;
  struct ts_data **inputs = NULL;
  *count = 0;
  if (node->kind == TS_NODE_SOURCE) {
    inputs = ts_calloc(1, sizeof(struct ts_data *));
    inputs[(*count)++] = open_file(engine, instance);
    return inputs;
  }
  inputs = ts_grow(inputs, 0, &capacity, sizeof(struct ts_data *));
  for (size_t i = 0; i < node->input_count; i++) {
    size_t producer_count = 0;
    struct instance *producers = ts_window_producers(window, instance, i, &producer_count);
    for (size_t p = 0; p < (producer_count ? producer_count : 1); p++) {
      inputs = ts_grow(inputs, *count, &capacity, sizeof(struct ts_data *));
      struct ts_data *data = NULL;
      if (producer_count) {
        struct content *content = content_of_producer(engine, window, &producers[p]);
        data = ts_materialise(engine, window, content, node->inputs[i].port, failure);
        if (!data) {
          ts_release_inputs(inputs, *count);
          return NULL;
        }
      }
      inputs[(*count)++] = data;
    }
  }
  return inputs;
}
