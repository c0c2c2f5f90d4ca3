/* Messages of coordinator and workers, written and read.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/messages.h"

#include "base/alloc.h"

#include <string.h>

void ts_dist_add_hello(struct ts_str *out, enum ts_dist_role role, const char *id) {
  ts_wire_add_u64(out, TS_DIST_MAGIC);
  ts_wire_add_u32(out, TS_DIST_PROTOCOL);
  ts_wire_add_u8(out, (uint8_t)role);
  ts_wire_add_text(out, id);
}

bool ts_dist_read_hello(struct ts_wire *wire, enum ts_dist_role *role, uint32_t *protocol, const char **id) {
  const uint64_t magic = ts_wire_u64(wire);
  *protocol = ts_wire_u32(wire);
  *role = (enum ts_dist_role)ts_wire_u8(wire);
  *id = ts_wire_text(wire);
  return ts_wire_is_whole(wire) && magic == TS_DIST_MAGIC && *role <= TS_DIST_ROLE_HEARTBEAT;
}

void ts_dist_add_bucket(struct ts_str *out, const struct ts_dist_bucket *bucket) {
  ts_wire_add_u64(out, bucket->number);
  ts_wire_add_u64(out, bucket->token);
  ts_wire_add_u32(out, bucket->window);
  ts_wire_add_text(out, bucket->body);
}

struct ts_dist_bucket ts_dist_read_bucket(struct ts_wire *wire) {
  struct ts_dist_bucket bucket = {.number = ts_wire_u64(wire)};
  bucket.token = ts_wire_u64(wire);
  bucket.window = ts_wire_u32(wire);
  bucket.body = ts_wire_text(wire);
  return bucket;
}

void ts_dist_result_add(struct ts_str *out, const struct ts_dist_result *result) {
  ts_wire_add_u64(out, result->number);
  ts_wire_add_u64(out, result->token);
  ts_wire_add_u8(out, result->stopped ? 1 : 0);
  ts_wire_add_u64(out, result->dropped);
  ts_wire_add_u64(out, result->spilled);
  ts_wire_add_u64(out, result->waits);
  ts_wire_add_u64(out, result->recomputed);
  ts_wire_add_u64(out, result->peak_bytes);
  ts_wire_add_u64(out, result->parts.asked);
  ts_wire_add_u64(out, result->parts.recalled);
  ts_wire_add_f64(out, result->cpu_s);
}

struct ts_dist_result ts_dist_result_read(struct ts_wire *wire) {
  struct ts_dist_result result = {0};
  result.number = ts_wire_u64(wire);
  result.token = ts_wire_u64(wire);
  result.stopped = ts_wire_u8(wire) != 0;
  result.dropped = ts_wire_u64(wire);
  result.spilled = ts_wire_u64(wire);
  result.waits = ts_wire_u64(wire);
  result.recomputed = ts_wire_u64(wire);
  result.peak_bytes = ts_wire_u64(wire);
  result.parts.asked = ts_wire_u64(wire);
  result.parts.recalled = ts_wire_u64(wire);
  result.cpu_s = ts_wire_f64(wire);
  return result;
}

void ts_dist_add_start(struct ts_str *out, uint32_t node) {
  ts_wire_add_u8(out, TS_DIST_ITEM_START);
  ts_wire_add_u32(out, node);
}

void ts_dist_add_task(struct ts_str *out, const struct ts_task_event *event) {
  ts_wire_add_u8(out, TS_DIST_ITEM_TASK);
  ts_wire_add_u32(out, event->node);
  ts_wire_add_u64(out, event->unit);
  ts_wire_add_u8(out, (uint8_t)event->outcome);
  ts_wire_add_raw(out, &event->key, sizeof event->key);
  ts_wire_add_f64(out, event->start_s);
  ts_wire_add_f64(out, event->wall_s);
  ts_wire_add_f64(out, event->cpu_s);
  ts_wire_add_u64(out, event->worker);
  ts_wire_add_u8(out, event->error != NULL);
  if (event->error) ts_wire_add_error(out, event->error);
  ts_wire_add_text(out, event->log);
  ts_wire_add_text(out, event->remark);
  ts_wire_add_u64(out, event->output_bytes);
  ts_wire_add_u64(out, event->peak_bytes);
  const size_t ports = event->port_count < TS_DIST_PORTS ? event->port_count : TS_DIST_PORTS;
  ts_wire_add_u8(out, (uint8_t)ports);
  for (size_t i = 0; i < ports; i++) ts_wire_add_u64(out, event->port_bytes[i]);
}

bool ts_dist_add_product(struct ts_str *out, uint32_t node, uint32_t port, size_t unit, const struct ts_data *data,
                         struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str packed = {0};
  if (!ts_data_pack(data, &packed, err)) return false;
  ts_wire_add_u8(out, TS_DIST_ITEM_PRODUCT);
  ts_wire_add_u32(out, node);
  ts_wire_add_u64(out, unit);
  ts_wire_add_u32(out, port);
  ts_wire_add_blob(out, packed.data, packed.length);
  return true;
}

void ts_dist_add_kept(struct ts_str *out, uint32_t node, uint32_t port, size_t unit, const struct ts_sha256 *digest) {
  ts_wire_add_u8(out, TS_DIST_ITEM_KEPT);
  ts_wire_add_u32(out, node);
  ts_wire_add_u64(out, unit);
  ts_wire_add_u32(out, port);
  ts_wire_add_raw(out, digest->bytes, sizeof digest->bytes);
}

static void read_ports(struct ts_wire *wire, struct ts_dist_news *news) {
  const size_t count = ts_wire_u8(wire);
  wire->failed = wire->failed || count > TS_DIST_PORTS;
  for (size_t i = 0; !wire->failed && i < count; i++) news->port_bytes[i] = (size_t)ts_wire_u64(wire);
  news->event.port_count = wire->failed ? 0 : count;
  news->event.port_bytes = news->port_bytes;
}

static void read_error(struct ts_wire *wire, struct ts_dist_news *news) {
  if (ts_wire_u8(wire) == 0) return;
  ts_wire_error(wire, TS_ERR_TASK_FAILED, &news->error);
  news->event.error = &news->error;
}

static void read_task(struct ts_wire *wire, struct ts_dist_news *news) {
  struct ts_task_event *event = &news->event;
  uint8_t outcome = 0;
  event->unit = (size_t)ts_wire_u64(wire);
  outcome = ts_wire_u8(wire);
  event->outcome = outcome < TS_OUTCOME_COUNT ? (enum ts_outcome)outcome : TS_OUTCOME_FAILED;
  ts_wire_raw(wire, &event->key, sizeof event->key);
  event->start_s = ts_wire_f64(wire);
  event->wall_s = ts_wire_f64(wire);
  event->cpu_s = ts_wire_f64(wire);
  event->worker = (size_t)ts_wire_u64(wire);
  read_error(wire, news);
  event->log = ts_wire_text(wire);
  event->remark = ts_wire_text(wire);
  event->output_bytes = ts_wire_u64(wire);
  event->peak_bytes = ts_wire_u64(wire);
  read_ports(wire, news);
}

bool ts_dist_read_news(struct ts_wire *wire, struct ts_dist_news *news) {
  if (wire->failed || wire->left == 0) return false;
  *news = (struct ts_dist_news){.event.log = "", .event.remark = ""};
  uint8_t item = ts_wire_u8(wire);
  news->item = (enum ts_dist_item)item;
  news->event.node = ts_wire_u32(wire);
  if (item == TS_DIST_ITEM_TASK) {
    read_task(wire, news);
  } else if (item == TS_DIST_ITEM_PRODUCT || item == TS_DIST_ITEM_KEPT) {
    news->event.unit = (size_t)ts_wire_u64(wire);
    news->port = ts_wire_u32(wire);
    if (item == TS_DIST_ITEM_PRODUCT)
      news->packed = ts_wire_blob(wire, &news->packed_bytes);
    else
      ts_wire_raw(wire, news->digest.bytes, sizeof news->digest.bytes);
  } else if (item != TS_DIST_ITEM_START) {
    wire->failed = true;
  }
  return !wire->failed;
}
