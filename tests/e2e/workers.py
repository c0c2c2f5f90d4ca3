#!/usr/bin/env python3
"""Worker processes: the same results whatever the merge, and none is lost when workers or the study itself are killed.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300
"""
import collections
import json
import os
import pathlib
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import _faults as faults
import _support as support
from _support import call, call_json, check, equal, say

KILLS = 10
SETS = ("--trajectories", "2")
MERGES = (["--merge", "none"], ["--merge", "stage"], ["--merge", "naive"], ["--merge", "sca"], ["--merge", "rtma"],
          ["--merge", "rtma", "--keys", "dag"], ["--merge", "trtma", "--max-buckets", "3"], ["--no-reuse"],
          ["--no-cutoff"], ["--store", "memory"])
meeting = None  # the folder where sockets are made


def environment(**more):
    return support.environment(XDG_RUNTIME_DIR=str(meeting), **more)


def workers_of(pid):
    """The worker processes that a study has started."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and b"\0worker\0" in (folder / "cmdline").read_bytes():
                if int(re.search(r"\nPPid:\s+(\d+)", (folder / "status").read_text())[1]) == pid:
                    found.append(int(folder.name))
        except OSError:
            continue  # it ended meanwhile
    return found


def workers_when(life, count):
    """Those that it has once there are so many: a process that was started a moment ago has the name of the study until it
    begins with its own program."""
    deadline = time.monotonic() + 20
    while len(found := workers_of(life.process.pid)) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().split(") ")[-1][0] != "Z"
    except OSError:
        return False


def nobody_left(pids, what):
    """Workers end by themselves, and no socket stays behind unless their study was killed."""
    deadline = time.monotonic() + 60  # workers of a busy machine get little time
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    equal([pid for pid in pids if is_alive(pid)], [], f"{what}: workers that are still there")


def check_counts(reply, what):
    """What was asked for is what was avoided and what was done, apart from what was done twice (invariant 5)."""
    reuse = reply.get("reuse", {})
    sum_ = sum(reuse.get(name, 0) for name in ("stage", "task", "cutoff", "store", "executed", "failed", "skipped"))
    equal(sum_ - reuse.get("repeated", 0), reuse.get("requested"), f"{what}: the sum of {reuse}")


def study(project, number, *words, **options):
    """Results of a study with a store of its own, and its reply."""
    words = words if "--store" in words else [*words, "--store", f"store{number}"]
    reply = call_json("study", "-C", project, "-o", f"out{number}", *words, env=environment(), **options)
    equal(list(meeting.iterdir()), [], f"{words}: what is left of the sockets")
    check_counts(reply, words)
    return (project / f"out{number}/results.csv").read_bytes(), reply


def check_plan(project, reply, *words):
    """What 'plan' counts of the buckets is what workers then execute."""
    planned = call_json("plan", "-C", project, "--store", "memory", *words)
    buckets, done = {}, {}
    for bucket in planned.get("buckets", []):
        buckets[bucket["stage"]] = buckets.get(bucket["stage"], 0) + bucket["tasks"]
    for row in reply["by_task"]:
        done[row["stage"]] = done.get(row["stage"], 0) + row["executed"]
    more = {stage: done[stage] - count * planned["tiles"] for stage, count in buckets.items()}
    # The reference run is a bucket of its own: what it shares with others along the graph is done again there.
    most = reply["reference"]["requested"] if "dag" in words else 0
    check(buckets and all(0 <= number <= most for number in more.values()), f"{words}: {done}, {more} too many")


def check_results(project):
    wanted, calm = study(project, "calm", *SETS)
    for number, words in enumerate([["--workers", n] for n in (1, 2, 3)] + [["--workers", 2, *m] for m in MERGES]):
        found, reply = study(project, number, *SETS, *words)
        check(found == wanted, f"results.csv of {words} differ")
        equal(reply.get("workers"), words[1], f"{words}: workers in the reply")
        say(f"{' '.join(map(str, words))}: {reply['buckets']} buckets, executed {reply['reuse']['executed']}, "
            f"repeated {reply['reuse']['repeated']}")
        if any(merge in words for merge in ("naive", "sca", "rtma", "trtma")):
            check_plan(project, reply, *SETS, *words)
        if words == ["--workers", 1]:
            equal(reply["reuse"]["executed"], calm["reuse"]["executed"], "executed by one worker")
    small, _ = study(project, "tiles", *SETS, "--tile", 128)
    for costs in ([], ["--cost", "unit"]):
        found, reply = study(project, f"tiles-{len(costs)}", *SETS, "--tile", 128, "--workers", 2, *costs)
        check(found == small, f"results.csv with many tiles differ {costs}")
        say(f"{reply['buckets']} buckets with many tiles {costs}")
    # 48 tiles: whole ones, but for the last. With costs that are given nothing is measured: its runs are 5 buckets for
    # each worker, of which the last but one is split in 2, the last one, of three runs, in 3.
    equal(reply["buckets"], 47 + (5 * 2 - 2) + 2 + 3, "buckets with many tiles and given costs")


def check_rounds(project):
    """Several rounds and phases: workers are started for each."""
    for name, words in (("phases", ["--method", "two-phase", "--trajectories", 2, "--count", 2, "--keep", "G1,T2"]),
                        ("until", [*SETS, "--until", "ci(mu_star) < 0.2", "--max-runs", 80])):
        expect = None if name == "until" else 0
        wanted, _ = study(project, name, *words, expect=expect)
        found, reply = study(project, f"{name}-2", *words, "--workers", 2, expect=expect)
        check(found == wanted, f"results.csv of {words} differ")
        check(reply.get("workers") == 2, f"{name}: {reply.get('workers')} workers")


def check_run(project):
    """All files that 'run' writes."""
    call("run", "-C", project, "--store", "store-run", "-o", "run-1", "--progress=none")
    call("run", "-C", project, "--store", "store-run-2", "-o", "run-2", "--progress=none", "--workers", 2,
         env=environment())
    found, wanted = support.results_below(project / "run-2"), support.results_below(project / "run-1")
    check(len(wanted) > 3 and found == wanted, f"files of 'run': {sorted(found)}, not {sorted(wanted)}")


class Life:
    """A study that is disturbed while it runs."""

    def __init__(self, project, *words):
        self.reply = tempfile.TemporaryFile()  # a pipe would be full before the end
        self.process = subprocess.Popen([support.PROGRAM, "study", "-C", str(project), "--progress=json", "--json",
                                         *map(str, words)], env=environment(), stdin=subprocess.DEVNULL,
                                        stdout=self.reply, stderr=subprocess.PIPE)
        os.set_blocking(self.process.stderr.fileno(), False)
        self.rest, self.done, self.text = b"", 0, ""
        self.executed = collections.Counter()  # (file, x, y) -> executions that were told
        self.again = collections.Counter()  # of these, repetitions of the same task
        self.lost = []  # a tile for each bucket that was given back, and how many executions it had told
        self.seen = set()
        self.tile = None  # of the last execution

    def read(self, wait_s):
        if not select.select([self.process.stderr], [], [], wait_s)[0]:
            return True
        data = self.process.stderr.read()
        *lines, self.rest = (self.rest + (data or b"")).split(b"\n")
        for line in lines:
            if line.startswith(b"{"):
                self.take(json.loads(line))
            else:
                self.text += line.decode() + "\n"
                self.mourn(line.decode())
        return data != b""

    def take(self, event):
        if event["ev"] != "task_done":
            return
        self.done += 1
        if event["outcome"] == "executed":
            self.tile = tile = (event["file"], *event["tile"])
            self.executed[tile] += 1
            self.again[tile] += (tile, event["key"]) in self.seen
            self.seen.add((tile, event["key"]))

    def mourn(self, line):
        """A bucket of whole tiles has told what was told of its tile since it was given back last."""
        found = re.match(r"it loses its work \(tile (\d+), (\d+) of '(.*)'\); another", line.strip())
        if found:
            tile = (found[3], int(found[1]), int(found[2]))
            self.lost.append((tile, self.executed[tile] - sum(n for other, n in self.lost if other == tile)))

    def wait_for(self, done):
        """False if it ended before so many tasks were done."""
        while self.done < done:
            if not self.read(60):
                return False
        return True

    def end(self):
        while self.read(60):
            pass
        self.process.wait()
        self.reply.seek(0)
        return self.reply.read()


def check_kills(project):
    """Ten workers are killed, each while another part of the work is being done; only what they did is done again."""
    words = ("--trajectories", 12, "--tile", 128)
    calm = Life(project, *words, "--store", "storekills-calm", "-o", "outkills-calm")
    calm.end()
    wanted = (project / "outkills-calm/results.csv").read_bytes()
    life = Life(project, *words, "--workers", 2, "--store", "store-kills", "-o", "out-kills")
    kills = 0
    while kills < KILLS and life.read(60):
        # So many other tiles that no bucket is killed three times; both workers, for one is in the middle of its tile.
        if len(life.executed) > 4 * kills and life.executed[life.tile] < calm.executed[life.tile] / 2:
            for victim in workers_of(life.process.pid)[:KILLS - kills]:
                os.kill(victim, signal.SIGKILL)
                kills += 1
    reply = json.loads(life.end())
    equal(life.process.returncode, 0, f"exit after {kills} kills\n{life.text}")
    equal(kills, KILLS, "workers that could be killed")
    check((project / "out-kills/results.csv").read_bytes() == wanted, "results.csv after kills differ")
    check_counts(reply, "kills")
    check_done_again(life, reply)
    check("killed by signal 9" in life.text and "another worker process takes it" in life.text, f"what is said of kills:\n{life.text}")
    equal(list(meeting.iterdir()), [], "what is left of the sockets")


def check_done_again(life, reply):
    """A task that was told twice was told by a bucket that was killed. Only the last tile is split, which costs some tasks
    of its own; its buckets come last, after all kills."""
    equal(sum(life.executed.values()), reply["reuse"]["executed"] + reply["reference"]["executed"],
          "executions that were told")
    lost = collections.Counter()
    for tile, count in life.lost:
        lost[tile] += count
    split = [tile for tile, count in life.again.items() if count > 0 and tile not in lost]
    check(len(split) <= 1, f"tiles of which something was done again although nobody was killed: {split}")
    for tile, count in lost.items():
        check(life.again[tile] <= count, f"{tile}: {life.again[tile]} done again, but only {count} were lost")
    again = sum(life.again[tile] for tile in lost)
    check(0 < len(life.lost) <= KILLS, f"{len(life.lost)} buckets were given back")
    say(f"{len(life.lost)} buckets killed that had told {sum(lost.values())} executions: {again} of these done again; "
        f"{sum(life.again[tile] for tile in split)} more in the tile that is split")


def check_dead_study(project):
    """Without the study there is nothing to work for; continuing finishes it, with workers as before."""
    words = ("--trajectories", 6, "--store", "store-dead", "-o", "out-dead")
    wanted, _ = study(project, "dead-calm", "--trajectories", 6)
    life = Life(project, *words, "--workers", 2)
    check(life.wait_for(200), "the study ended before it could be killed")
    pids = workers_of(life.process.pid)
    equal(len(pids), 2, "workers of the study")
    life.process.kill()
    life.end()
    nobody_left(pids, "kill -9 of the study")
    for folder in meeting.iterdir():  # whoever is killed cannot clean up
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    reply = call_json("study", "-C", project, *words[2:], "--resume", env=environment())
    equal(reply.get("workers"), 2, "workers of the resumed study")
    check(reply.get("reuse", {}).get("store", 0) > 0, "nothing was kept of the killed study")
    check((project / "out-dead/results.csv").read_bytes() == wanted, "results.csv of the resumed study differ")


def check_pause(project):
    """Ctrl-C reaches the study alone and pauses it; nobody is left."""
    words = ("--trajectories", 6, "--store", "store-pause", "-o", "out-pause")
    life = Life(project, *words, "--workers", 2)
    check(life.wait_for(100), "the study ended before it could be paused")
    pids = workers_of(life.process.pid)
    life.process.send_signal(signal.SIGINT)
    life.end()
    equal(life.process.returncode, 130, f"exit after Ctrl-C\n{life.text}")
    nobody_left(pids, "Ctrl-C")
    equal(list(meeting.iterdir()), [], "what is left of the sockets after Ctrl-C")
    found = re.search(r"Continue with: (tessera .* --resume [0-9a-f]{8}.*)", life.text)
    if not check(found, f"no message that says how to continue:\n{life.text}"):
        return
    call(*shlex.split(found[1])[1:], "--progress=none", env=environment())
    check((project / "out-pause/results.csv").read_bytes() == (project / "outdead-calm/results.csv").read_bytes(),
          "results.csv after a pause differ")


def check_stopped_worker(project):
    """A worker that stands still for less than its lease delays its bucket and nothing else; whoever gives up does not
    wait for it."""
    words = ("--trajectories", 3, "--tile", 128, "--lease", 3600)
    wanted, _ = study(project, "stopped-calm", *words)
    for name, goes_on in (("later", True), ("never", False)):
        options = ("--store", f"store-{name}", "-o", f"out-{name}")
        life = Life(project, *words, *options, "--workers", 2)
        check(life.wait_for(300), f"{name}: the study ended before a worker could be stopped")
        pids = workers_of(life.process.pid)
        os.kill(pids[0], signal.SIGSTOP)
        check(life.wait_for(life.done + 1000), f"{name}: the study ended without the worker that was stopped")
        if goes_on:
            os.kill(pids[0], signal.SIGCONT)
            code = 0
        else:
            code = 143
            life.process.send_signal(signal.SIGTERM)
            nobody_left(pids[1:], "the first signal")
            life.process.send_signal(signal.SIGTERM)
        start = time.monotonic()
        life.end()
        equal(life.process.returncode, code, f"{name}: exit\n{life.text}")
        check(goes_on or time.monotonic() - start < 60, f"{name}: it took {time.monotonic() - start:.1f} s to give up")
        nobody_left(pids, name)
        equal(list(meeting.iterdir()), [], f"{name}: what is left of the sockets")
        equal(life.text.count("another worker process takes it"), 0, f"{name}: buckets done again\n{life.text}")
        if not goes_on:
            call("study", "-C", project, *options, "--resume", "--progress=none", env=environment())
        check((project / f"out-{name}/results.csv").read_bytes() == wanted, f"{name}: results.csv differ")


def read_until(life, text):
    """False if it ended before that was said."""
    while text not in life.text:
        if not life.read(60):
            return False
    return True


def check_lease(project):
    """A worker that stands still for longer than its lease loses its bucket; when it goes on, its results are refused,
    and it takes other work."""
    words = ("--trajectories", 24, "--tile", 128)
    wanted, _ = study(project, "lease-calm", *words)
    life = Life(project, *words, "--workers", 2, "--lease", 2, "--store", "store-lease", "-o", "out-lease")
    check(life.wait_for(300), "the study ended before a worker could be stopped")
    victim = workers_of(life.process.pid)[0]
    os.kill(victim, signal.SIGSTOP)
    check(read_until(life, "another worker process takes it"), f"nobody noticed a worker that stands still:\n{life.text}")
    check(f"worker process {victim} has not answered for 2 s" in life.text, f"what is said of it:\n{life.text}")
    os.kill(victim, signal.SIGCONT)
    check(read_until(life, "are refused"), f"nothing was refused of the worker that goes on:\n{life.text}")
    pids = workers_when(life, 3)
    check(victim in pids and len(pids) == 3, f"worker {victim} goes on, and one was started in its place: {pids}")
    reply = json.loads(life.end())
    equal(life.process.returncode, 0, f"exit after a worker stood still\n{life.text}")
    equal((life.text.count("another worker process takes it"), life.text.count("are refused")), (1, 1), f"what was said:\n{life.text}")
    check((project / "out-lease/results.csv").read_bytes() == wanted, "results.csv after a worker stood still differ")
    check_counts(reply, "lease")
    equal(sum(life.executed.values()), reply["reuse"]["executed"] + reply["reference"]["executed"],
          "executions that were told")
    nobody_left(pids, "a worker that stood still")
    equal(list(meeting.iterdir()), [], "what is left of the sockets")


def check_only_worker(project):
    """The only worker stands still for ever: another process does its work, and the study does not wait for the first."""
    words = ("--trajectories", 3, "--tile", 128)
    life = Life(project, *words, "--workers", 1, "--lease", 2, "--store", "store-only", "-o", "out-only")
    check(life.wait_for(300), "the study ended before its worker could be stopped")
    victim = workers_of(life.process.pid)[0]
    os.kill(victim, signal.SIGSTOP)
    life.end()
    equal(life.process.returncode, 0, f"exit without the first worker\n{life.text}")
    check("another worker process takes it" in life.text and "are refused" not in life.text,  # its work, or its place
          f"what was said:\n{life.text}")
    check((project / "out-only/results.csv").read_bytes() == (project / "outstopped-calm/results.csv").read_bytes(),
          "results.csv without the first worker differ")
    nobody_left([victim], "the only worker")


def check_crash(_):
    """An operation that crashes is named with what it worked on; three workers are enough to know."""
    folder = faults.project()
    calm = faults.study(folder, store="store-calm", out="out-calm")
    check(calm.returncode == 0, "the study without a fault")
    run = faults.study(folder, "--workers", 2, store="store-crash", out="out-crash", expect=1,
                       env=environment(FAULTY="crash"))
    for text in ("error[T505]", "ended 3 worker processes", "faulty.sum", "--resume"):
        check(text in run.stderr, f"'{text}' is not said of an operation that crashes:\n{run.stderr}")
    check("north" in run.stderr or "south" in run.stderr, f"the file is not named:\n{run.stderr}")
    check("bug" not in run.stderr.lower(), run.stderr)
    faults.study(folder, "--resume", store="store-crash", out="out-crash", env=environment())
    check((folder / "out-crash/results.csv").read_bytes() == (folder / "out-calm/results.csv").read_bytes(),
          "results.csv after the operation was mended differ")
    run = faults.study(folder, "--workers", 2, store="store-fail", out="out-fail", expect=1,
                       env=environment(FAULTY="nothing"))
    check("did not make its output 'table'" in run.stderr, f"a task that fails:\n{run.stderr}")


def check_refusals(project):
    """What cannot be done is refused before there is a run of it."""
    (project / "costs.json").write_text('{"segment.nothing": 1}', encoding="utf-8")
    refused = ((["--merge", "rtma"], 2, "--workers N"),
               (["--merge", "rtma", "--no-reuse", "--workers", 2], 2, "do not go together"),
               (["--cost", "model", "--workers", 2], 2, "--cost model"),
               (["--cost", "costs.json", "--workers", 2], 3, "no task 'segment.nothing'"),
               (["--merge", "rtma", "--cost", "costs.json", "--workers", 2], 3, "no task 'segment.nothing'"))
    for command in ("study", "run"):
        for words, code, text in refused:
            run = call(command, "-C", project, "--store", "store-refused", *(SETS if command == "study" else ()), *words,
                       expect=code)
            check(text in run.stderr, f"{command} {words}:\n{run.stderr}")
    run = call("study", "-C", project, "--trajectories", 300, "--merge", "sca", "--workers", 2, "--store",
               "store-refused", expect=2)
    check("at most 2000" in run.stderr, f"too many runs for 'sca':\n{run.stderr}")
    equal(call_json("status", "-C", project, "--store", "store-refused").get("runs"), [], "runs that were refused")
    run = call("worker", expect=2)
    check("started by 'run' or 'study'" in run.stderr, f"a worker by hand:\n{run.stderr}")


def main():
    global meeting
    support.need_program()
    folder = support.scratch()
    project, meeting = folder / "demo", folder / "run"
    meeting.mkdir()
    support.init_tiles(project)
    for test in (check_results, check_rounds, check_run, check_kills, check_dead_study, check_pause,
                 check_stopped_worker, check_lease, check_only_worker, check_crash, check_refusals):
        if len(sys.argv) == 1 or test.__name__ in sys.argv[1:]:
            test(project)
    support.finish()


main()
