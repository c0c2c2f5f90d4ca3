#!/usr/bin/env python3
"""Runs 458 recorded parameter sets on real tissue: reuse changes no byte, counts are as promised, plan equals run.

SPDX-License-Identifier: Apache-2.0

Without reuse every fourth set is run; with the word "long" all of them are.
test-label: long
test-timeout: 600
"""
import json
import shutil
import sys

import _support as support
from _support import SHARED, call, call_json, check, equal, say

TASKS = ("red_cells", "background", "candidates", "candidate_size", "refine", "split", "final_size")
MOST_EXECUTED = (173, 2, 28, 120, 190, 211, 265)
SETS = 458
DESIGN = SHARED / "data/moat458.csv"
IMAGE = SHARED / "data/histology/tiatoolbox/target_image.png"
LEAST_RATIO = 2.2
STEP = 1 if "long" in sys.argv[1:] else 4


def make_project(folder):
    folder.mkdir()
    shutil.copy(support.ROOT / "workflows/nuclei-tiles/workflow.json", folder)
    study = {
        "tessera": 1, "name": "moat", "workflow": "workflow.json", "data": {"files": [str(IMAGE)]},
        "outputs": [{"output": "compare.table:diff", "over_tiles": "sum"}, "compare.table:dice"],
             "reference": "default"}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return folder


def segment_counts(reply):
    counts = support.executed(reply)
    return tuple(counts.get(f"segment.{task}") for task in TASKS)


def study(project, name, *words, design=DESIGN):
    """The reply and results.csv of a study with a store of its own, unless another one is named."""
    store = () if "--store" in words else ("--store", f"store-{name}")
    reply = call_json("study", "-C", project, "--design", design, "-o", f"out-{name}", *store, *words)
    reuse = reply.get("reuse", {})
    say(f"{name}: segment {segment_counts(reply)}, executed {reuse.get('executed')}, cutoff {reuse.get('cutoff')}, "
        f"store {reuse.get('store')}, recomputed {reuse.get('recomputed')}, "
        f"wall {reply.get('wall_s', 0):.2f} s, CPU {reply.get('cpu_s', 0):.2f} s")
    return reply, (project / f"out-{name}/results.csv").read_bytes()


def check_sums(reply, name):
    """Every request is accounted for, task by task and in all."""
    levels = ("executed", "cutoff", "store", "failed", "skipped")
    for row in reply["by_task"]:
        equal(row["stage_reused"] + row["task_reused"] + sum(row[level] for level in levels), row["requested"],
              f"{name}: sum of {row['stage']}.{row['task']}")
        equal(row["requested"], SETS, f"{name}: requests of {row['stage']}.{row['task']}")
    reuse = reply["reuse"]
    equal(reuse["stage"] + reuse["task"] + sum(reuse[level] for level in levels), reuse["requested"],
          f"{name}: sum of all")


def check_plan_equals_run(plan, run):
    rows = {(row["stage"], row["task"]): row for row in run["by_task"]}
    for row in plan["by_task"]:
        done = rows[row["stage"], row["task"]]
        equal(done["executed"] + done["cutoff"], row["executed"], f"run against plan of {row['stage']}.{row['task']}")
        for field in ("requested", "stage_reused", "task_reused"):
            equal(done[field], row[field], f"{field} of {row['stage']}.{row['task']}, run against plan")
    equal(run["reference"]["executed"] + run["reference"]["cutoff"], plan["reference"]["executed"],
          "reference, run against plan")


def check_plans(project):
    plans = {}
    for switch, wanted in (("on", 1323), ("off", 1649)):
        plan = call_json("plan", "-C", project, "--design", DESIGN, "--canonical", switch)
        plans[switch] = plan
        say(f"plan, canonical {switch}: segment {segment_counts(plan)}, {sum(segment_counts(plan))} of {7 * SETS}")
        equal(sum(segment_counts(plan)), wanted, f"distinct segmentation tasks, canonical {switch}")
        equal(plan["requested"], 9 * SETS, f"requested tasks, canonical {switch}")
    check(not (project / ".tessera").exists(), "planning made a store")
    return plans["on"]


def check_results(raw):
    """The rows are those of the design, in its order, and what they say is possible."""
    lines = raw.decode().splitlines()
    design = DESIGN.read_text(encoding="utf-8").splitlines()
    equal(len(lines), SETS + 1, "lines of results.csv")
    equal(lines[0], "set," + design[0] + ",compare.table:diff_vs_default,compare.table:dice_vs_default",
          "header of results.csv")
    values = [tuple(map(float, line.split(",")[-2:])) for line in lines[1:]]
    wrong = [i for i, (line, row) in enumerate(zip(lines[1:], design[1:]))
             if [float(x) for x in line.split(",")[1:-2]] != [float(x) for x in row.split(",")]]
    equal(wrong, [], "rows whose parameters are not those of the design")
    check(all(0 <= diff <= 1000 * 1000 and 0 <= dice <= 1 for diff, dice in values), "an output is out of its range")
    distinct = len({diff for diff, _ in values})
    say(f"results: {distinct} different values of diff, from {min(values)[0]:g} to {max(values)[0]:g}")
    check(distinct > 100, "hardly any set gives another result: the design was not applied")


def check_speed(plain, reuse):
    """CPU time, because wall time is at the mercy of what else the machine does; bench/reuse_speed.py shows wall time.

    The baseline normalises once and reuses nothing else: what its tasks took, without any cost of the engine, for as
    many sets as there are. The run with reuse is charged with everything its process did, store included."""
    baseline = sum(row["cpu_s"] / row["executed"] * (1 if row["stage"] == "normalise" else SETS)
                   for row in plain["by_task"])
    ratio = baseline / reuse["cpu_s"]
    say(f"CPU: {baseline:.2f} s without reuse (normalised once), {reuse['cpu_s']:.2f} s with: {ratio:.2f} times less")
    check(ratio >= LEAST_RATIO, f"reuse saves a factor of {ratio:.2f} only, not {LEAST_RATIO}")


def check_plain(project, wanted):
    """Without reuse every task of every set is executed, and the numbers are the same."""
    lines = DESIGN.read_text(encoding="utf-8").splitlines(True)
    (project / "some.csv").write_text("".join(lines[:1] + lines[1::STEP]), encoding="utf-8")
    reply, raw = study(project, "plain", "-j", 1, "--no-reuse", "--store", "memory", design="some.csv")
    equal(reply["reuse"]["executed"], 9 * len(lines[1::STEP]), "executed without reuse")
    equal(reply["reuse"]["recomputed"], 0, "recomputed without reuse")
    found, rows = raw.splitlines(), wanted.splitlines()
    equal(found[0], rows[0], "header of the results without reuse")
    # All but the number of the set.
    wrong = [i for i, (a, b) in enumerate(zip(found[1:], rows[1::STEP], strict=True))
             if a.partition(b",")[2] != b.partition(b",")[2]]
    equal(wrong, [], "rows of results.csv that differ without reuse")
    return reply


def main():
    support.need_program()
    support.need_shared("data/moat458.csv", "data/histology/tiatoolbox/target_image.png")
    project = make_project(support.scratch() / "moat")
    plan = check_plans(project)
    replies, results = {}, {}
    for threads in (1, 8):
        reply, results[threads] = study(project, f"j{threads}", "-j", threads)
        replies[threads] = reply
        check(all(a <= b for a, b in zip(segment_counts(reply), MOST_EXECUTED)),
              f"-j {threads}: {segment_counts(reply)} tasks executed, more than {MOST_EXECUTED}")
        equal(support.executed(reply), support.executed(replies[1]), f"executed with {threads} threads, against 1")
        equal(reply["reuse"]["store"], 0, f"-j {threads}: found in a store that is new")
        check_sums(reply, f"-j {threads}")
        check_plan_equals_run(plan, reply)
    check(results[8] == results[1], "results.csv of 8 threads is not that of 1 thread")
    plain = check_plain(project, results[1])
    again, results_again = study(project, "again", "-j", 2, "--store", "store-j8")
    equal(again["reuse"]["executed"], 0, "executed by the second study")
    equal(again["reuse"]["reads"], 0, "images read by the second study")
    check(results_again == results[1], "results.csv of the second study differs")
    check_results(results[1])
    check_speed(plain, replies[1])
    call("study", "-C", project, "--design", "no-such.csv", expect=3)
    support.finish()


main()
