/* Replays a table: every trial that a tuner asks for is looked up, seed by seed, on all threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "replay/replay_int.h"

#include <math.h>
#include <pthread.h>

struct round {
  struct replaying *job;        /* borrowed */
  const struct ts_tuner *tuner; /* borrowed */
  struct replayed *results;     /* borrowed; one per seed */
  pthread_mutex_t lock;         /* guards what follows, and the meter of the job */
  struct ts_error err;
  bool ended; /* by an error, or by the user */
};

static double output_of(const struct replaying *job, const struct ts_tune_history *history, size_t trial) {
  size_t component = history->components[trial], row = history->rows[trial];
  const struct recorded *table = component == TS_NONE ? &job->workflow : &job->components[component];
  return job->yard.maximise ? -table->outputs[row] : table->outputs[row];
}

static struct ts_tune_options options_of(const struct ts_request *request) {
  return (struct ts_tune_options){.random_share = request->random_share,
                                  .component_share = request->component_share,
                                  .batches = request->batches,
                                  .no_confirmation = request->no_confirmation,
                                  .pretrain = request->pretrain,
                                  .adaptive_random = request->adaptive_random};
}

static bool replay(const struct replaying *job, const struct ts_tuner *tuner, uint64_t seed, struct replayed *out,
                   struct ts_error *err) {
  struct ts_tune_problem problem = job->problem;
  const struct ts_tune_options options = options_of(job->request);
  problem.seed = seed;
  struct ts_tune *tune = ts_tune_create(tuner, &problem, &options, err);
  if (!tune) return false;
  const struct ts_tune_history *history = ts_tune_history(tune);
  size_t first = 0, count = 0;
  bool made;
  while ((made = ts_tune_next(tune, &first, &count, err)) && count > 0) {
    for (size_t t = first; t < first + count; t++) {
      double output = output_of(job, history, t);
      ts_tune_report(tune, t, &output, isnan(output) ? 0 : fabs(output));
    }
  }
  if (made) ts_replayed_measure(&job->yard, tune, out);
  ts_tune_destroy(tune);
  return made;
}

static void replay_seed(void *argument, size_t index) {
  struct round *round = argument;
  struct ts_error err = {0};
  pthread_mutex_lock(&round->lock);
  bool ended = round->ended;
  pthread_mutex_unlock(&round->lock);
  if (ended) return;
  bool made = replay(round->job, round->tuner, round->job->first_seed + index, &round->results[index], &err);
  pthread_mutex_lock(&round->lock);
  if (made) made = ts_meter_add(&round->job->meter, 1, &err);
  if (!made && !round->ended) {
    round->ended = true;
    round->err = err;
  }
  pthread_mutex_unlock(&round->lock);
}

bool ts_replaying_run(struct replaying *job, const struct ts_tuner *tuner, struct replayed *results,
                      struct ts_error *err) {
  struct ts_pool *pool = ts_pool_create(job->request->threads, err);
  if (!pool) return false;
  struct round round = {.job = job, .tuner = tuner, .results = results};
  pthread_mutex_init(&round.lock, NULL);
  ts_pool_for(pool, job->seed_count, replay_seed, &round);
  ts_pool_destroy(pool);
  pthread_mutex_destroy(&round.lock);
  if (round.ended) *err = round.err;
  return !round.ended;
}
