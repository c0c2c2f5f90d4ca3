/* A program that uses handles: one project, two studies of it at the same time in one store, one of them cancelled and
 * continued, products of all of them. tests/e2e/embed.py builds and runs it: handles FOLDER.
 * SPDX-License-Identifier: Apache-2.0
 *
 * It prints what the test compares, and writes the description of the project, project.json, and
 * masks as raw bytes: mask-0.raw, mask-1.raw. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>
#include <unistd.h>

#define STOP_AFTER 3 /* tasks of the study that is cancelled */

static pthread_barrier_t both_have_begun;

struct subject {
  struct tessera_project *project;
  struct tessera_study_request request;
  struct tessera_observer observer;
  struct tessera_run *run;
  pthread_mutex_t lock; /* guards what follows */
  size_t begun, done, stop_after;
  struct tessera_run *to_stop;
};

static void fail(const char *what, char *reply) {
  printf("%s failed: %s\n", what, reply ? reply : "");
  exit(1);
}

static void write_file(const char *folder, const char *name, const void *bytes, size_t count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wb");
  if (!out || fwrite(bytes, 1, count, out) != count || fclose(out) != 0) fail(path, NULL);
}

/* From threads of the library, one at a time for each run. */
static void on_event(void *user, const struct tessera_event *event) {
  struct subject *subject = user;
  pthread_mutex_lock(&subject->lock);
  const int begins = event->kind == TESSERA_RUN_BEGIN && subject->begun++ == 0;
  if (event->kind == TESSERA_TASK_DONE) subject->done++;
  struct tessera_run *stopped = subject->done > 0 && subject->done == subject->stop_after ? subject->to_stop : NULL;
  pthread_mutex_unlock(&subject->lock);
  if (begins) pthread_barrier_wait(&both_have_begun); /* the threads that started them, and the other study */
  if (stopped) tessera_run_stop(stopped, 2);
}

/* Starts a study, and lets it go on as soon as it can be stopped. */
static void *start(void *argument) {
  struct subject *subject = argument;
  char *reply = NULL;
  subject->run = tessera_study_start(subject->project, &subject->request, &reply);
  if (!subject->run) fail("start", reply);
  pthread_mutex_lock(&subject->lock);
  subject->to_stop = subject->run;
  pthread_mutex_unlock(&subject->lock);
  pthread_barrier_wait(&both_have_begun);
  return NULL;
}

static int has(const char *reply, const char *text) { return reply && strstr(reply, text) != NULL; }

static void show_end(const char *name, struct tessera_run *run) {
  char *reply = NULL;
  struct tessera_run_counts counts = {.size_bytes = sizeof counts};
  const int code = tessera_run_wait(run, &reply);
  tessera_run_state(run, &counts);
  printf("%s code %d state %s reply %s\n", name, code, counts.state,
         has(reply, "\"state\": \"done\"")     ? "done"
         : has(reply, "\"state\": \"paused\"") ? "paused"
                                               : reply);
  tessera_reply_free(reply);
}

/* Each thread starts one; both are under way at the same time. */
static void both(struct subject subjects[2]) {
  pthread_t threads[2];
  pthread_barrier_init(&both_have_begun, NULL, 4);
  for (size_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, start, &subjects[i]);
  for (size_t i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  show_end("first", subjects[0].run);
  show_end("second", subjects[1].run);
  pthread_barrier_destroy(&both_have_begun);
}

static struct tessera_run *go_on(struct subject *subject) {
  struct tessera_study_request request = {TESSERA_HEAD(struct tessera_study_request), .resume = true, .threads = 2};
  char *reply = NULL, id[9];
  snprintf(id, sizeof id, "%s", tessera_run_id(subject->run));
  request.resume_id = id;
  struct tessera_run *run = tessera_study_start(subject->project, &request, &reply);
  memset(id, '?', sizeof id - 1); /* the library has its own copy */
  if (!run) fail("continue", reply);
  show_end("continued", run);
  printf("the same run: %s\n", strcmp(tessera_run_id(run), tessera_run_id(subject->run)) == 0 ? "yes" : "no");
  return run;
}

/* The score of every set and file of a study, as its own result has them by file. */
static void show_scores(const char *name, struct tessera_run *run, size_t sets) {
  for (size_t set = 0; set < sets; set++) {
    for (size_t file = 0; file < 2; file++) {
      char *reply = NULL;
      struct tessera_product_info info = {.size_bytes = sizeof info};
      struct tessera_product *product = tessera_run_product(run, "sum.table", (int64_t)set, file, &reply);
      if (!product) fail("score", reply);
      tessera_product_describe(product, &info);
      printf("%s %zu %zu %s %.17g\n", name, set, file, info.column_names[0], info.cells[0]);
      tessera_product_release(product);
    }
  }
}

/* The masks of a run of one set, which has closed everything else meanwhile. */
static void write_masks(struct tessera_project *project, const char *folder) {
  const struct tessera_setting factor = {"factor", "3"};
  struct tessera_run_request request = {TESSERA_HEAD(struct tessera_run_request), .parameters = &factor,
                                        .parameter_count = 1, .output = "out-handles-run"};
  char *reply = NULL;
  struct tessera_run *run = tessera_run_start(project, &request, &reply);
  if (!run) fail("run", reply);
  tessera_project_close(project);
  show_end("run", run);
  for (size_t file = 0; file < 2; file++) {
    struct tessera_product_info info = {.size_bytes = sizeof info};
    struct tessera_product *mask = tessera_run_product(run, "make.mask", 0, file, &reply);
    char name[32];
    if (!mask) fail("mask", reply);
    if (file == 1) tessera_run_close(run);
    tessera_product_describe(mask, &info);
    snprintf(name, sizeof name, "mask-%zu.raw", file);
    write_file(folder, name, info.bytes, info.byte_count);
    printf("mask %s %s %s %lld x %lld\n", info.type, info.kind, info.element, (long long)info.width,
           (long long)info.height);
    tessera_product_release(mask);
  }
}

static void subject_init(struct subject *subject, struct tessera_project *project,
                         struct tessera_study_request request) {
  *subject = (struct subject){.project = project, .request = request};
  pthread_mutex_init(&subject->lock, NULL);
  subject->request.size_bytes = sizeof subject->request;
  subject->request.threads = 2;
  subject->observer =
      (struct tessera_observer){TESSERA_HEAD(struct tessera_observer), .on_event = on_event, .user = subject};
  subject->request.observer = &subject->observer;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  char *reply = NULL, path[4096];
  alarm(250); /* a run that is refused has no events: the others would wait for it */
  struct tessera_store *store = tessera_store_open(argv[1], NULL, false, &reply);
  if (!store) fail("store", reply);
  const struct tessera_project_request request = {TESSERA_HEAD(struct tessera_project_request), .folder = argv[1]};
  struct tessera_project *project = tessera_project_open(&request, store, &reply);
  if (!project) fail("project", reply);
  write_file(argv[1], "project.json", reply, strlen(reply));
  tessera_reply_free(reply);
  snprintf(path, sizeof path, "%s/libfaulty.so", argv[1]); /* the project is read: its files are not needed any more */
  if (unlink(path) != 0) fail("unlink", NULL);
  struct subject subjects[2];
  subject_init(&subjects[0], project, (struct tessera_study_request){.output = "out-first"});
  subject_init(&subjects[1], project,
               (struct tessera_study_request){.method = "lhs", .count = 7, .output = "out-second"});
  subjects[0].stop_after = STOP_AFTER;
  both(subjects);
  struct tessera_run *continued = go_on(&subjects[0]);
  tessera_store_close(store);
  show_scores("first", continued, 24);
  show_scores("second", subjects[1].run, 7);
  for (size_t i = 0; i < 2; i++) tessera_run_close(subjects[i].run);
  tessera_run_close(continued);
  write_masks(project, argv[1]);
  for (size_t i = 0; i < 2; i++) pthread_mutex_destroy(&subjects[i].lock);
  return 0;
}
