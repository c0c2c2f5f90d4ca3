#!/usr/bin/env python3
"""A study without images, with a plugin and a Python command: results, reuse as the operations count it, failures.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import json
import shutil
import subprocess

import _support as support
from _support import ROOT, call, call_json, check, equal, say

TASKS = ("simulate.integrate", "simulate.compare", "fit.fit", "score.score")
OPERATIONS = dict(zip(TASKS, ("decay.simulate", "decay.residual", "decay.fit", "decay.score")))

# A plugin that is decay.c but for a line in a file at every call.
COUNTING_PLUGIN = r"""
#define tessera_operations plain_operations
#include "decay.c"
#undef tessera_operations
#include <fcntl.h>
#include <unistd.h>
static int counted(struct ts_op_call *call, const char *line, int (*run)(struct ts_op_call *)) {
  int file = open(COUNT_FILE, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  ssize_t size = (ssize_t)strlen(line);
  if (file < 0 || write(file, line, (size_t)size) != size) return call->host->fail(call, "cannot count");
  close(file);
  return run(call);
}
static int count_simulate(struct ts_op_call *call) { return counted(call, "decay.simulate\n", simulate); }
static int count_residual(struct ts_op_call *call) { return counted(call, "decay.residual\n", residual); }
static int count_score(struct ts_op_call *call) { return counted(call, "decay.score\n", score); }
const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static struct ts_op_descriptor copies[3];
  static const struct ts_op_descriptor *const operations[] = {&copies[0], &copies[1], &copies[2]};
  copies[0] = simulate_operation, copies[0].run = count_simulate;
  copies[1] = residual_operation, copies[1].run = count_residual;
  copies[2] = score_operation, copies[2].run = count_score;
  *count = 3;
  return host_api == TESSERA_OP_API ? operations : NULL;
}
"""

# At the head of fit.py: a line at every call, and a fault that can be mended without changing the operation.
COUNTING_COMMAND = """
import os as counting_os
_file = counting_os.open({count!r}, counting_os.O_WRONLY | counting_os.O_APPEND | counting_os.O_CREAT)
counting_os.write(_file, b"decay.fit\\n")
counting_os.close(_file)
if counting_os.path.exists({broken!r}):
    import json as counting_json
    import sys as counting_sys
    if counting_json.load(open(counting_sys.argv[-1]))["parameters"]["floor"] > 1:
        counting_sys.exit("the licence server said no")
"""


def copy_project(folder):
    shutil.copytree(ROOT / "workflows/decay", folder, ignore=shutil.ignore_patterns("*.so", ".tessera", "out"))
    return folder


def make_plugin(folder):
    """As its README says, outside the tree and with the public header alone."""
    run = subprocess.run(["make", "-C", folder / "plugin", f"TESSERA_INCLUDE={ROOT / 'include'}"], capture_output=True,
                         text=True)
    equal(run.returncode, 0, f"exit of make:\n{run.stdout}{run.stderr}")
    check("warning" not in run.stderr, f"the plugin has warnings:\n{run.stderr}")


def make_counting(folder, count, broken):
    """The same operations, and each says when it is called."""
    source = folder / "plugin/counting.c"
    source.write_text(COUNTING_PLUGIN, encoding="utf-8")
    subprocess.run(["cc", "-std=gnu17", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-Wl,--build-id",
                    f"-I{ROOT / 'include'}",
                    f'-DCOUNT_FILE="{count}"', "-o", folder / "plugin/libdecay.so", source, "-lm"], check=True)
    script = folder / "fit.py"
    text = script.read_text(encoding="utf-8")
    at = text.index("import csv")
    head = COUNTING_COMMAND.format(count=str(count), broken=str(broken))
    script.write_text(text[:at] + head + text[at:], encoding="utf-8")


def study(project, name, *words, expect=0):
    reply = call_json("study", "-C", project, "-o", f"out-{name}", *words, expect=expect)
    reuse = reply.get("reuse", {})
    levels = ("requested", "cutoff", "store", "failed", "skipped", "recomputed")
    say(f"{name}: executed {support.executed(reply)}, {', '.join(f'{level} {reuse.get(level)}' for level in levels)}")
    return reply


def results(project, name):
    return (project / f"out-{name}/results.csv").read_bytes()


def planned_from_design(rows):
    """How many distinct tasks the parameter sets need, worked out from what each operation reads; two files."""
    def order(row):
        return max(known for known in (1, 2, 4) if known <= int(row["order"]))

    simulated = [(row["rate"], row["amplitude"], row["step"], order(row)) for row in rows]
    compared = [(*sim, row["weight"]) for sim, row in zip(simulated, rows)]
    fitted = [(row["floor"], row["iterations"]) for row in rows]
    scored = [(*com, *fit) for com, fit in zip(compared, fitted)]
    return dict(zip(TASKS, (2 * len(set(simulated)), 2 * len(set(compared)), 2 * len(set(fitted)), len(set(scored)))))


def check_study(project):
    """The study as a user runs it, whatever the number of threads, with and without reuse, and again."""
    plan = call_json("plan", "-C", project)
    call("check", "-C", project)
    for threads in (1, 2, 8):
        reply = study(project, f"j{threads}", "-j", threads, "--store", f"store{threads}")
        equal(support.executed(reply), support.executed(reply if threads == 1 else first),
              f"executed with {threads} threads")
        first = reply if threads == 1 else first
        for row, done in zip(plan["by_task"], reply["by_task"]):
            equal(done["executed"] + done["cutoff"], row["executed"],
                  f"{row['task']} with {threads} threads, run against plan")
    rows = support.read_csv(project / "out-j1/results.csv")
    equal(support.executed(plan), planned_from_design(rows), "planned tasks, against those worked out from the design")
    equal(len(rows), 8 * (7 + 1), "runs of the design")
    plain = study(project, "plain", "-j", 2, "--no-reuse")
    equal(plain["reuse"]["executed"], plain["reuse"]["requested"], "executed without reuse")
    again = study(project, "again", "-j", 2, "--store", "store2")
    equal((again["reuse"]["executed"], again["reuse"]["reads"]), (0, 0), "executed and read by the second study")
    for name in ("j2", "j8", "plain", "again"):
        check(results(project, name) == results(project, "j1"),
              f"results.csv of {name} differ from those of one thread")
    check_numbers(rows)
    check("decide" in first["answer"] or "decides" in first["answer"], f"the answer: {first['answer']}")
    check((project / "out-j1/report.html").stat().st_size > 10000, "there is no report")


def check_numbers(rows):
    """What is known without tessera: all fits find one rate, and the error of the rate is its distance from it."""
    fitted = {round(float(row["rate"]) - sign * float(row["score.table:rate_error"]), 9) for row in rows
              for sign in (1, -1)}
    sides = [value for value in fitted if all(
        abs(abs(float(row["rate"]) - value) - float(row["score.table:rate_error"])) < 1e-8 for row in rows)]
    equal(len(sides), 1, "rates that all runs may have fitted")
    errors = [float(row["score.table:error"]) for row in rows]
    check(min(errors) > 0 and len(set(errors)) > 20,
          f"errors from {min(errors)} to {max(errors)}, {len(set(errors))} different ones")


def lines_of(count):
    """How often each operation was called since the last look."""
    lines = count.read_text(encoding="utf-8").split() if count.exists() else []
    count.unlink(missing_ok=True)
    return {name: lines.count(name) for name in OPERATIONS.values()}


def check_counts(reply, lines, name):
    """What the program reports is what the operations saw."""
    executed = support.executed(reply)
    excess = {task: lines[operation] - executed[task] for task, operation in OPERATIONS.items()}
    say(f"{name}: called {lines}")
    check(min(excess.values()) >= 0, f"{name}: more reported than called: {excess}")
    equal(sum(excess.values()), reply["reuse"]["recomputed"],
          f"{name}: calls beyond those reported as executed, against recomputed")


def check_counting(project, count):
    lines_of(count)
    for threads in (1, 8):
        reply = study(project, f"counted-j{threads}", "-j", threads, "--store", f"store{threads}")
        check_counts(reply, lines_of(count), f"counted with {threads} threads")
    study(project, "counted-again", "--store", "store1")
    equal(sum(lines_of(count).values()), 0, "calls of the second study")
    reply = study(project, "counted-plain", "-j", 2, "--no-reuse")
    lines = lines_of(count)
    check_counts(reply, lines, "counted without reuse")
    equal(lines, {OPERATIONS[task]: 64 if task == "score.score" else 128 for task in TASKS}, "calls without reuse")


def check_failures(project, count, broken):
    """Some fits fail: the others are done, the message is kept, and after mending only what is missing runs."""
    good = support.read_csv(project / "out-counted-j1/results.csv")
    broken.touch()
    reply = study(project, "failed", "-j", 2, "--store", "store-failed", expect=1)
    before = lines_of(count)
    run = reply.get("run", "")
    bad = {(row["floor"], row["iterations"]) for row in good if float(row["floor"]) > 1}
    by_task = {f"{row['stage']}.{row['task']}": row for row in reply["by_task"]}
    equal(by_task["fit.fit"]["failed"], 2 * len(bad), "failed fits")
    equal(before["decay.fit"], by_task["fit.fit"]["executed"] + 2 * len(bad), "calls of the fit, good and failed")
    check(by_task["score.score"]["skipped"] > 0, "no score was skipped")
    equal(reply["state"], "failed", "state of the study")
    check(any("the licence server said no" in task["message"] for task in reply["failed"]),
          f"failed: {reply['failed'][:2]}")
    for row, found in zip(good, support.read_csv(project / "out-failed/results.csv")):
        wanted = {**row, "score.table:error": "", "score.table:rate_error": ""} if float(row["floor"]) > 1 else row
        equal(found, wanted, "a row of results.csv of the study that failed in part")
    text = call("study", "-C", project, "-o", "out-failed2", "--store", "store-failed", "--progress=none", expect=1)
    check("error[T" in text.stderr and "the licence server said no" in text.stderr and "tessera" in text.stderr,
          f"what is said about a failed task:\n{text.stderr}")
    lines_of(count)
    log = call("log", "-C", project, "--store", "store-failed", run)
    check("the licence server said no" in log.stdout, f"the log does not say why:\n{log.stdout[:1000]}")
    equal(call_json("status", "-C", project, "--store", "store-failed", run)["runs"][0]["state"], "failed",
          "state in the store")
    broken.unlink()
    mended = study(project, "failed", "-j", 2, "--store", "store-failed", "--resume", run)
    after = lines_of(count)
    say(f"mended: called {after} after {before}")
    equal((mended["run"], mended["state"]), (run, "done"), "run and state after mending")
    equal(after["decay.fit"], 2 * len(bad), "fits after mending: those that had failed")
    equal(after["decay.simulate"] + after["decay.residual"], 0, "simulations after mending")
    equal(support.executed(mended)["fit.fit"], 2 * len(bad), "executed fits after mending")
    equal(results(project, "failed"), results(project, "counted-j1"), "results.csv after mending")


def main():
    support.need_program()
    work = support.scratch()
    project = copy_project(work / "decay")
    make_plugin(project)
    check_study(project)
    counting = copy_project(work / "counting")
    count, broken = work / "calls", work / "broken"
    make_counting(counting, count, broken)
    check_counting(counting, count)
    equal(results(counting, "counted-j1"), results(project, "j1"), "results.csv of the operations that count")
    check_failures(counting, count, broken)
    support.finish()


main()
