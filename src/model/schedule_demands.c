/* Reads the demands of `schedule`: a throughput, a share of the largest one, a latency, with or without units.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/schedule_int.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

static const struct unit {
  const char *name;
  double seconds;
} units[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};

/* Seconds of a unit's name; 0: there is no such unit. */
static double seconds_of(const char *name) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strcmp(units[i].name, name) == 0) return units[i].seconds;
  }
  return 0;
}

/* A number with an optional unit behind it: "2s", "2 s", "56". */
static bool parse_time(const char *text, double *time) {
  size_t digits = strspn(text, "+-0123456789.eE");
  const char *unit = text + digits;
  ts_auto_free char *number = ts_strndup(text, digits);
  while (*unit == ' ') unit++;
  double scale = *unit ? seconds_of(unit) : 1;
  bool ok = scale > 0 && ts_parse_double(number, time);
  if (ok) *time *= scale;
  return ok;
}

/* Items per time: "0.05", "1/18", "4/s", "30/min", "1/2s". */
static bool parse_rate(const char *text, double *rate) {
  const char *slash = strchr(text, '/');
  double time = 1;
  if (!slash) return ts_parse_double(text, rate);
  char *number = ts_strndup(text, (size_t)(slash - text));
  bool ok = ts_parse_double(number, rate);
  free(number);
  double unit = seconds_of(slash + 1);
  if (unit > 0)
    time = unit;
  else
    ok = ok && parse_time(slash + 1, &time) && time > 0;
  if (ok) *rate /= time;
  return ok;
}

static bool refuse(struct ts_issues *issues, const char *option, const char *text, const char *why, const char *help) {
  return ts_issues_usage(issues, help, "'%s %s': %s", option, text, why);
}

static bool read_throughput(struct scheduling *job) {
  const struct ts_request *r = job->request;
  double most = ts_stream_most_throughput(&job->problem), share = 0;
  if (r->throughput && r->throughput_fraction)
    return refuse(job->issues, "--throughput-fraction", r->throughput_fraction, "--throughput is given, too",
                  "leave out one of the two");
  if (r->throughput) {
    bool ok = parse_rate(r->throughput, &job->throughput) && job->throughput >= 0 && isfinite(job->throughput);
    return ok || refuse(job->issues, "--throughput", r->throughput, "not a number of items per time of at least 0",
                        "write 0.05, 1/18, 4/s, 30/min or 2/h");
  }
  if (!r->throughput_fraction) return true;
  if (!ts_parse_double(r->throughput_fraction, &share) || share < 0 || share > 1)
    return refuse(job->issues, "--throughput-fraction", r->throughput_fraction, "not a number from 0 to 1",
                  "write a share of the largest throughput, such as 0.5");
  if (share > 0 && !isfinite(most))
    return refuse(job->issues, "--throughput-fraction", r->throughput_fraction, "no task takes time",
                  "give the throughput itself with --throughput");
  job->throughput = share > 0 ? share * most : 0;
  return true;
}

bool ts_scheduling_read_demands(struct scheduling *job) {
  const struct ts_request *r = job->request;
  job->latency = INFINITY;
  if (!read_throughput(job)) return false;
  if (!r->latency) return true;
  bool ok = parse_time(r->latency, &job->latency) && job->latency >= 0 && isfinite(job->latency);
  return ok || refuse(job->issues, "--latency", r->latency, "not a time of at least 0",
                      "write 56, or with a unit 300ms, 2s, 1.5min or 1h");
}
