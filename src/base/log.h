/* Messages for people, by level: to a sink, or to stderr where the program allows it. Results never come this way.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_LOG_H
#define TS_BASE_LOG_H

#include "base/error.h"

#include <stdbool.h>

enum ts_log_level { TS_LOG_QUIET, TS_LOG_WARN, TS_LOG_INFO, TS_LOG_DEBUG };

/* Process-wide, set once at the start; default TS_LOG_WARN. */
void ts_log_set_level(enum ts_log_level level);
enum ts_log_level ts_log_get_level(void);
/* From now on messages that no sink takes go to stderr; until then they are dropped. For programs: a library does not
 * know whose stderr it is. */
void ts_log_use_stderr(void);
bool ts_log_uses_stderr(void); /* also safe while memory is exhausted */
/* A hook that a progress display sets so that a message does not tear its lines; called under the log's lock. */
void ts_log_set_before_message(void (*hook)(void *user), void *user);
/* Who takes messages in place of stderr; called under the log's lock, so it must not log. False: the message goes to
 * stderr, if that is allowed. NULL: none. */
typedef bool ts_log_sink(void *user, enum ts_log_level level, const char *text);
void ts_log_set_sink(ts_log_sink *sink, void *user);
void ts_log(enum ts_log_level level, const char *format, ...) TS_PRINTF(2, 3);

#endif
