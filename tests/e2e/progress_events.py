#!/usr/bin/env python3
"""The events of --progress=json are those of docs/progress.md, field by field, and what they say of the whole is in order.

SPDX-License-Identifier: Apache-2.0
test-timeout: 120
"""
import json
import re
import shutil
import subprocess

import _support as support

PAGE = support.ROOT / "docs/progress.md"
OPTIONAL = {"run", "share", "left_s", "part", "tile", "message", "code", "help", "total"}
STAGE = {"name", "total", "done", "reused", "failed"}

def documented():
    """Events, and their fields, as the tables of the page say."""
    rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in PAGE.read_text().splitlines()
            if line.startswith("| `")]
    words = lambda cell: re.findall(r"`(\w+)`", cell)
    events = [words(row[0])[0] for row in rows if len(row) == 2]
    fields = {event: set() for event in events}
    for name, where, _ in (row for row in rows if len(row) == 3):
        for event in events if where == "all" else words(where):
            fields[event].add(words(name)[0])
    return fields


def events_of(folder, *words, expect=0):
    run = subprocess.run([support.PROGRAM, *map(str, words), "--progress=json"], cwd=folder, env=support.environment(),
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
    what = " ".join(map(str, words))
    support.equal(run.returncode, expect, f"{what}: exit status\n{run.stderr[-300:]}")
    return what, [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]


def check_fields(what, events, fields, met):
    for event in events:
        kind = event["ev"]
        if not support.check(kind in fields, f"{what}: the page does not know the event {kind}"):
            continue
        names = set(event)
        met.setdefault(kind, set()).update(names)
        support.check(names <= fields[kind], f"{what}: {kind} has {names - fields[kind]}")
        support.check(fields[kind] - names <= OPTIONAL, f"{what}: {kind} lacks {fields[kind] - names - OPTIONAL}: {event}")
        for stage in event.get("stages", []):
            support.equal(set(stage), STAGE, f"{what}: fields of a stage")


def check_order(what, events):
    """Time and share; phases; counts at the end."""
    time, share, part, phase = 0, 0, None, None
    for event in events:
        support.check(event["t"] >= time, f"{what}: time goes back at {event}")
        time = event["t"]
        if event.get("part", "") != part:
            part, share = event.get("part", ""), 0
        support.check(event.get("share", share) >= share, f"{what}: {share} before {event}")
        share = event.get("share", share)
        if event["ev"] != "phase":
            support.check(phase is None, f"{what}: {event['ev']} inside the phase {phase}")
        elif event["state"] == "begin":
            support.check(phase is None, f"{what}: {event['phase']} begins inside {phase}")
            phase = event["phase"]
        else:
            support.equal(event["phase"], phase, f"{what}: the phase that goes on")
            phase = None if event["state"] == "end" else phase
        support.check(event.get("total", event.get("done", 0)) >= event.get("done", 0), f"{what}: steps in {event}")
    support.check(phase is None, f"{what}: {phase} does not end")
    return share


def phases(events):
    return [event["phase"] for event in events if event.get("state") == "begin"]


def parts(events):
    return list(dict.fromkeys(event["part"] for event in events if "part" in event))


def check_counts(what, events):
    """As many tasks are reported as the last event counts."""
    tasks = [event for event in events if event["ev"] == "task_done"]
    last = [event for event in events if event["ev"] == "run_end"]
    support.equal(len(last), 1, f"{what}: ends")
    for stage in last[0]["stages"]:
        own = [task for task in tasks if task["task"].startswith(f"{stage['name']}/")]
        support.equal(len(own), stage["done"], f"{what}: tasks of {stage['name']}")
        support.equal(stage["done"], stage["total"], f"{what}: {stage['name']} is done")


def run_all(demo, fields, met):
    after = ["analysis", "tables", "pictures", "report"]
    calls = [(["study", "--trajectories", 2], ["reading", "planning", *after], []),
             (["study", "--trajectories", 3, "--workers", 2, "-o", "workers"], ["reading", "planning", *after], []),
             (["run"], ["reading", "planning", "writing"], []),
             (["check"], ["reading"], []),
             (["plan"], ["reading", "planning"], []),
             (["study", "--method", "two-phase", "--trajectories", 2, "--keep", "G1", "-o", "two"], None,
              ["phase 1 of 2", "phase 2 of 2"]),
             (["study", "goal.json", "--trajectories", 2, "-o", "goal"], None, ["best values"])]
    for words, wanted, named in calls:
        what, events = events_of(demo, *words)
        check_fields(what, events, fields, met)
        share = check_order(what, events)
        if words[0] in ("run", "study"):
            check_counts(what, events)
            support.equal(share, 1, f"{what}: the share at the end")
        if wanted:
            support.equal(phases(events), wanted, f"{what}: phases")
        support.equal(parts(events), named, f"{what}: parts")


def rounds(demo, fields, met):
    what, events = events_of(demo, "study", "--trajectories", 2, "--until", "rank(1)", "--max-runs", 70, "-o", "rounds",
                             expect=4)
    check_fields(what, events, fields, met)
    support.equal(check_order(what, events), 1, f"{what}: the share at the end")
    named = parts(events)
    support.check(len(named) > 1, f"{what}: parts {named}")
    support.equal(named, [f"round {i + 1}" for i in range(len(named))], f"{what}: parts")
    totals = [sum(stage["total"] for stage in event["stages"]) for event in events if "stages" in event]
    support.check(totals == sorted(totals) and totals[0] < totals[-1], f"{what}: totals {totals}")


def failing(folder, fields, met):
    """A command that fails, for the fields that only failed tasks have."""
    (folder / "data").mkdir()
    (folder / "data/a.csv").write_text("y\n3\n")
    (folder / "fail.sh").write_text("exit 3\n")
    (folder / "fail.json").write_text(json.dumps({
        "tessera_operation": 1, "name": "own.fail", "version": 1, "command": ["sh", "fail.sh"], "files": ["fail.sh"],
        "complete": True, "inputs": {"table": {"type": "table"}}, "outputs": {"table": {"type": "table"}}}))
    (folder / "workflow.json").write_text(json.dumps({
        "tessera": 1, "name": "fails", "operations": ["fail.json"], "inputs": {"table": {"type": "table"}},
        "parameters": {}, "stages": [{
            "name": "s", "per": "file", "in": {"table": "table"}, "out": {"table": "fail.table"},
            "tasks": [{"name": "fail", "op": "own.fail", "in": {"table": "table"}}]}]}))
    what, events = events_of(folder, "run", "workflow.json", "--data", "data", expect=1)
    check_fields(what, events, fields, met)
    check_order(what, events)
    failed = [event for event in events if event.get("outcome") == "failed"]
    support.equal([(event["code"], event["name"]) for event in failed], [(504, "s.fail")], f"{what}: what failed")


def without_tasks(folder, fields, met):
    """A replay of recorded runs, which counts trials and has no tasks."""
    (folder / "table.csv").write_text("x,y\n" + "".join(f"{i},{(i - 20) ** 2}\n" for i in range(60)))
    what, events = events_of(folder, "tune", "--table", "table.csv", "--objective", "y", "--budget", 20, "--seeds", 200)
    check_fields(what, events, fields, met)
    check_order(what, events)


def main():
    support.need_program()
    folder, met = support.scratch(), {}
    fields = documented()
    support.check(len(fields) == 5, f"events of the page: {sorted(fields)}")
    support.call("init", "--demo", "nuclei", folder / "demo")
    support.init_nuclei(folder / "nuclei")
    shutil.copy(folder / "demo/study.json", folder / "nuclei/goal.json")
    run_all(folder / "nuclei", fields, met)
    rounds(folder / "nuclei", fields, met)
    failing(folder, fields, met)
    without_tasks(folder, fields, met)
    for event, names in fields.items():
        unseen = names - met.get(event, set())
        support.check(unseen <= {"part", "share", "left_s", "run"}, f"{event}: never seen: {unseen}")
    support.finish()


main()
