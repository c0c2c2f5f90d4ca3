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

bool ts_op_key(const struct ts_op *op, const char *domain, const char *salt, const struct ts_value *parameters,
               const struct ts_key *const *inputs, struct ts_key *key, struct ts_error *err) {
  const struct ts_op_descriptor *descriptor = op->descriptor;
  struct ts_key_parameter canonical[TS_OP_MAX_PARAMETERS];
  struct ts_key_input connected[TS_OP_MAX_PORTS];
  size_t connected_count = 0;
  for (size_t i = 0; i < descriptor->parameter_count; i++)
    canonical[i] = (struct ts_key_parameter){descriptor->parameters[i]->name,
                                             ts_op_canonical(descriptor->parameters[i], &parameters[i])};
  for (size_t i = 0; i < descriptor->input_count; i++)
    if (inputs[i]) connected[connected_count++] = (struct ts_key_input){descriptor->inputs[i]->name, *inputs[i]};
  struct ts_key_fields fields = {.domain = domain,
                                 .salt = salt,
                                 .operation = descriptor->name,
                                 .implementation = op->implementation,
                                 .numeric_class = op->numeric,
                                 .parameters = canonical,
                                 .parameter_count = descriptor->parameter_count,
                                 .inputs = connected,
                                 .input_count = connected_count};
  return ts_key_compute(&fields, key, err);
}
