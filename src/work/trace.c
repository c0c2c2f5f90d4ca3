/* Writes Chrome trace events: the texts of events, and a buffer that reaches the file in whole lines.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers are printed from integers, because a program that uses the library may have set a locale with a decimal
 * comma. */
#include "work/trace.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES   (64u << 10)
#define FLUSH_NS       UINT64_C(200000000) /* a killed process may lose this much */
#define COUNT_GAP_NS   INT64_C(10000000)   /* between points of the curve */
#define BEGINNING      "[\n{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\""
#define BEGINNING_SIZE (sizeof BEGINNING - 1)

struct ts_trace {
  char *path; /* owned */
  int fd;
  bool is_regular;      /* a file that can be cut to its last whole line */
  struct ts_str buffer; /* whole lines that are not in the file yet */
  int64_t written_bytes;
  uint64_t flushed_ns;
  int64_t counted_ns; /* of the last point; negative: none yet */
  int failure;        /* errno of the write that ended the trace; 0: none */
  uint64_t lost;      /* events that are not in the file */
  uint64_t buffered;  /* events in the buffer */
  bool is_named;
  size_t threads_each; /* of worker processes; 0: there are none */
};

static int64_t nanoseconds(double seconds) { return seconds > 0 ? llround(seconds * 1e9) : 0; }

/* Microseconds, the unit of the format, with the nanoseconds behind the point. */
static void add_us(struct ts_str *out, const char *name, int64_t ns) {
  ts_str_addf(out, ",\"%s\":%" PRId64 ".%03d", name, ns / 1000, (int)(ns % 1000));
}

/* A JSON string. Names of files need not be UTF-8, JSON must be. */
static void add_text(struct ts_str *out, const char *text) {
  bool is_utf8 = ts_utf8_valid(text, strlen(text));
  ts_str_add_char(out, '"');
  for (const char *c = text; *c; c++) {
    unsigned char byte = (unsigned char)*c;
    if (byte == '"' || byte == '\\') {
      ts_str_add_char(out, '\\');
      ts_str_add_char(out, *c);
    } else if (byte < 0x20) {
      ts_str_addf(out, "\\u%04x", byte);
    } else {
      ts_str_add_char(out, byte < 0x80 || is_utf8 ? *c : '?');
    }
  }
  ts_str_add_char(out, '"');
}

/* All or nothing: a write that fails halfway leaves no part in the file. */
static void flush(struct ts_trace *trace) {
  size_t done = 0;
  while (trace->failure == 0 && done < trace->buffer.length) {
    ssize_t count = write(trace->fd, trace->buffer.data + done, trace->buffer.length - done);
    if (count > 0)
      done += (size_t)count;
    else if (count == 0 || errno != EINTR)
      trace->failure = count == 0 ? ENOSPC : errno;
  }
  if (trace->failure == 0)
    trace->written_bytes += (int64_t)done;
  else
    trace->lost += trace->buffered;
  if (trace->failure != 0 && done > 0 && trace->is_regular && ftruncate(trace->fd, trace->written_bytes) != 0)
    trace->is_regular = false; /* the torn line stays; readers of traces skip it */
  trace->buffered = 0;
  trace->flushed_ns = ts_clock_ns();
  ts_str_clear(&trace->buffer);
}

/* Begins a line; false if there is nothing to write to any more. */
static bool begin_event(struct ts_trace *trace) {
  if (trace->failure != 0) {
    trace->lost++;
    return false;
  }
  trace->buffered++;
  ts_str_add(&trace->buffer, ",\n");
  return true;
}

static void end_event(struct ts_trace *trace) {
  if (trace->buffer.length >= BUFFER_BYTES || ts_clock_ns() - trace->flushed_ns >= FLUSH_NS) flush(trace);
}

static bool refuse(struct ts_error *err, const char *path, const char *why) {
  ts_fail(err, TS_ERR_FILE_IO, "the trace '%s' cannot be written: %s", path, why);
  ts_error_help(err, "name a file that can be made, such as --trace trace.json");
  ts_error_place(err, path, 0, 0, "");
  return false;
}

/* A word that follows --trace by mistake, such as the study's own file, must not destroy a file. */
static bool may_replace(int fd, const char *path, struct ts_error *err) {
  char found[BEGINNING_SIZE];
  ssize_t count = pread(fd, found, BEGINNING_SIZE, 0);
  if (count == 0 || (count == (ssize_t)BEGINNING_SIZE && memcmp(found, BEGINNING, BEGINNING_SIZE) == 0)) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' exists and is not a trace", path);
  ts_error_help(err, "--trace takes the name of the file to write; name another one");
  return false;
}

/* Opened for reading and writing, to see the content that is replaced; a pipe or a device is only written to. */
static bool open_file(struct ts_trace *trace, struct ts_error *err) {
  struct stat about;
  char *folder = ts_path_folder(trace->path);
  bool ok = ts_folder_create(folder, err);
  free(folder);
  if (!ok) return false;
  trace->is_regular = stat(trace->path, &about) != 0 || S_ISREG(about.st_mode);
  trace->fd = open(trace->path, (trace->is_regular ? O_RDWR | O_CREAT : O_WRONLY) | O_CLOEXEC, 0666);
  if (trace->fd < 0) return refuse(err, trace->path, strerror(errno));
  if (!trace->is_regular) return true;
  if (!may_replace(trace->fd, trace->path, err)) return false;
  return ftruncate(trace->fd, 0) == 0 || refuse(err, trace->path, strerror(errno));
}

static void destroy(struct ts_trace *trace) {
  if (trace->fd >= 0) close(trace->fd);
  ts_str_release(&trace->buffer);
  free(trace->path);
  free(trace);
}

struct ts_trace *ts_trace_open(const char *path, struct ts_error *err) {
  struct ts_trace *trace = ts_calloc(1, sizeof *trace);
  trace->path = ts_strdup(path);
  trace->fd = -1;
  trace->counted_ns = -1;
  trace->flushed_ns = ts_clock_ns();
  if (open_file(trace, err)) return trace;
  destroy(trace);
  return NULL;
}

/* Workers appear as threads 1, 2, ...: viewers take number 0 for the idle thread of the machine. */
static size_t thread_of(size_t worker) { return worker + 1; }

/* The study is process 1, its worker processes follow. */
static size_t process_of(const struct ts_trace *trace, size_t worker) {
  return trace->threads_each > 0 ? 2 + worker / trace->threads_each : 1;
}

static void name_process(struct ts_trace *trace, size_t worker) {
  if (trace->threads_each == 0 || worker % trace->threads_each != 0) return;
  ts_str_addf(
      &trace->buffer,
      ",\n{\"ph\":\"M\",\"pid\":%zu,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"worker process %zu\"}}",
      process_of(trace, worker), process_of(trace, worker) - 1);
}

static void name_thread(struct ts_trace *trace, size_t worker) {
  struct ts_str *out = &trace->buffer;
  name_process(trace, worker);
  ts_str_addf(out,
              ",\n{\"ph\":\"M\",\"pid\":%zu,\"tid\":%zu,\"name\":\"thread_name\",\"args\":{\"name\":\"worker %zu\"}}",
              process_of(trace, worker), thread_of(worker), thread_of(worker));
  ts_str_addf(out,
              ",\n{\"ph\":\"M\",\"pid\":%zu,\"tid\":%zu,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%zu}}",
              process_of(trace, worker), thread_of(worker), thread_of(worker));
}

void ts_trace_split(struct ts_trace *trace, size_t threads_each) { trace->threads_each = threads_each; }

void ts_trace_name(struct ts_trace *trace, const char *process, const char *run, size_t threads) {
  struct ts_str *out = &trace->buffer;
  ts_str_add(out, BEGINNING ",\"args\":{\"name\":");
  add_text(out, process);
  ts_str_add(out, "}}");
  if (*run) {
    ts_str_add(out, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_labels\",\"args\":{\"labels\":\"run ");
    ts_str_addf(out, "%s\"}}", run);
  }
  for (size_t i = 0; i < threads; i++) name_thread(trace, i);
  trace->is_named = true;
  flush(trace);
}

void ts_trace_call(struct ts_trace *trace, const struct ts_trace_call *call) {
  if (!begin_event(trace)) return;
  struct ts_str *out = &trace->buffer;
  int64_t start_ns = nanoseconds(call->start_s);
  ts_str_addf(out, "{\"ph\":\"X\",\"pid\":%zu,\"tid\":%zu", process_of(trace, call->worker), thread_of(call->worker));
  add_us(out, "ts", start_ns);
  /* Of the rounded ends, so that calls of one worker that follow each other do not overlap. */
  add_us(out, "dur", nanoseconds(call->start_s + call->wall_s) - start_ns);
  ts_str_addf(out, ",\"cat\":\"%s\",\"name\":", call->is_task ? "task" : "engine");
  add_text(out, call->name);
  ts_str_add(out, ",\"args\":{\"outcome\":");
  add_text(out, call->outcome);
  ts_str_add(out, ",\"key\":");
  add_text(out, call->key);
  ts_str_addf(out, ",\"set\":%" PRId64 ",\"file\":", call->set);
  add_text(out, call->file);
  if (call->has_tile) ts_str_addf(out, ",\"tile\":\"%" PRId64 ",%" PRId64 "\"", call->tile_x, call->tile_y);
  add_us(out, "cpu_us", nanoseconds(call->cpu_s));
  ts_str_add(out, "}}");
  end_event(trace);
}

void ts_trace_count(struct ts_trace *trace, double at_s, const struct ts_trace_counts *counts) {
  int64_t at_ns = nanoseconds(at_s);
  if (trace->counted_ns >= 0 && at_ns < trace->counted_ns + COUNT_GAP_NS) return;
  if (!begin_event(trace)) return;
  trace->counted_ns = at_ns;
  ts_str_add(&trace->buffer, "{\"ph\":\"C\",\"pid\":1,\"tid\":0");
  add_us(&trace->buffer, "ts", at_ns);
  ts_str_addf(&trace->buffer,
              ",\"name\":\"settled tasks\",\"args\":{\"executed\":%" PRIu64 ",\"cutoff\":%" PRIu64 ",\"store\":%" PRIu64
              ",\"failed\":%" PRIu64 "}}",
              counts->executed, counts->cutoff, counts->store, counts->failed);
  end_event(trace);
}

bool ts_trace_close(struct ts_trace *trace, struct ts_error *err) {
  if (!trace) return true;
  if (!trace->is_named) ts_trace_name(trace, "tessera", "", 0);
  ts_str_add(&trace->buffer, "\n]\n");
  flush(trace);
  if (close(trace->fd) != 0 && trace->failure == 0) trace->failure = errno;
  trace->fd = -1;
  bool ok = trace->failure == 0;
  if (!ok) {
    ts_fail(err, TS_ERR_FILE_IO, "the trace '%s' lacks %" PRIu64 " events: %s", trace->path, trace->lost,
            strerror(trace->failure));
    ts_error_help(err, "the run is not affected; make room, or name a file elsewhere");
  }
  destroy(trace);
  return ok;
}
