#!/usr/bin/env python3
"""Traces and profiles of runs: every executed task once, no overlap on a thread, sums that agree, after kill -9 too.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo)
test-timeout: 300
"""
import collections
import json
import re
import subprocess

import _support as support
from _support import call, call_json, check, equal, say

THREADS = 2
STUDY = ("--trajectories", "3", "-j", str(THREADS))


def load(path, ending=""):
    try:
        return json.loads(path.read_text(encoding="utf-8") + ending)
    except ValueError as error:
        check(False, f"{path.name} is no JSON: {error}")
        return []


def calls(events, category):
    return [event for event in events if event["ph"] == "X" and event["cat"] == category]


def nanoseconds(number):
    return round(number * 1000)


def check_lanes(events, what):
    """On each thread one thing after the other, in the order of the file; each thread has a name."""
    named = {event["tid"] for event in events if event["name"] == "thread_name"}
    ends = collections.defaultdict(int)
    for event in (event for event in events if event["ph"] == "X"):
        start = nanoseconds(event["ts"])
        check(start >= ends[event["tid"]], f"{what}: {event['name']} begins before the task before it ended")
        ends[event["tid"]] = start + nanoseconds(event["dur"])
        check(event["dur"] >= 0 and event["pid"] == 1 and event["tid"] in named, f"{what}: {event}")
    return ends


def check_trace(path, reply, what):
    """The trace tells of the same tasks as the reply, and of the same seconds."""
    events = load(path)
    tasks = calls(events, "task")
    wanted = sum(reply[part][outcome] for part in ("reuse", "reference") for outcome in ("executed", "failed"))
    equal(len(tasks), wanted, f"{what}: tasks in the trace")
    equal(len([event for event in calls(events, "engine") if event["name"].startswith("read.")]),
          reply["reuse"]["reads"], f"{what}: images read")
    keys = {(event["args"]["key"], event["args"].get("tile")) for event in tasks}  # of a file: no tile
    equal(len(keys), len(tasks), f"{what}: different tasks in the trace")
    counted = collections.Counter(event["name"] for event in tasks)
    for row in reply["by_task"]:
        name = f"{row['stage']}.{row['task']}"
        mine = [event for event in tasks if event["name"] == name]
        equal(counted.pop(name, 0), row["calls"], f"{what}: calls of {name}")
        for field, unit in (("wall_s", [event["dur"] for event in mine]),
                            ("cpu_s", [event["args"]["cpu_us"] for event in mine])):
            check(abs(sum(unit) / 1e6 - row[field]) < 1e-6 + 1e-8 * len(mine),
                  f"{what}: {field} of {name}: {row[field]}, in the trace {sum(unit) / 1e6}")
    equal(dict(counted), {}, f"{what}: tasks in the trace that the reply does not have")
    ends = check_lanes(events, what)
    check(len(ends) <= THREADS and max(ends.values(), default=0) <= reply["profile"]["run_s"] * 1e9,
          f"{what}: the trace is longer than the run")
    points = [event["args"] for event in events if event["ph"] == "C"]
    check(all(a[name] <= b[name] for a, b in zip(points, points[1:]) for name in a), f"{what}: the curve goes down")
    return events


def table_of(text):
    """The rows of the table that -v prints: name -> {column: number}; empty columns are left out there, 0 here."""
    lines = text.split("Where the time went\n")[1].splitlines()
    ends = {match[0]: match.end() for match in re.finditer(r"\S+( \S+)*", lines[0])}
    del ends["task"]
    rows = {}
    for line in lines[1:]:
        if not line.startswith("  ") or re.match(r"  \d+ threads", line):
            break
        name, begin = line.split()[0], len("  ") + len(line.split()[0])
        rows[name] = collections.defaultdict(float)
        for column, end in sorted(ends.items(), key=lambda item: item[1]):
            cell = line[begin:end].replace("\N{NO-BREAK SPACE}", "").replace(" ", "").rstrip("%")
            rows[name][column] = float(cell) if cell else 0.0
            begin = end
    return rows


def check_sums(reply, what):
    """Tasks, reading and the engine are all of the process; commands come on top."""
    profile = reply["profile"]
    inside = sum(row["cpu_s"] for row in reply["by_task"] if not row.get("external"))
    equal(round(inside, 9), round(profile["tasks_cpu_s"], 9), f"{what}: CPU seconds of tasks")
    parts = profile["tasks_cpu_s"] + profile["engine_cpu_s"] + sum(
        profile[name]["cpu_s"] for name in ("read", "crop", "gather"))
    check(abs(parts - profile["process_cpu_s"]) < 1e-9, f"{what}: the parts are {parts} CPU seconds: {profile}")
    equal(profile["process_cpu_s"], reply["cpu_s"], f"{what}: CPU seconds of the process")
    check(profile["engine_cpu_s"] > 0, f"{what}: the engine took {profile['engine_cpu_s']} CPU seconds")
    check(profile["process_peak_bytes"] > reply["peak_bytes"] > 0, f"{what}: peak memory")


def check_table(run, what):
    reply = json.loads(run.stdout)
    rows = table_of(run.stderr)
    names = [f"{row['stage']}.{row['task']}" for row in reply["by_task"]]
    equal([name for name in rows if "." in name], names, f"{what}: tasks in the table")
    total = rows.pop("total")
    for column, slack in (("calls", 0), ("CPU s", 0.0006 * len(rows)), ("wall s", 0.0006 * len(rows)), ("reused", 0)):
        found = sum(row[column] for row in rows.values())
        check(abs(found - total[column]) <= slack, f"{what}: {column} adds up to {found}, not {total[column]}")
    check(abs(total["CPU s"] - reply["profile"]["process_cpu_s"]) <= 0.0006, f"{what}: total of CPU seconds: {total}")
    for row in reply["by_task"]:
        found = rows[f"{row['stage']}.{row['task']}"]
        reused = sum(row[name] for name in ("stage_reused", "task_reused", "cutoff", "store"))
        equal((found["calls"], found["reused"]), (row["calls"], reused), f"{what}: {row['task']}")
        check(abs(found["CPU s"] - row["cpu_s"]) <= 0.0006, f"{what}: CPU seconds of {row['task']}")
    return reply


def check_study(project):
    run = call("study", "-C", project, *STUDY, "-v", "--json", "--progress=none", "--trace", "traces/cold.json")
    reply = check_table(run, "cold study")
    check_sums(reply, "cold study")
    events = check_trace(project / "traces/cold.json", reply, "cold study")
    check({event["args"]["set"] for event in calls(events, "task")} <= set(range(-1, len(reply["runs"]))),
          "sets that are not of the study")
    run = call("study", "-C", project, *STUDY, "-v", "--json", "--progress=none", "--trace", "traces/cold.json")
    again = check_table(run, "warm study")
    equal(again["reuse"]["executed"], 0, "tasks of the warm study")
    check_trace(project / "traces/cold.json", again, "warm study")
    single = call_json("run", "-C", project, "-j", THREADS, "--no-reuse", "--trace", "traces/run.json")
    check_sums(single, "run")
    check_trace(project / "traces/run.json", single, "run")
    quiet = call("run", "-C", project, "--progress=none")
    check("Where the time went" not in quiet.stderr + quiet.stdout, "a profile that nobody asked for")
    say(f"study: {reply['reuse']['executed']} tasks traced, engine {reply['profile']['engine_cpu_s']:.3f} of "
        f"{reply['profile']['process_cpu_s']:.3f} CPU s")
    return reply


def check_kill(project):
    """What is left after kill -9 lacks no more than the bracket."""
    path = project / "killed.json"
    process = subprocess.Popen([support.PROGRAM, "-C", str(project), "study", *STUDY, "--store=memory",
                                "--progress=json", "--trace", path.name], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=support.environment())
    done = 0
    for line in process.stderr:
        done += b'"task_done"' in line
        if done >= 40 and path.read_bytes().count(b'"cat":"task"') >= 20:
            break
    process.kill()
    process.stderr.close()
    check(process.wait() == -9, "the study ended before it could be killed")
    text = path.read_text(encoding="utf-8")
    check(not text.rstrip().endswith("]"), "the trace of a killed study is complete")
    events = load(path, "]")
    check_lanes(events, "killed study")
    check(len(calls(events, "task")) >= 20, f"killed study: {len(calls(events, 'task'))} tasks in the trace")
    call("run", "-C", project, "--progress=none", "--trace", path.name)
    load(path)
    say(f"killed: {len(calls(events, 'task'))} tasks in the trace, {done} told")


def check_trouble(project):
    """A trace that cannot be written costs a warning; one that would cost a file is refused before anything is run."""
    full = call_json("run", "-C", project, "--no-reuse", "--trace", "/dev/full")
    check(any("/dev/full" in text and "No space left" in text for text in full["warnings"]), "a full disk is not told")
    equal(full["state"], "done", "state of a run whose trace could not be written")
    before = (project / "study.json").read_bytes()
    runs = len(call_json("status", "-C", project)["runs"])
    for words, status, what in ((("--trace", "study.json"), 3, "exists and is not a trace"),
                                (("--trace", "."), 5, "cannot be written"),
                                (("--trace",), 2, "--trace")):
        run = call("study", "-C", project, *words, expect=status)
        check(what in run.stderr and "help: " in run.stderr, f"study {words} should say '{what}':\n{run.stderr}")
    equal((project / "study.json").read_bytes(), before, "study.json after it was named as a trace")
    equal(len(call_json("status", "-C", project)["runs"]), runs, "runs that refused traces left")


def main():
    support.need_program()
    project = support.scratch() / "nuclei"
    support.init_nuclei(project)
    check_study(project)
    check_kill(project)
    check_trouble(project)
    support.finish()


main()
