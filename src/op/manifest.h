/* Reading what manifests of commands and descriptors of new operations have in common.
 * SPDX-License-Identifier: Apache-2.0
 *
 * All faults go to the reader's list; what is read belongs to its arena. Parts that are faulty are there all the same,
 * so that the rest can be checked. */
#ifndef TS_OP_MANIFEST_H
#define TS_OP_MANIFEST_H

#include "tessera_op.h"

#include "base/reader.h"

/* Further keys that a port or a parameter may have; their values are for the caller to read. */
struct ts_manifest_fields {
  const struct ts_field *fields; /* borrowed */
  size_t count;
};

/* Rules for "name", "version" and "numeric". */
void ts_manifest_head(const struct ts_reader *reader, const json_t *manifest);
/* The ports of "inputs" or "outputs", in the order of the file; `more` may be NULL. Types are those of files that
 * programs exchange; an output has one type. */
const struct ts_op_port *const *ts_manifest_ports(const struct ts_reader *reader, const json_t *manifest,
                                                  const char *key, const struct ts_manifest_fields *more,
                                                  size_t *count);
const struct ts_op_parameter *const *ts_manifest_parameters(const struct ts_reader *reader, const json_t *manifest,
                                                            const struct ts_manifest_fields *more, size_t *count);

#endif
