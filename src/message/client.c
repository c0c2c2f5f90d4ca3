/* One question, one answer.
 * SPDX-License-Identifier: Apache-2.0 */
#include "message/client.h"

void ts_message_client_init(struct ts_message_client *client, enum ts_error_code trouble) {
  pthread_mutex_init(&client->lock, NULL);
  ts_channel_init(&client->channel, -1);
  client->is_lost = false;
  client->trouble = trouble;
}

bool ts_message_client_connect(struct ts_message_client *client, const char *path, struct ts_error *err) {
  client->channel.fd = ts_channel_connect(path, err);
  return client->channel.fd >= 0;
}

void ts_message_client_release(struct ts_message_client *client) {
  ts_channel_release(&client->channel);
  pthread_mutex_destroy(&client->lock);
}

struct ts_str *ts_message_client_begin(struct ts_message_client *client) {
  return ts_channel_begin(&client->channel);
}

static bool lose(struct ts_message_client *client, const char *text, struct ts_error *err) {
  client->is_lost = true;
  ts_fail(err, client->trouble, "%s", text);
  return ts_error_help(err, "nothing to do here: the study can be continued with --resume");
}

static bool lose_nonsense(struct ts_message_client *client, struct ts_error *err) {
  return lose(client, "the study's process sent something that is not an answer", err);
}

bool ts_message_client_ask(struct ts_message_client *client, uint32_t kind, struct ts_wire *answer,
                           struct ts_error *err) {
  struct ts_message message;
  if (client->is_lost) return lose(client, "the study's process is gone", err);
  if (!ts_channel_end(&client->channel, kind, err)) return false;
  enum ts_channel_state state = ts_channel_flush(&client->channel);
  if (state == TS_CHANNEL_DONE) state = ts_channel_receive(&client->channel, &message);
  if (state == TS_CHANNEL_GONE) return lose(client, "the study's process is gone", err);
  if (state != TS_CHANNEL_DONE) return lose_nonsense(client, err);
  *answer = ts_wire_of(message.bytes, message.count);
  if (message.kind == TS_ANSWER_YES) return true;
  if (message.kind == TS_ANSWER_FAILED) {
    ts_wire_error(answer, client->trouble, err);
    return false;
  }
  return message.kind != TS_ANSWER_NO && lose_nonsense(client, err);
}

bool ts_message_client_is_sound(struct ts_message_client *client, const struct ts_wire *answer, struct ts_error *err) {
  return ts_wire_is_whole(answer) || lose_nonsense(client, err);
}
