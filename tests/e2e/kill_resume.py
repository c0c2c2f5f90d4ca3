#!/usr/bin/env python3
"""Kills a study at 10 random moments and resumes it: same results, little finished work repeated; Ctrl-C pauses.

SPDX-License-Identifier: Apache-2.0

With the word "long": at 20 moments.
test-label: long
test-timeout: 600
"""
import json
import os
import random
import re
import select
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import _support as support
from _support import call, call_json, check, equal, say

KILLS = 20 if "long" in sys.argv[1:] else 10
LONG_LIVES = KILLS // 4  # have work behind them that must not be lost
OLD_TASKS = 40           # so many, at least, in each of these
THREADS = 2
trajectories = 40  # more where the machine is so fast that no life would be long enough
LIMIT_S = 2.0  # invariant 8, where the machine does at once what it is asked for
DELAYS = 8     # so often, at most, the store waits for the machine until a batch is durable: woken, packing, synced
# What a stage gives away and what a table holds is durable, whatever it cost.
DURABLE = ("normalise.colours", "segment.final_size", "compare.scores")


class Machine:
    """How late the machine is with what takes no time: to wake up a thread and to sync a small file beside the store."""

    def __init__(self, folder):
        self.path, self.late = folder / "late", []
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        with open(self.path, "wb", buffering=0) as file:
            while True:
                before = time.monotonic()
                time.sleep(0.02)
                file.write(b"1")
                os.fsync(file.fileno())
                self.late.append((before, time.monotonic() - before - 0.02))

    def limit_s(self, since):
        """The limit for a process that lives since then."""
        return LIMIT_S + DELAYS * max((late for when, late in self.late if when >= since), default=0)


class Life:
    """One process: started, read until a moment, killed or ended. events: (when it was read, the line)."""

    def __init__(self, project, *words):
        self.start = time.monotonic()
        self.events, self.rest, self.text = [], b"", ""
        self.process = subprocess.Popen([support.PROGRAM, "-C", str(project), "study", "-j", str(THREADS),
                                         "--progress=json", *words],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        env=support.environment())
        os.set_blocking(self.process.stderr.fileno(), False)

    def read(self, wait_s):
        """Takes what was written, waiting for it at most so long; False at the end."""
        if not select.select([self.process.stderr], [], [], max(wait_s, 0))[0]:
            return True
        data = self.process.stderr.read()
        *lines, self.rest = (self.rest + (data or b"")).split(b"\n")
        now = time.monotonic()
        for line in lines:
            if line.startswith(b"{"):
                self.events.append((now, json.loads(line)))
            else:
                self.text += line.decode() + "\n"
        return data != b""

    def read_until(self, deadline, enough=lambda life: False):
        """False if the process ended before."""
        while time.monotonic() < deadline and not enough(self):
            if not self.read(deadline - time.monotonic()):
                return False
        return True

    def read_for_long(self, enough):
        while not enough(self):
            if not self.read(0.1):
                return False
        return True

    def stop(self, number):
        """Sends a signal, reads the rest; when it was sent."""
        moment = time.monotonic()
        self.process.send_signal(number)
        while self.read(60):
            pass
        self.process.wait()
        return moment

    def done(self, outcome="executed"):
        return [(when, event) for when,
                event in self.events if event["ev"] == "task_done" and event["outcome"] == outcome]


def identity(event):
    return event["name"], tuple(event.get("tile", ())), event["task"]


def undisturbed(project):
    """Results, the tasks that the few digits of a progress line do not distinguish, and the seconds it took."""
    life = Life(project, "--store", "calm", "-o", "out-calm", "--trajectories", str(trajectories))
    life.read_until(time.monotonic() + 500)
    equal(life.process.wait(), 0, "exit of the undisturbed study")
    seen, twice = set(), set()
    for _, event in life.events:
        if event["ev"] == "task_done":
            (twice if identity(event) in seen else seen).add(identity(event))
    took = life.events[-1][1]["t"]
    say(f"undisturbed: {took:.1f} s, {len(life.done())} tasks executed, {len(twice)} of equal digits")
    return (project / "out-calm/results.csv").read_bytes(), twice, took


class Round:
    """A study in a store of its own, killed and resumed until it is finished."""

    def __init__(self, project, number, ambiguous, machine):
        self.project, self.ambiguous, self.machine = project, ambiguous, machine
        self.words = ["--store", f"store{number}", "-o", f"out{number}", "--trajectories", str(trajectories)]
        self.results = project / f"out{number}/results.csv"
        self.store = project / f"store{number}"
        self.begun = False
        self.finished = {}  # identity -> (number of the kill that followed, seconds before it, seconds it took)
        self.repeated = []  # per kill, seconds of finished work that were done again
        self.limits = []    # per kill, the limit in seconds
        self.old = 0        # executions that were finished longer than LIMIT_S before a kill

    def has_old_tasks(self, life):
        limit = self.machine.limit_s(life.start)
        return sum(time.monotonic() - when > limit for when, _ in life.done()) > OLD_TASKS

    def live(self, delay):
        """For so long, or until there are old tasks (None). True if it was killed, False if it came to its end."""
        life = Life(self.project, *self.words, *(["--resume"] if self.begun else []))
        if delay is None:
            alive = life.read_for_long(self.has_old_tasks)
        else:
            alive = life.read_until(time.monotonic() + delay)
        moment = life.stop(signal.SIGKILL) if alive else None
        if not alive:
            life.process.wait()
        self.judge_repeated(life)
        if life.process.returncode == -signal.SIGKILL:
            self.begun = self.begun or bool(life.events)
            self.limits.append(self.machine.limit_s(life.start))
            for when, event in life.done():
                self.finished[identity(event)] = (len(self.repeated), moment - when, event["s"])
                self.old += moment - when > LIMIT_S
            self.repeated.append(0.0)
            return True
        if self.begun and "there is no unfinished study" in life.text:
            return False  # the kill came between the last record and the end of the process: check_store wants "done"
        equal(life.process.returncode, 0, f"exit of a resumed study\n{life.text}")
        return False

    def judge_repeated(self, life):
        """Holds what this life executed against what earlier ones had finished before they were killed."""
        names = {identity(event) for _, event in life.done()} - self.ambiguous
        again = [(name, *self.finished[name]) for name in names if name in self.finished]
        for _, kill, _, seconds in again:
            self.repeated[kill] += seconds
        late = [(name, age) for name, kill, age, _ in again if age > self.limits[kill]]
        if again:
            total = sum(row[3] for row in again)
            say(f"  after kill {len(self.repeated)}: {len(again)} finished tasks of {total:.2f} s repeated, "
                f"{len(late)} of them older than {self.limits[-1]:.1f} s")
        equal([row for row in late if row[0][0] in DURABLE], [],
              f"durable tasks finished more than {self.limits} s before the kill and repeated")


def check_store(round_):
    with sqlite3.connect(f"file:{next(round_.store.glob('*.db'), round_.store / 'missing')}?mode=ro",
                         uri=True) as database:
        equal(database.execute("PRAGMA integrity_check").fetchone()[0], "ok", "integrity of the store")
    runs = call_json("status", "-C", round_.project, "--store", round_.store.name).get("runs", [])
    equal([run["state"] for run in runs], ["done"], "states of the runs in the store: the one that was resumed")


def check_kills(project):
    global trajectories
    wanted, ambiguous, took = undisturbed(project)
    while took < 2 * LIMIT_S:
        shutil.rmtree(project / "calm")
        trajectories *= 2
        wanted, ambiguous, took = undisturbed(project)
    dice, machine = random.Random(20), Machine(project)
    delays = [None] * LONG_LIVES + [dice.uniform(0.01, 0.8) for _ in range(KILLS - LONG_LIVES)]
    dice.shuffle(delays)
    kills, rounds, old = 0, 0, 0
    while kills < KILLS:
        round_ = Round(project, rounds, ambiguous, machine)
        rounds += 1
        while kills < KILLS and round_.live(delays[kills]):
            kills += 1
        if kills == KILLS:
            round_.live(500)
        old += round_.old
        for seconds, limit in zip(round_.repeated, round_.limits, strict=True):
            check(seconds <= limit * THREADS, f"{seconds:.2f} s of finished work repeated on {THREADS} threads "
                  f"for a kill, and the limit is {limit:.2f} s for each")
        check(round_.results.exists() and round_.results.read_bytes() == wanted,
              f"results.csv of round {rounds} differ")
        check_store(round_)
        say(f"round {rounds}: limits {[round(limit, 2) for limit in round_.limits]} s, repeated "
            f"{[round(seconds, 2) for seconds in round_.repeated]} s")
    say(f"{kills} kills in {rounds} rounds; {old} tasks had been finished {LIMIT_S:g} s before a kill")
    check(old >= OLD_TASKS * LONG_LIVES, "no life was long enough to show that finished work is kept")


def pause(project, store, number, wanted_exit):
    """Pauses with a signal after some tasks; the command that the program proposes.

    On a busy machine a study may end before the signal reaches it: then another begins, with an empty store."""
    for _ in range(5):
        shutil.rmtree(project / store, ignore_errors=True)
        life = Life(project, "--store", store, "-o", f"out-{store}")
        alive = life.read_until(time.monotonic() + 60, lambda life: len(life.done()) >= 50)
        life.stop(number)
        if alive and life.process.returncode != 0:
            break
    equal(life.process.returncode, wanted_exit, f"exit after {number.name}")
    found = re.search(r"Paused at ([\d\W]+?) of ([\d\W]+?)\. Continue with: (tessera .* --resume [0-9a-f]{8}.*)",
                      life.text)
    if not check(found, f"no message that says how to continue:\n{life.text}"):
        return None
    equal(call_json("status", "-C", project, "--store", store)["runs"][0]["state"], "paused", "state after a signal")
    say(f"{number.name}: {found[0]}")
    return found[3]


def check_pauses(project):
    calm = call_json("study", "-C", project, "-j", THREADS, "--store", "memory", "-o", "out-memory")
    wanted = (project / "out-memory/results.csv").read_bytes()
    for number, wanted_exit in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        command = pause(project, number.name.lower(), number, wanted_exit)
        if not command:
            continue
        reply = call_json(*shlex.split(command)[1:])
        equal(reply.get("state"), "done", "state after resuming")
        check((project / f"out-{number.name.lower()}/results.csv").read_bytes() == wanted,
              f"results.csv after {number.name} differ")
        check(reply["reuse"]["executed"] < calm["reuse"]["executed"],
              "nothing that was done before the pause was reused")
    done = call("study", "-C", project, "--store", "sigint", "--resume", expect=3)
    check("there is no unfinished study" in done.stderr, f"what a second --resume says: {done.stderr}")


def main():
    support.need_program()
    project = support.scratch() / "demo"
    support.init_nuclei(project)
    check_pauses(project)
    check_kills(project)
    support.finish()


main()
