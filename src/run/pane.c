/* Panes: the finest units of a window, opened one after another as threads run dry and closed when they are finished.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A window of many tiles keeps the instances of its coarser scopes and, of its tiles, those that a coarser instance
 * reads (the border). All others belong to the pane of their tile. One thread at a time opens panes of a window, in
 * order: the key of a coarser instance is made as soon as all its panes have theirs. Where the store may have products,
 * all keys are made and looked up first, pane by pane, and only those of the border are kept. */
#include "run/run_int.h"

#include "base/alloc.h"

/* ---- Which nodes belong to panes. ---- */

static bool is_fine(const struct ts_run_setup *setup, uint32_t node) {
  return setup->plan->nodes[node].scope == setup->layout.scope;
}

/* Fed nodes are coarser and read, by whatever way, nodes of the finest scope. */
static bool mark_fed(struct ts_run_setup *setup) {
  const struct ts_plan *plan = setup->plan;
  bool is_usable = true;
  for (uint32_t n = 0; n < plan->node_count; n++) {
    for (size_t i = 0; i < plan->nodes[n].input_count; i++) {
      const uint32_t input = plan->nodes[n].inputs[i].node;
      if (input == TS_NO_NODE) continue;
      const bool fed = setup->layout.is_fed[input];
      if (is_fine(setup, n))
        is_usable = is_usable && !fed;
      else
        setup->layout.is_fed[n] = setup->layout.is_fed[n] || fed || is_fine(setup, input);
    }
  }
  return is_usable;
}

static bool has_coarse_reader(const struct ts_run_setup *setup, uint32_t node) {
  for (uint32_t i = setup->consumer_first[node]; i < setup->consumer_first[node + 1]; i++) {
    if (!is_fine(setup, setup->consumers[i])) return true;
  }
  return false;
}

static bool has_fine_reader(const struct ts_run_setup *setup, uint32_t node) {
  for (uint32_t i = setup->consumer_first[node]; i < setup->consumer_first[node + 1]; i++) {
    if (is_fine(setup, setup->consumers[i])) return true;
  }
  return false;
}

static bool makes_pixels(const struct ts_plan *plan, const struct ts_node *node, uint32_t port) {
  const struct ts_workflow *w = plan->workflow;
  if (node->kind == TS_NODE_CROP) return true;
  const struct ts_type *type = node->kind == TS_NODE_SOURCE
                                   ? w->inputs[node->task].type
                                   : ts_type_find(w->tasks[node->task].op->descriptor->outputs[port]->type);
  return !type || type->kind == TS_DATA_PIXELS; /* alternatives are all pixel types */
}

/* Pane by pane, products of all sets wait for their coarser readers until the last pane is finished. Tables may; images
 * of several sets are made one set after another instead, over all units at once. */
static bool border_is_small(const struct ts_run_setup *setup) {
  const struct ts_plan *plan = setup->plan;
  uint32_t image = TS_NO_NODE;
  for (uint32_t n = 0; n < plan->node_count; n++) {
    for (size_t i = 0; !is_fine(setup, n) && i < plan->nodes[n].input_count; i++) {
      const struct ts_node_input input = plan->nodes[n].inputs[i];
      if (input.node == TS_NO_NODE || input.node == image || !is_fine(setup, input.node)) continue;
      if (!makes_pixels(plan, &plan->nodes[input.node], input.port)) continue;
      if (image != TS_NO_NODE) return false;
      image = input.node;
    }
  }
  return true;
}

void ts_layout_make(struct ts_run_setup *setup) {
  const struct ts_plan *plan = setup->plan;
  struct pane_layout *layout = &setup->layout;
  layout->inner = ts_calloc(plan->node_count + 1, sizeof *layout->inner);
  layout->is_fed = ts_calloc(plan->node_count + 1, sizeof *layout->is_fed);
  layout->scope = plan->coarsest;
  for (uint32_t n = 0; n < plan->node_count; n++) {
    if (ts_scope_is_coarser(layout->scope, plan->nodes[n].scope)) layout->scope = plan->nodes[n].scope;
  }
  layout->is_usable = mark_fed(setup) && layout->scope != plan->coarsest && border_is_small(setup);
  for (uint32_t n = 0; n < plan->node_count; n++) {
    const bool is_inner = is_fine(setup, n) && !has_coarse_reader(setup, n);
    layout->inner[n] = is_inner ? layout->inner_count++ : TS_NO_NODE;
  }
}

/* ---- Where instances are. ---- */

static size_t place_of_unit(const struct window *window, size_t unit) {
  return unit - window->units[window->engine->setup->layout.scope].first;
}

struct instance *ts_content_origin(const struct window *window, const struct content *content) {
  const bool in_pane = window->panes && is_fine(window->engine->setup, content->node);
  if (in_pane && !window->panes[place_of_unit(window, content->unit)]) return NULL;
  return ts_window_instance_of_unit(window, content->node, content->unit);
}

/* ---- Making panes. ---- */

/* Its instances have no keys yet. Under engine.lock, or before anybody else knows the window. */
static struct pane *add_pane(struct window *window, size_t place) {
  const struct ts_run_setup *setup = window->engine->setup;
  struct pane *pane = ts_calloc(1, sizeof *pane + setup->layout.inner_count * sizeof *pane->instances);
  pane->place = place;
  pane->open_count = 1; /* until it is opened */
  for (uint32_t n = 0; n < setup->plan->node_count; n++) {
    if (setup->layout.inner[n] == TS_NO_NODE) continue;
    struct instance *instance = &pane->instances[setup->layout.inner[n]];
    instance->node = n;
    instance->unit = window->units[setup->layout.scope].first + place;
    const uint8_t found = ts_pane_found(window->found, &setup->layout, place, setup->layout.inner[n]);
    instance->looked_up = found & FOUND_ASKED;
    instance->in_store = found & FOUND_THERE;
  }
  window->panes[place] = pane;
  return pane;
}

static void remove_pane(struct window *window, struct pane *pane) {
  window->panes[pane->place] = NULL;
  free(pane);
}

/* Without engine.lock: nobody else uses the keys yet. with_border: also of the instances that the window keeps. */
static bool make_keys(struct window *window, const struct pane *pane, bool with_border, struct ts_error *err) {
  const struct ts_run_setup *setup = window->engine->setup;
  bool ok = true;
  for (uint32_t n = 0; ok && n < setup->plan->node_count; n++) {
    if (!is_fine(setup, n) || (setup->layout.inner[n] == TS_NO_NODE && !with_border)) continue;
    ok = ts_instance_key(window->engine, window, ts_window_instance(window, n, pane->place), err);
  }
  return ok;
}

/* The instance of a coarser node whose last pane this is; NULL: none, or it does not read panes. */
static struct instance *completed_by(const struct window *window, uint32_t node, size_t place) {
  const struct engine *engine = window->engine;
  const enum ts_scope scope = engine->plan->nodes[node].scope, finest = engine->setup->layout.scope;
  const size_t last = window->units[finest].first + place;
  size_t unit = 0, first = 0, count = 0;
  if (!engine->setup->layout.is_fed[node]) return NULL;
  ts_dataset_related(engine->dataset, finest, last, scope, &unit, &count);
  ts_dataset_related(engine->dataset, scope, unit, finest, &first, &count);
  return first + count == last + 1 ? ts_window_instance_of_unit(window, node, unit) : NULL;
}

static bool make_fed_keys(struct window *window, size_t last_place, struct ts_error *err) {
  bool ok = true;
  for (uint32_t n = 0; ok && n < window->engine->plan->node_count; n++) {
    struct instance *instance = completed_by(window, n, last_place);
    ok = !instance || ts_instance_key(window->engine, window, instance, err);
  }
  return ok;
}

/* Under engine.lock. */
static void note_fed_keys(struct window *window, size_t last_place) {
  for (uint32_t n = 0; n < window->engine->plan->node_count; n++) {
    struct instance *instance = completed_by(window, n, last_place);
    if (!instance) continue;
    instance->lacks_key = false;
    if (instance->is_broken) ts_skip(window, instance);
  }
}

bool ts_run_store_is_empty(struct ts_store *store) {
  struct ts_store_usage usage = {0};
  struct ts_error ignored = {0};
  return !store || (ts_store_usage(store, &usage, &ignored) && usage.records == 0);
}

/* All keys before the first task; those of panes are not kept. */
static bool make_all_keys(struct window *window, struct ts_error *err) {
  bool ok = true;
  for (size_t place = 0; ok && place < window->pane_count; place++) {
    struct pane *pane = add_pane(window, place);
    ok = make_keys(window, pane, true, err) && make_fed_keys(window, place, err);
    remove_pane(window, pane);
  }
  return ok;
}

/* Coarser instances that the store does not have need what they read. */
static bool look_up_coarse(void *user, size_t index) {
  struct window *window = user;
  const struct instance *instance = ts_window_at(window, index);
  if (!ts_look_up(user, index)) return false;
  for (size_t i = 0; i < window->engine->plan->nodes[instance->node].input_count; i++) {
    size_t count = 0;
    struct instance *producers = ts_window_producers(window, instance, i, &count);
    if (count > 0 && !ts_pane_is_crossed(window, instance, producers->node)) continue;
    for (size_t p = 0; p < count; p++) producers[p].awaited = true;
  }
  return true;
}

static bool any_is_wanted(const struct window *window, size_t place) {
  const struct engine *engine = window->engine;
  for (uint32_t n = 0; n < engine->plan->node_count; n++) {
    if (!is_fine(engine->setup, n)) continue;
    if (engine->wanted_ports[n] != 0) return true;
    if (engine->setup->layout.inner[n] == TS_NO_NODE && ts_window_instance(window, n, place)->awaited) return true;
  }
  return false;
}

static void walk_wanted(struct window *window, const struct pane *pane, const struct ts_walk *walk) {
  const struct ts_run_setup *setup = window->engine->setup;
  for (uint32_t n = 0; n < setup->plan->node_count; n++) {
    if (!is_fine(setup, n)) continue;
    const struct instance *instance = ts_window_instance(window, n, pane->place);
    if (instance->awaited || window->engine->wanted_ports[n] != 0) ts_window_walk(window, instance, walk);
  }
}

/* Asks the store about all that will be asked for, before the first task: what this run records meanwhile does not
 * change what it executes. */
static bool look_up_all(struct window *window, struct ts_error *err) {
  const uint32_t inner_count = window->engine->setup->layout.inner_count;
  window->found = ts_calloc(window->pane_count * inner_count + 1, sizeof *window->found);
  ts_window_walk_wanted(window, &(struct ts_walk){.enter = look_up_coarse, .user = window});
  bool ok = true;
  for (size_t place = 0; ok && place < window->pane_count; place++) {
    if (!any_is_wanted(window, place)) continue;
    struct pane *pane = add_pane(window, place);
    ok = make_keys(window, pane, false, err);
    if (ok) walk_wanted(window, pane, &(struct ts_walk){.enter = ts_look_up, .user = window});
    for (uint32_t i = 0; i < inner_count; i++)
      window->found[place * inner_count + i] =
          (uint8_t)((pane->instances[i].looked_up ? FOUND_ASKED : 0) | (pane->instances[i].in_store ? FOUND_THERE : 0));
    remove_pane(window, pane);
  }
  return ok;
}

/* Instances that panes to come may read keep their products until then. Without records in the store, nothing is found
 * there. */
static void prepare_instances(struct window *window) {
  const struct ts_run_setup *setup = window->engine->setup;
  for (size_t i = 0; i < window->instance_count; i++) {
    struct instance *instance = &window->instances[i];
    if (!is_fine(setup, instance->node) && has_fine_reader(setup, instance->node)) instance->readers++;
    if (window->is_keyed) continue;
    instance->looked_up = true;
    instance->lacks_key = setup->layout.is_fed[instance->node];
  }
}

bool ts_panes_begin(struct window *window, struct ts_error *err) {
  window->open_count = window->pane_count;
  window->is_keyed = !ts_run_store_is_empty(window->engine->options->store);
  if (window->is_keyed && !(make_all_keys(window, err) && look_up_all(window, err))) return false;
  prepare_instances(window);
  return true;
}

/* ---- Opening. ---- */

/* The last pane is open: no other will read the products of coarser instances. */
static void release_coarse(struct window *window) {
  const struct ts_run_setup *setup = window->engine->setup;
  for (size_t i = 0; i < window->instance_count; i++) {
    struct instance *instance = &window->instances[i];
    if (!is_fine(setup, instance->node) && has_fine_reader(setup, instance->node)) ts_release_reader(window, instance);
  }
}

/* An instance in the store whose product turns out to be damaged needs its panes: these wait until that is known. */
bool ts_pane_may_open(const struct window *window) {
  return window->next_pane < window->pane_count && !window->is_opening && window->loading == 0 &&
         window->open_panes <= window->engine->result->threads;
}

bool ts_pane_open_next(struct window *window, struct ts_error *err) {
  struct engine *engine = window->engine;
  const size_t place = window->next_pane++;
  window->is_opening = true;
  struct pane *pane = window->panes[place] ? window->panes[place] : add_pane(window, place);
  pthread_mutex_unlock(&engine->lock);
  bool ok = pane->has_keys || make_keys(window, pane, !window->is_keyed, err);
  pane->has_keys = true;
  ok = ok && (window->is_keyed || make_fed_keys(window, place, err));
  pthread_mutex_lock(&engine->lock);
  window->is_opening = false;
  if (!ok) return false;
  window->open_panes++;
  if (!window->is_keyed) note_fed_keys(window, place);
  const struct ts_walk activation = ts_activation(window);
  walk_wanted(window, pane, &activation);
  if (window->next_pane == window->pane_count) release_coarse(window);
  ts_finish_one(window, pane);
  return true;
}

/* ---- Closing, and looking at closed ones again. ---- */

void ts_pane_close(struct window *window, struct pane *pane) {
  pane->is_over = true;
  window->open_panes--;
  if (pane->users == 0) remove_pane(window, pane);
}

bool ts_pane_hold(struct window *window, const struct content *content, struct ts_error *err) {
  struct engine *engine = window->engine;
  if (!window->panes || !is_fine(engine->setup, content->node)) return true;
  const size_t place = place_of_unit(window, content->unit);
  pthread_mutex_lock(&engine->lock);
  while (window->is_opening) ts_engine_wait(engine);
  struct pane *pane = window->panes[place] ? window->panes[place] : add_pane(window, place);
  bool ok = true;
  pane->users++;
  if (!pane->has_keys) {
    window->is_opening = true;
    pane->is_over = place < window->next_pane; /* it was open once */
    pthread_mutex_unlock(&engine->lock);
    ok = make_keys(window, pane, false, err);
    pthread_mutex_lock(&engine->lock);
    pane->has_keys = true;
    window->is_opening = false;
    pthread_cond_broadcast(&engine->changed);
  }
  pthread_mutex_unlock(&engine->lock);
  return ok;
}

void ts_pane_let_go(struct window *window, const struct content *content) {
  struct engine *engine = window->engine;
  if (!window->panes || !is_fine(engine->setup, content->node)) return;
  pthread_mutex_lock(&engine->lock);
  struct pane *pane = window->panes[place_of_unit(window, content->unit)];
  if (--pane->users == 0 && pane->is_over) remove_pane(window, pane);
  pthread_mutex_unlock(&engine->lock);
}
