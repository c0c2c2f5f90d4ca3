/* A program that uses the library: two studies at the same time, one of them paused and continued. tests/e2e/embed.py
 * builds and runs it: two_studies FOLDER-A FOLDER-B.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every line that it prints is compared by the test. It also sees that the library changes nothing of the process. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <tessera.h>

#define STOP_AFTER 3 /* tasks of the study that is paused */

static pthread_barrier_t both_have_begun;

struct subject {
  const char *folder;
  struct tessera_observer observer;
  int stop; /* read by the library while the callback writes it: atomic */
  size_t stop_after;
  size_t begun, done, wrong;
  int code;
  char *reply;
};

static void (*handler_of(int number))(int) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 ? action.sa_handler : SIG_ERR;
}

static void (*at_start)(int);

/* One at a time for each study, whichever thread reports. */
static void on_event(void *user, const struct tessera_event *event) {
  struct subject *subject = user;
  if (handler_of(SIGSEGV) != at_start) subject->wrong++;
  if (event->kind == TESSERA_RUN_BEGIN) {
    subject->begun++;
    if (subject->begun == 1) pthread_barrier_wait(&both_have_begun); /* so neither has ended before the other began */
    for (size_t i = 0; i < event->stage_count; i++)
      if (!tessera_event_stage(event, i)->name[0]) subject->wrong++;
  }
  if (event->kind != TESSERA_TASK_DONE) return;
  subject->done++;
  if (subject->done == subject->stop_after) __atomic_store_n(&subject->stop, 1, __ATOMIC_RELAXED);
}

static struct tessera_study_request request_of(struct subject *subject) {
  struct tessera_study_request request = TESSERA_INIT(struct tessera_study_request);
  request.folder = subject->folder;
  request.threads = 2;
  request.stop = &subject->stop;
  subject->observer = TESSERA_INIT(struct tessera_observer);
  subject->observer.on_event = on_event;
  subject->observer.user = subject;
  request.observer = &subject->observer;
  return request;
}

static void *study(void *argument) {
  struct subject *subject = argument;
  const struct tessera_study_request request = request_of(subject);
  subject->code = tessera_study(&request, &subject->reply);
  return NULL;
}

static int has(const char *reply, const char *text) { return reply && strstr(reply, text) != NULL; }

static void show(const char *name, struct subject *subject) {
  printf("%s code %d state %s wrong %zu\n", name, subject->code,
         has(subject->reply, "\"state\": \"done\"")     ? "done"
         : has(subject->reply, "\"state\": \"paused\"") ? "paused"
                                                        : "other",
         subject->wrong);
  tessera_reply_free(subject->reply);
  subject->reply = NULL;
}

static void both(struct subject *first, struct subject *second) {
  pthread_t threads[2];
  pthread_barrier_init(&both_have_begun, NULL, 2);
  pthread_create(&threads[0], NULL, study, first);
  pthread_create(&threads[1], NULL, study, second);
  for (size_t i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&both_have_begun);
}

/* The paused study goes on, and ends as the other one did. */
static void go_on(struct subject *subject) {
  struct tessera_study_request request = request_of(subject);
  subject->stop = 0;
  subject->stop_after = 0;
  request.resume = true;
  subject->code = tessera_study(&request, &subject->reply);
}

/* What a program cannot ask for is refused, and said in the reply. */
static void show_refusals(const char *folder) {
  struct tessera_study_request request = TESSERA_INIT(struct tessera_study_request);
  request.folder = folder;
  request.store = "memory";
  request.workers = 2;
  char *reply = NULL;
  int code = tessera_study(&request, &reply);
  printf("workers without a program: %d %s\n", code, has(reply, "\"code\": 901") ? "T901" : "?");
  tessera_reply_free(reply);
  const struct tessera_check_request without_size = {.folder = folder};
  code = tessera_check(&without_size, &reply);
  printf("a request without a size: %d %s\n", code,
         has(reply, "TESSERA_INIT(struct tessera_check_request)") ? "T901" : "?");
  tessera_reply_free(reply);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  struct subject first = {.folder = argv[1]}, second = {.folder = argv[2], .stop_after = STOP_AFTER};
  at_start = handler_of(SIGSEGV);
  both(&first, &second);
  show("first", &first);
  show("second", &second);
  go_on(&second);
  show("continued", &second);
  show_refusals(argv[1]);
  return 0;
}
