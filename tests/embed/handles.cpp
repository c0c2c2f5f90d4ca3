/* A C++17 program that uses handles: two runs of one project at the same time, watched and waited for by several
 * threads. tests/e2e/embed.py builds and runs it: handles FOLDER.
 * SPDX-License-Identifier: Apache-2.0 */
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <tessera.h>
#include <thread>
#include <vector>

namespace {

/* A handle that closes itself. */
template <typename Handle, void (*close)(Handle *)> struct Closing {
  void operator()(Handle *handle) const { close(handle); }
};
using Store = std::unique_ptr<tessera_store, Closing<tessera_store, tessera_store_close>>;
using Project = std::unique_ptr<tessera_project, Closing<tessera_project, tessera_project_close>>;
using Run = std::unique_ptr<struct tessera_run, Closing<struct tessera_run, tessera_run_close>>;
using Product = std::unique_ptr<tessera_product, Closing<tessera_product, tessera_product_release>>;

std::string take(char *reply) {
  const std::unique_ptr<char, void (*)(char *)> owned(reply, tessera_reply_free);
  return reply ? reply : "";
}

std::atomic<int> events{0};

void on_event(void *user, const tessera_event *event) {
  auto *tasks = static_cast<std::atomic<int> *>(user);
  events++;
  if (event->kind == TESSERA_TASK_DONE) (*tasks)++;
}

Run start(const Project &project, const char *factor, const char *output) {
  const tessera_setting setting = {"factor", factor};
  auto request = TESSERA_INIT(tessera_run_request);
  request.parameters = &setting;
  request.parameter_count = 1;
  request.output = output;
  char *reply = nullptr;
  Run run(tessera_run_start(project.get(), &request, &reply));
  if (!run) std::cout << take(reply) << '\n';
  return run;
}

/* Two threads wait for a run; both get the same reply. */
void show_end(const char *name, const Run &run) {
  std::vector<std::string> replies(2);
  std::vector<std::thread> waiters;
  for (auto &to : replies)
    waiters.emplace_back([&run, &to] {
      char *reply = nullptr;
      tessera_run_wait(run.get(), &reply);
      to = take(reply);
    });
  for (auto &waiter : waiters) waiter.join();
  struct tessera_run_counts counts = {};
  counts.size_bytes = sizeof counts;
  tessera_run_state(run.get(), &counts);
  std::cout << name << ' ' << counts.state << " done " << counts.done << " of " << counts.total
            << (replies[0] == replies[1] ? " same" : " different") << '\n';
}

void show_table(const Run &run) {
  const Product table(tessera_run_product(run.get(), "make.table", TESSERA_DEFAULT_SET, 1, nullptr));
  struct tessera_product_info info = {};
  info.size_bytes = sizeof info;
  tessera_product_describe(table.get(), &info);
  std::cout << "table " << info.rows << " x " << info.columns << ' ' << info.column_names[0] << ' ' << info.cells[0]
            << '\n';
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  char *reply = nullptr;
  const Store store(tessera_store_open(argv[1], "memory", false, &reply));
  auto request = TESSERA_INIT(tessera_project_request);
  request.folder = argv[1];
  Project project(tessera_project_open(&request, store.get(), &reply));
  std::cout << "project " << (take(reply).find("tessera.project/1") != std::string::npos ? "read" : "refused") << '\n';
  Run first = start(project, "3", "out-cpp-3"), second = start(project, "4", "out-cpp-4");
  std::atomic<int> tasks{0};
  auto counting = TESSERA_INIT(tessera_observer);
  counting.on_event = on_event;
  counting.user = &tasks;
  const uint64_t observer = tessera_run_observe(first.get(), &counting);
  project.reset();
  show_end("first", first);
  show_end("second", second);
  tessera_run_unobserve(first.get(), observer);
  std::cout << "observed " << (tasks <= events ? "tasks" : "nothing") << '\n';
  show_table(second);
  setenv("FAULTY", "refuse", 1); /* what is not computed yet cannot be computed any more */
  const Product failed(tessera_run_product(first.get(), "sum.table", TESSERA_DEFAULT_SET, 0, &reply));
  const std::string why = take(reply);
  std::cout << "failed " << (why.find("\"code\": 501") != std::string::npos ? "T501" : why)
            << (why.find("the weight is too heavy") != std::string::npos ? " heavy" : " ?") << '\n';
  const Product none(tessera_run_product(first.get(), "make.maks", 0, 0, &reply));
  std::cout << "refused " << (take(reply).find("did you mean 'make.mask'") != std::string::npos ? "T210" : "?") << '\n';
  return 0;
}
