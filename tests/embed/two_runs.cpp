/* A C++17 program that uses the library: two runs at the same time, one of which fails. tests/e2e/embed.py builds and
 * runs it: two_runs GOOD-FOLDER BAD-FOLDER.
 * SPDX-License-Identifier: Apache-2.0 */
#include <atomic>
#include <iostream>
#include <memory>
#include <string>
#include <tessera.h>
#include <thread>

namespace {

struct Result {
  int code = -1;
  std::string reply;
  std::atomic<int> failed{0};
  std::atomic<int> error{0};
};

/* Called from threads of the library. */
void on_event(void *user, const tessera_event *event) {
  auto *result = static_cast<Result *>(user);
  if (event->kind != TESSERA_TASK_DONE || event->code == 0) return;
  result->failed++;
  result->error = event->code;
}

void run(const char *folder, Result &result) {
  auto request = TESSERA_INIT(tessera_run_request);
  request.folder = folder;
  request.file = "workflow.json";
  const char *data[] = {"data"};
  request.data = data;
  request.data_count = 1;
  request.output = "out-embed";
  request.threads = 2;
  auto observer = TESSERA_INIT(tessera_observer);
  observer.on_event = on_event;
  observer.user = &result;
  request.observer = &observer;
  char *text = nullptr;
  result.code = tessera_run(&request, &text);
  const std::unique_ptr<char, void (*)(char *)> owned(text, tessera_reply_free);
  result.reply = text;
}

void show(const char *name, const Result &result) {
  const bool is_run = result.reply.find("\"schema\": \"tessera.run/2\"") != std::string::npos;
  std::cout << name << " code " << result.code << (is_run ? " run" : " other") << " failed " << result.failed
            << " error " << result.error << '\n';
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  Result good, bad;
  std::thread first(run, argv[1], std::ref(good));
  std::thread second(run, argv[2], std::ref(bad));
  first.join();
  second.join();
  show("good", good);
  show("bad", bad);
  std::cout << "version " << tessera_version() << '\n';
  return 0;
}
