#!/usr/bin/env python3
"""A clock that jumps back and forth by days while a study runs: same results, no wait for the past, sane records.

SPDX-License-Identifier: Apache-2.0
test-label: long (a preloaded clock and the sanitizers exclude each other)
test-timeout: 180
"""
import json
import signal
import sqlite3
import subprocess
import time

import _faults as faults
import _support as support
from _faults import same, study
from _support import call, call_json, check, equal, say

# Every reading of the wall clock jumps: forwards by a day, back by two, and so on; other clocks are left alone.
SHIM = r"""
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static atomic_int reading;
static long jump(void) {
  static const long days[] = {0, 1, -2, 365, -3650, 30, -1};
  return 86400 * days[(unsigned)atomic_fetch_add(&reading, 1) % 7];
}
int clock_gettime(clockid_t id, struct timespec *now) {
  int status = (int)syscall(SYS_clock_gettime, id, now);
  if (status == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += jump();
  return status;
}
int gettimeofday(struct timeval *now, void *zone) {
  int status = (int)syscall(SYS_gettimeofday, now, zone);
  if (status == 0) now->tv_sec += jump();
  return status;
}
time_t time(time_t *now) {
  struct timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  if (now) *now = when.tv_sec;
  return when.tv_sec;
}
"""


def make_shim(folder):
    (folder / "jump.c").write_text(SHIM, encoding="utf-8")
    subprocess.run(["cc", "-O1", "-fPIC", "-shared", "-o", folder / "jump.so", folder / "jump.c"], check=True)
    return support.environment(LD_PRELOAD=str(folder / "jump.so"))


def check_records(folder):
    """Task rows count from the start of the run by a clock that does not jump."""
    database = sqlite3.connect(f"file:{folder / 'jumping'}/store.db?mode=ro", uri=True)
    rows = database.execute("SELECT start_s, seconds, cpu_seconds FROM task").fetchall()
    check(rows and all(0 <= start < 60 and 0 <= seconds < 60 for start, seconds, _ in rows),
          f"times of tasks: {sorted(rows)[:2]} to {sorted(rows)[-2:]}")
    numbers = database.execute("SELECT number, id FROM run ORDER BY number").fetchall()
    database.close()
    return [number for _, number in numbers]


def main():
    if support.SANITIZED:
        support.skip("the sanitizers must be loaded first")
    folder = faults.project()
    wanted = faults.calm(folder)
    env = make_shim(folder)
    start = time.monotonic()
    for number in range(3):
        seed = ("--seed", str(number)) if number else ()
        study(folder, *seed, store="jumping", out=f"out{number}", env=env, timeout=60)
    took = time.monotonic() - start
    say(f"three studies with a jumping clock: {took:.1f} s")
    check(took < 30, f"three small studies took {took:.0f} s")
    same(folder, wanted, "a jumping clock", "out0")
    runs = check_records(folder)
    equal(len(runs), 3, "recorded runs")
    reply = call_json("status", "-C", folder, "--store", "jumping")
    listed = [run.get("run", run.get("id")) for run in reply.get("runs", [])]
    check(listed == runs[::-1], f"status lists {listed}, but the runs were {runs}")
    wall = json.loads((folder / "out0/result.json").read_text(encoding="utf-8")).get("wall_s", 0)
    check(0 <= wall < 60, f"the study says it took {wall} s")
    # Stopping and continuing under such a clock.
    run = faults.start_at_gate(folder, "stopped", "out-stopped", env)
    run.send_signal(signal.SIGINT)
    faults.open_gate(folder)
    run.stderr.read()
    equal(run.wait(30), 130, "exit of a study that was stopped")
    study(folder, "--resume", store="stopped", out="out-stopped", env=env, timeout=60)
    same(folder, wanted, "stopped and continued with a jumping clock", "out-stopped")
    call("report", "-C", folder, "--store", "jumping", env=env)
    support.finish()


if __name__ == "__main__":
    main()
