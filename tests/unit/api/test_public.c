/* Requests of programs that were compiled with another version of the header.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "tessera.h"

#include <stddef.h>

/* As a program of a later version sees it. */
struct later {
  struct tessera_list_request request;
  const char *unheard_of;
};

static int list(const struct tessera_list_request *request, char **reply) {
  *reply = NULL;
  return tessera_list(request, reply);
}

static void expect(const struct tessera_list_request *request, int code, const char *text) {
  char *reply;
  assert_int_equal(list(request, &reply), code);
  assert_non_null(reply);
  if (!strstr(reply, text)) fail_msg("'%s' is not in %s", text, reply);
  tessera_reply_free(reply);
}

static void the_size_of_this_version(void **state) {
  (void)state;
  const struct tessera_list_request request = TESSERA_INIT(struct tessera_list_request);
  expect(&request, 0, "tessera.list/1");
}

/* Only the bytes that it says are read: the rest may be anything. */
static void a_shorter_request_has_defaults_behind_it(void **state) {
  (void)state;
  struct tessera_list_request request;
  memset(&request, 0xff, sizeof request);
  memset(&request, 0, offsetof(struct tessera_list_request, file));
  request.size_bytes = offsetof(struct tessera_list_request, file);
  expect(&request, 0, "tessera.list/1");
}

static void a_longer_request_may_not_use_what_is_unknown(void **state) {
  (void)state;
  struct later later = {.request.size_bytes = sizeof later};
  expect(&later.request, 0, "tessera.list/1");
  later.unheard_of = "x";
  expect(&later.request, 2, "fields that this library");
}

static void sizes_that_cannot_be(void **state) {
  (void)state;
  const size_t sizes[] = {0, 1, sizeof(size_t), SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const struct tessera_list_request request = {.size_bytes = sizes[i]};
    expect(&request, 2, "TESSERA_INIT(struct tessera_list_request)");
  }
}

static void stages_lie_as_far_apart_as_the_library_says(void **state) {
  (void)state;
  const struct {
    struct tessera_stage stage;
    uint64_t added;
  } stages[] = {{{.size_bytes = sizeof stages[0], .name = "a"}, 1}, {{.size_bytes = sizeof stages[0], .name = "b"}, 2}};
  const struct tessera_event progress = {.stages = &stages[0].stage, .stage_count = 2};
  assert_string_equal(tessera_event_stage(&progress, 0)->name, "a");
  assert_string_equal(tessera_event_stage(&progress, 1)->name, "b");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_size_of_this_version),
      cmocka_unit_test(a_shorter_request_has_defaults_behind_it),
      cmocka_unit_test(a_longer_request_may_not_use_what_is_unknown),
      cmocka_unit_test(sizes_that_cannot_be),
      cmocka_unit_test(stages_lie_as_far_apart_as_the_library_says),
  };
  return cmocka_run_group_tests_name("public", tests, NULL, NULL);
}
