#!/usr/bin/env python3
"""Groups the recorded study of 458 runs with every algorithm by 'tessera plan': the contract of its JSON, the counts.

SPDX-License-Identifier: Apache-2.0
test-timeout: 300
"""
import csv
import json
import shutil

import _support as support
from _support import SHARED, call, call_json, check, equal, say

SETS = 458
DESIGN = SHARED / "data/moat458.csv"
IMAGE = SHARED / "data/histology/tiatoolbox/target_image.png"
# Which parameters each task of the segmentation reads, in the order of the chain (spec/nuclei.md).
READS = (("B", "G", "R", "T1", "T2"), ("RC",), ("FH", "G1"), ("minSize", "maxSize"), ("G2",), ("minSizePl", "WC"),
         ("minSizeSeg", "maxSizeSeg", "FH"))
COSTS = {"normalise.colours": 0.2, "segment.red_cells": 0.1203, "segment.background": 0.209,
         "segment.candidates": 0.0692, "segment.candidate_size": 0.0349, "segment.refine": 0.0802,
         "segment.split": 0.3959, "segment.final_size": 0.0905, "compare.scores": 0.01}


def make_project(folder):
    folder.mkdir()
    shutil.copy(support.ROOT / "workflows/nuclei/workflow.json", folder)
    study = {"tessera": 1, "name": "moat", "workflow": "workflow.json", "data": {"files": [str(IMAGE)]},
             "outputs": ["compare.table:dice"], "reference": "default"}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    (folder / "costs.json").write_text(json.dumps(COSTS), encoding="utf-8")
    (folder / "two.json").write_text('{"segment.split": 1}', encoding="utf-8")
    return folder


def plan(project, *words):
    return call_json("plan", "-C", project, "--design", DESIGN, "--canonical", "off", *words)


def chain_tasks(rows, members):
    """Distinct tasks of the segmentation along the chain, straight from the table."""
    prefixes = set()
    for member in members:
        values = ()
        for task in READS:
            values += tuple(rows[member][name] for name in task)
            prefixes.add((len(values), values))
    return len(prefixes)


def check_buckets(name, reply, rows, most_members, most_buckets):
    segment = [bucket for bucket in reply["buckets"] if bucket["stage"] == "segment"]
    members = sorted(member for bucket in segment for member in bucket["members"])
    equal(members, list(range(SETS)), f"{name}: members of all buckets of the segmentation")
    for bucket in segment:
        equal(bucket["tasks"], chain_tasks(rows, bucket["members"]), f"{name}: tasks of a bucket")
        equal(bucket["cost"], bucket["tasks"], f"{name}: unit cost of a bucket")
        check(bucket["peak_bytes"] > 0, f"{name}: no peak")
        check(len(bucket["members"]) <= most_members, f"{name}: a bucket of {len(bucket['members'])}")
    check(len(segment) <= most_buckets, f"{name}: {len(segment)} buckets")
    executed = sum(row["executed"] for row in reply["by_task"] if row["stage"] == "segment")
    equal(executed, sum(bucket["tasks"] for bucket in segment), f"{name}: executed against buckets")
    for row in reply["by_task"]:
        equal(row["stage_reused"] + row["task_reused"] + row["executed"], row["requested"], f"{name}: {row['task']}")
    grouping = reply["grouping"]
    check(grouping["makespan"] >= grouping["lower_bound"] > 0, f"{name}: makespan below its bound")
    say(f"{name}: {executed} tasks in {len(segment)} buckets, planned in {1000 * reply['planning_s']:.1f} ms")
    return executed


def check_algorithms(project, rows):
    counts = {}
    for merge in ("naive", "rtma"):
        reply = plan(project, "--merge", merge, "--max-bucket-size", 7)
        counts[merge] = check_buckets(merge, reply, rows, 7, SETS)
    reply = plan(project, "--merge", "trtma", "--max-buckets", 24, "-j", 8)
    counts["trtma"] = check_buckets("trtma", reply, rows, SETS, 24)
    stage = next(row for row in reply["grouping"]["stages"] if row["stage"] == "segment")
    check(stage["imbalance"] <= 0.02, f"trtma: imbalance {stage['imbalance']}")
    equal(reply["grouping"]["workers"], 8, "workers")
    check(counts["rtma"] < counts["naive"], "rtma is not better than naive")
    reply = plan(project, "--merge", "lineage", "--max-buckets", 1, "--keys", "chain")
    equal(check_buckets("lineage, chain", reply, rows, SETS, 1), 2149, "distinct tasks of the chain")
    reply = plan(project, "--merge", "lineage", "--max-buckets", 1)
    equal(sum(row["executed"] for row in reply["by_task"] if row["stage"] == "segment"), 1649, "of the graph")
    equal(plan(project)["buckets"], [], "buckets without a wish for them")


def check_costs(project):
    reply = plan(project, "--merge", "trtma", "--max-buckets", 24, "--cost", "costs.json")
    segment = [bucket for bucket in reply["buckets"] if bucket["stage"] == "segment"]
    total = sum(row["executed"] * COSTS[f"segment.{row['task']}"] for row in reply["by_task"]
                if row["stage"] == "segment")
    check(abs(sum(bucket["cost"] for bucket in segment) - total) < 1e-6 * total, "costs are not the sum of the tasks'")
    equal(reply["grouping"]["cost"], "seconds", "unit of the costs")
    run = call("plan", "-C", project, "--design", DESIGN, "--merge", "trtma", "--cost", "two.json", expect=3)
    check("does not name 'normalise.colours'" in run.stderr, "a task without cost is not told")


def check_refusals(project):
    run = call("study", "-C", project, "--design", DESIGN, "--merge", "rtma", "--store", "memory", expect=2)
    check("workers that do not share memory" in run.stderr, "a study by buckets is not refused")
    text = call("plan", "-C", project, "--design", DESIGN, "--merge", "rtma", "-j", 4).stdout
    for word in ("imbalance", "makespan", "lower bound", "4 workers that share no memory"):
        check(word in text, f"the text of plan does not say '{word}'")


def main():
    support.need_program()
    support.need_shared("data/moat458.csv", "data/histology/tiatoolbox/target_image.png")
    with open(DESIGN, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    project = make_project(support.scratch() / "moat")
    check_algorithms(project, rows)
    check_costs(project)
    check_refusals(project)
    first = project / "first.csv"
    first.write_text("".join(DESIGN.read_text(encoding="utf-8").splitlines(True)[:101]), encoding="utf-8")
    reply = call_json("plan", "-C", project, "--design", first, "--compare", "-j", 4)
    equal(sorted({row["merge"] for row in reply["compare"]}), ["lineage", "naive", "rtma", "sca", "trtma"], "compared")
    check(all(row["makespan"] >= row["lower_bound"] for row in reply["compare"]), "a makespan below its bound")
    support.finish()


main()
