/* One operation run by hand: what the command line says, the data that is read, what comes out.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_CALL_HAND_CALL_H
#define TS_API_CALL_HAND_CALL_H

#include "api/api_int.h"

struct hand_call {
  const struct ts_request *request; /* borrowed */
  struct ts_issues *issues;         /* borrowed */
  struct ts_arena arena;
  struct ts_budget budget;
  struct ts_registry *registry;       /* owned */
  struct ts_op *op;                   /* borrowed from it */
  const char *words[TS_OP_MAX_PORTS]; /* borrowed from the request: the value of each input; NULL: not given */
  struct ts_value values[TS_OP_MAX_PARAMETERS];
  bool has_value[TS_OP_MAX_PARAMETERS];                               /* given, be it right or wrong */
  struct ts_data *inputs[TS_OP_MAX_PORTS], *outputs[TS_OP_MAX_PORTS]; /* references; NULL: none */
  struct ts_pixel_size pixel_size;                                    /* of the first image that says it */
  const char *folder;                                                 /* in the arena: of the outputs */
  const char *kept; /* in the arena: where the exchange is left; NULL: nowhere */
  struct ts_str log;
  double seconds;
};

/* words.c: the operation that the request names, and its words brought to inputs and parameters. All faults. */
bool ts_hand_call_find(struct hand_call *call);
bool ts_hand_call_assign(struct hand_call *call);

/* inputs.c: the files of the inputs as data. All faults. */
bool ts_hand_call_read(struct hand_call *call);

/* outputs.c: writes the file of every output and describes it in the list. */
bool ts_hand_call_write(struct hand_call *call, json_t *list);

#endif
