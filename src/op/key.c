/* Keys of calls, and the implementation digest that is part of every one of them (spec: keys).
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

void ts_op_digest_number(struct ts_sha256_stream *stream, uint64_t number) {
  uint8_t bytes[8];
  for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (uint8_t)(number >> (8 * i));
  ts_sha256_stream_add(stream, bytes, sizeof(bytes));
}

void ts_op_implementation(uint32_t version, const struct ts_sha256 *source_digest, struct ts_sha256 *implementation) {
  struct ts_sha256_stream *stream = ts_sha256_stream_create();
  ts_op_digest_number(stream, version);
  ts_sha256_stream_add(stream, source_digest->bytes, sizeof(source_digest->bytes));
  ts_sha256_stream_finish(stream, implementation);
}

struct ts_value ts_op_pixel_size_value(const struct ts_pixel_size *size, struct ts_op_pixel_size_room *room) {
  room->items[0] = ts_value_real(size->x_um);
  room->items[1] = ts_value_real(size->y_um);
  room->list = (struct ts_value_list){2, room->items};
  return (struct ts_value){.type = TS_VALUE_LIST, .as.list = &room->list};
}

bool ts_op_key(const struct ts_op *op, const char *domain, const char *salt, const struct ts_value *parameters,
               const struct ts_pixel_size *pixel_size, const struct ts_key *const *inputs, struct ts_key *key,
               struct ts_error *err) {
  const struct ts_op_descriptor *descriptor = op->descriptor;
  struct ts_key_parameter canonical[TS_OP_MAX_PARAMETERS + 1];
  size_t parameter_count = descriptor->parameter_count;
  const struct ts_pixel_size unknown = {0};
  struct ts_op_pixel_size_room room;
  struct ts_key_input connected[TS_OP_MAX_PORTS];
  size_t connected_count = 0;
  for (size_t i = 0; i < descriptor->parameter_count; i++)
    canonical[i] = (struct ts_key_parameter){descriptor->parameters[i]->name,
                                             ts_op_canonical(descriptor->parameters[i], &parameters[i])};
  if (descriptor->reads_pixel_size)
    canonical[parameter_count++] =
        (struct ts_key_parameter){TS_OP_PIXEL_SIZE, ts_op_pixel_size_value(pixel_size ? pixel_size : &unknown, &room)};
  for (size_t i = 0; i < descriptor->input_count; i++)
    if (inputs[i]) connected[connected_count++] = (struct ts_key_input){descriptor->inputs[i]->name, *inputs[i]};
  struct ts_key_fields fields = {.domain = domain,
                                 .salt = salt,
                                 .operation = descriptor->name,
                                 .implementation = op->implementation,
                                 .numeric_class = op->numeric,
                                 .parameters = canonical,
                                 .parameter_count = parameter_count,
                                 .inputs = connected,
                                 .input_count = connected_count};
  return ts_key_compute(&fields, key, err);
}
