/* Observers alone: their order, removal while one is called, and changes of the list by its members.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "handles/observers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static struct ts_observers observers;
static char letters[4][2] = {"a", "b", "c", "d"};
static char called[16]; /* the letters of those that were called */

static int set_up(void **state) {
  (void)state;
  called[0] = '\0';
  ts_observers_init(&observers);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  ts_observers_release(&observers);
  return 0;
}

static const struct tessera_event event = {.size_bytes = sizeof event, .kind = TESSERA_TASK_DONE};

#define OBSERVER(function, user_) (&(struct tessera_observer){sizeof(struct tessera_observer), function, user_})

static void note(void *letter, const struct tessera_event *seen) {
  assert_ptr_equal(seen, &event);
  strncat(called, letter, sizeof called - strlen(called) - 1);
}

static void called_in_the_order_in_which_they_came(void **state) {
  (void)state;
  const uint64_t a = ts_observers_add(&observers, OBSERVER(note, letters[0])),
                 b = ts_observers_add(&observers, OBSERVER(note, letters[1]));
  ts_observers_add(&observers, OBSERVER(note, letters[2]));
  assert_true(a != 0 && b > a);
  ts_observers_tell(&observers, &event);
  ts_observers_remove(&observers, b);
  ts_observers_remove(&observers, b);
  ts_observers_remove(&observers, 0);
  ts_observers_tell(&observers, &event);
  ts_observers_remove(&observers, a);
  ts_observers_tell(&observers, &event);
  assert_string_equal(called, "abcacc");
}

/* ---- changes by a member ---- */

static uint64_t numbers[3];

static void change_list(void *letter, const struct tessera_event *seen) {
  note(letter, seen);
  assert_true(ts_observers_is_inside(&observers));
  for (size_t i = 0; i < 2; i++) ts_observers_remove(&observers, numbers[i]); /* itself, and one before it */
  ts_observers_add(&observers, OBSERVER(note, letters[3]));
}

static void a_member_changes_the_list(void **state) {
  (void)state;
  numbers[0] = ts_observers_add(&observers, OBSERVER(note, letters[0]));
  numbers[1] = ts_observers_add(&observers, OBSERVER(change_list, letters[1]));
  numbers[2] = ts_observers_add(&observers, OBSERVER(note, letters[2]));
  assert_false(ts_observers_is_inside(&observers));
  ts_observers_tell(&observers, &event);
  ts_observers_tell(&observers, &event);
  assert_string_equal(called, "abcdcd");
}

/* ---- removal while it is called ---- */

static pthread_barrier_t entered, leaves;
static atomic_bool is_removed;

static void stay(void *user, const struct tessera_event *seen) {
  atomic_bool *was_removed = user;
  (void)seen;
  pthread_barrier_wait(&entered);
  pthread_barrier_wait(&leaves);
  *was_removed = is_removed;
}

static void *tell(void *unused) {
  ts_observers_tell(&observers, &event);
  return unused;
}

static void *remove_first(void *unused) {
  ts_observers_remove(&observers, 1);
  is_removed = true;
  return unused;
}

static void removal_waits_for_the_return(void **state) {
  (void)state;
  pthread_t teller, remover;
  atomic_bool was_removed = true;
  struct timespec soon;
  pthread_barrier_init(&entered, NULL, 2);
  pthread_barrier_init(&leaves, NULL, 2);
  assert_int_equal(ts_observers_add(&observers, OBSERVER(stay, &was_removed)), 1);
  pthread_create(&teller, NULL, tell, NULL);
  pthread_barrier_wait(&entered);
  pthread_create(&remover, NULL, remove_first, NULL);
  clock_gettime(CLOCK_REALTIME, &soon); /* a removal that does not wait has long returned by then */
  soon.tv_nsec += 200000000;
  soon.tv_sec += soon.tv_nsec / 1000000000;
  soon.tv_nsec %= 1000000000;
  assert_int_equal(pthread_timedjoin_np(remover, NULL, &soon), ETIMEDOUT);
  pthread_barrier_wait(&leaves);
  pthread_join(teller, NULL);
  pthread_join(remover, NULL);
  assert_false(was_removed);
  assert_true(is_removed);
  pthread_barrier_destroy(&entered);
  pthread_barrier_destroy(&leaves);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(called_in_the_order_in_which_they_came, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_member_changes_the_list, set_up, tear_down),
      cmocka_unit_test_setup_teardown(removal_waits_for_the_return, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
