/* Progress of sample and analyse, counted in rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "base/clock.h"

#define QUIET_NS UINT64_C(150000000) /* work that is over by then needs no progress */
#define TELL_NS  UINT64_C(100000000)

void ts_meter_init(struct meter *meter, const struct ts_request *request, size_t threads, const char *first,
                   const char *second) {
  *meter = (struct meter){.request = request, .threads = threads, .start_ns = ts_clock_ns()};
  meter->stages[0] = (struct tessera_stage){.size_bytes = sizeof *meter->stages, .name = first};
  meter->stages[1] = (struct tessera_stage){.size_bytes = sizeof *meter->stages, .name = second};
}

static void report(struct meter *meter, enum tessera_event_kind kind, uint64_t now) {
  const struct tessera_stage *stage = &meter->stages[meter->current];
  double elapsed_s = (double)(now - meter->start_ns) / 1e9;
  double left_s = -1;
  if (meter->current + 1 == TS_METER_STAGES && stage->done > 0 && stage->total >= stage->done) {
    left_s = elapsed_s * (double)(stage->total - stage->done) / (double)stage->done;
  }
  const struct tessera_event event = {.size_bytes = sizeof event,
                                      .kind = kind,
                                      .run = "",
                                      .elapsed_s = elapsed_s,
                                      .left_s = left_s,
                                      .threads = meter->threads,
                                      .stages = meter->stages,
                                      .stage_count = TS_METER_STAGES,
                                      .stage = stage->name,
                                      .task = "",
                                      .key = "",
                                      .outcome = "",
                                      .file = "",
                                      .message = "",
                                      .help = "",
                                      .tile_x = -1,
                                      .tile_y = -1,
                                      .share = left_s < 0 ? -1 : (double)stage->done / (double)stage->total,
                                      .part = "",
                                      .phase = "",
                                      .phase_state = ""};
  meter->request->observer->on_event(meter->request->observer->user, &event);
  meter->told_ns = now;
}

static void update(struct meter *meter) {
  if (!meter->request->observer) return;
  uint64_t now = ts_clock_ns();
  bool first = meter->told_ns == 0;
  if (now - meter->start_ns < QUIET_NS || (!first && now - meter->told_ns < TELL_NS)) return;
  report(meter, first ? TESSERA_RUN_BEGIN : TESSERA_PROGRESS, now);
}

void ts_meter_begin(struct meter *meter, size_t stage, uint64_t total) {
  for (size_t i = 0; i < stage; i++) {
    meter->stages[i].total = meter->stages[i].done;
    meter->stages[i].running = 0;
  }
  meter->current = stage;
  meter->stages[stage].total = total;
  meter->stages[stage].running = 1;
  update(meter);
}

bool ts_meter_add(struct meter *meter, uint64_t count, struct ts_error *err) {
  struct tessera_stage *stage = &meter->stages[meter->current];
  stage->done += count;
  if (stage->total > 0 && stage->total < stage->done) stage->total = stage->done;
  update(meter);
  const volatile int *stop = meter->request->stop;
  if (!stop || __atomic_load_n(stop, __ATOMIC_RELAXED) == 0) return true;
  ts_fail(err, TS_ERR_CANCELLED, "stopped on request");
  return ts_error_help(err, "nothing was written; run the command again to start over");
}

void ts_meter_end(struct meter *meter) {
  if (!meter->told_ns) return;
  for (size_t i = 0; i < TS_METER_STAGES; i++) {
    meter->stages[i].total = meter->stages[i].done;
    meter->stages[i].running = 0;
  }
  report(meter, TESSERA_RUN_END, ts_clock_ns());
}
