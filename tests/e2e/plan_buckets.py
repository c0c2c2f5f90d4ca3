#!/usr/bin/env python3
"""Groups the recorded study of 458 runs with every algorithm by 'tessera plan': the contract of its JSON, the counts.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo)

Under a sanitizer, which multiplies the time by twenty, each algorithm is seen with one or two limits only.
test-timeout: 300
"""
import csv
import json
import os
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as xml
import zlib

import _support as support
from _support import SHARED, call, call_json, check, equal, say

SETS = 458
DESIGN = SHARED / "data/moat458.csv"
IMAGE = SHARED / "data/histology/tiatoolbox/target_image.png"
# Which parameters each task of the segmentation reads, in the order of the chain (spec/nuclei.md).
READS = (("B", "G", "R", "T1", "T2"), ("RC",), ("FH", "G1"), ("minSize", "maxSize"), ("G2",), ("minSizePl", "WC"),
         ("minSizeSeg", "maxSizeSeg", "FH"))
# Reuse in % by the size of buckets (spec/reuse.md section 4).
REUSE = {"naive": {2: 16.2, 3: 21.7, 4: 25.2, 5: 26.2, 6: 27.2, 7: 27.9, 8: 30.2, 10: 29.2},
         "rtma": {2: 23.5, 3: 28.4, 4: 30.3, 5: 31.3, 6: 32.3, 7: 32.5, 8: 33.0, 10: 33.0}}
SEEN = (3, 10) if support.SANITIZED else tuple(REUSE["rtma"])
COSTS = {"normalise.colours": 0.2, "segment.red_cells": 0.1203, "segment.background": 0.209,
         "segment.candidates": 0.0692, "segment.candidate_size": 0.0349, "segment.refine": 0.0802,
         "segment.split": 0.3959, "segment.final_size": 0.0905, "compare.scores": 0.01}


def make_project(folder):
    folder.mkdir()
    shutil.copy(support.ROOT / "workflows/nuclei-tiles/workflow.json", folder)
    study = {"tessera": 1, "name": "moat", "workflow": "workflow.json", "data": {"files": [str(IMAGE)]},
             "outputs": ["compare.table:dice"], "reference": "default"}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    (folder / "costs.json").write_text(json.dumps(COSTS), encoding="utf-8")
    (folder / "two.json").write_text('{"segment.split": 1}', encoding="utf-8")
    return folder


def segment_executed(reply):
    return sum(row["executed"] for row in reply["by_task"] if row["stage"] == "segment")


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
        for size, least in ((size, REUSE[merge][size]) for size in SEEN):
            reply = plan(project, "--merge", merge, "--max-bucket-size", size)
            counts[merge] = check_buckets(f"{merge}, size {size}", reply, rows, size, SETS)
            reuse = 100 * (1 - counts[merge] / (7 * SETS))
            check(reuse >= least - (0.06 if merge == "naive" else 0.3), f"{merge}, size {size}: reuse {reuse}")
    reply = plan(project, "--merge", "trtma", "--max-buckets", 24, "-j", 8)
    counts["trtma"] = check_buckets("trtma", reply, rows, SETS, 24)
    stage = next(row for row in reply["grouping"]["stages"] if row["stage"] == "segment")
    check(stage["imbalance"] <= 0.02, f"trtma: imbalance {stage['imbalance']}")
    equal(reply["grouping"]["workers"], 8, "workers")
    check(counts["rtma"] < counts["naive"], "rtma is not better than naive")
    reply = plan(project, "--merge", "lineage", "--max-buckets", 1, "--keys", "chain")
    equal(check_buckets("lineage, chain", reply, rows, SETS, 1), 2149, "distinct tasks of the chain")
    for keys, canonical, tasks in (("dag", "off", 1649), ("chain", "on", 1824), ("dag", "on", 1323)):
        reply = call_json("plan", "-C", project, "--design", DESIGN, "--canonical", canonical, "--merge", "lineage",
                          "--max-buckets", 1, "--keys", keys)
        equal(segment_executed(reply), tasks, f"distinct tasks, {keys} keys, canonical {canonical}")
    equal(plan(project)["buckets"], [], "buckets without a wish for them")
    # One tile for two workers is split into six, as many as trtma makes; with more tiles there is one bucket each.
    reply = plan(project, "--workers", 2)
    equal(len([bucket for bucket in reply["buckets"] if bucket["stage"] == "segment"]), 6, "buckets of one tile")
    reply = plan(project, "--workers", 2, "--tile", 250)
    equal(len([bucket for bucket in reply["buckets"] if bucket["stage"] == "segment"]), 1, "buckets of each tile of 16")


def check_sharing_of_few(project, first):
    """The first 120 sets: smart cuts share at least as much as consecutive groups."""
    first.write_text("".join(DESIGN.read_text(encoding="utf-8").splitlines(True)[:121]), encoding="utf-8")
    counts = {merge: segment_executed(call_json("plan", "-C", project, "--design", first, "--canonical", "off",
                                                "--merge", merge, "--max-bucket-size", 7))
              for merge in ("naive", "sca")}
    say(f"first 120 sets, size 7: {counts}")
    check(counts["sca"] <= counts["naive"] < 7 * 120, "smart cuts share less than consecutive groups")


def check_threads(project):
    """Neither threads nor repetition change anything."""
    wanted = {}
    for merge, limit in (("naive", "--max-bucket-size"), ("sca", "--max-bucket-size"), ("rtma", "--max-bucket-size"),
                         ("trtma", "--max-buckets"), ("lineage", "--max-buckets")):
        if support.SANITIZED and merge in ("naive", "sca"):
            continue
        for jobs in (1, 7):
            reply = plan(project, "--merge", merge, limit, 9, "--workers", 4, "-j", jobs)
            del reply["planning_s"]
            equal(wanted.setdefault(merge, reply) == reply, True, f"{merge} with {jobs} threads is the same")


def png(path, width, height):
    """A colour image that is mostly the same."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes([200, 150 + y % 50, 190]) * width for y in range(height))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def check_largest(project):
    """240 runs over 4,276 tiles, as in the largest study of the paper: at most 2 s and 200 MB (invariant 10)."""
    png(project / "wide.png", 1069 * 16, 4 * 16)
    call("sample", "-C", project, "--method", "morris", "--space", "workflow.json", "-N", 15, "-o", "large.csv")
    for merge in ("lineage", "rtma", "trtma"):
        words = ["plan", "-C", project, "--design", "large.csv", "--data", project / "wide.png", "--tile", 16,
                 "--merge", merge, "--workers", 8, "--json"]
        with open(project / "large.json", "w", encoding="utf-8") as file:
            run = subprocess.Popen([support.PROGRAM, *map(str, words)], stdout=file, env=support.environment())
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        equal(run.returncode, 0, f"exit of the plan of the largest study, {merge}")
        reply = json.loads((project / "large.json").read_text(encoding="utf-8"))
        segment = [row for row in reply["by_task"] if row["stage"] == "segment"]
        equal((reply["runs"], reply["tiles"], sum(row["requested"] for row in segment)), (240, 4276, 240 * 4276 * 7),
              "size of the largest study")
        cpu_s, peak_mb = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000
        say(f"240 runs x 4,276 tiles, {merge}: {cpu_s:.2f} s CPU, {peak_mb:.0f} MB")
        check(cpu_s <= 2 and peak_mb <= 200, f"{merge}: {cpu_s} s, {peak_mb} MB")


def check_texts(svg):
    """No text reaches beyond the picture or into the next one on its line (0.6 em for a character)."""
    width = float(svg.get("width"))
    lines = {}
    for text in svg.iter("{http://www.w3.org/2000/svg}text"):
        size = 20 if text.get("class") == "title" else 13
        length, x = 0.6 * size * len(text.text or ""), float(text.get("x"))
        start = x - {"end": length, "middle": length / 2}.get(text.get("text-anchor"), 0)
        check(start >= 0 and start + length <= width, f"text beyond the picture: {text.text}")
        lines.setdefault(text.get("y"), []).append((start, start + length, text.text))
    for spans in lines.values():
        spans.sort()
        for left, right in zip(spans, spans[1:]):
            check(left[1] <= right[0] + 1, f"texts overlap: {left[2]!r}, {right[2]!r}")


def check_picture(project):
    words = ("--compare", "--workers", 4, "--max-bucket-size", 7)
    reply = plan(project, *words, "--picture", "a.svg")
    picture = (project / "a.svg").read_bytes()
    if not support.SANITIZED:
        plan(project, *words, "--picture", "b.svg", "-j", 2)
        equal(picture == (project / "b.svg").read_bytes(), True, "two drawings are the same")
    check(len(picture) < 400000, f"a picture of {len(picture)} bytes")
    svg = xml.fromstring(picture)
    check_texts(svg)
    said = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    check("moat" in said[0] and "segment" in said[0] and said[1].startswith("458 runs"), f"title: {said[:2]}")
    counts = [re.sub("\u00a0", "", text) for text in said if " tasks computed (" in text]
    equal(len(counts), 5, "panels")
    # Rows of the comparison count all stages: the segmentation, one normalisation and 458 comparisons.
    drawn = [int(re.search(r"(\d+) of 3206 tasks", text).group(1)) for text in counts]
    keys = {"lineage": "dag"}
    compared = [row["executed"] - 459 for row in reply["compare"]
                if row.get("keys") == keys.get(row["merge"], "chain")]
    equal(drawn, compared, "tasks in the picture")
    call("plan", "-C", project, "--design", DESIGN, "--merge", "stage", "--picture", "c.svg", expect=2)
    check(not (project / "c.svg").exists(), "a picture of nothing")
    call("plan", "-C", project, "--design", DESIGN, "--merge", "rtma", "--picture", "c.svg")
    check((project / "c.svg").exists(), "no picture of one way to merge")


def check_comparison(project):
    reply = plan(project, "--compare", "--workers", 4)
    found = [(row["merge"], row.get("keys")) for row in reply["compare"]]
    equal(found, [("none", None), ("stage", None)]
          + [(merge, keys) for merge in ("naive", "sca", "rtma", "trtma", "lineage") for keys in ("chain", "dag")],
          "compared")
    by_name = {(row["merge"], row.get("keys")): row for row in reply["compare"]}
    for merge in ("none", "stage"):
        alone = plan(project, "--merge", merge, "--workers", 4)
        equal((by_name[merge, None]["executed"], by_name[merge, None]["makespan"]),
              (alone["executed"], alone["grouping"]["makespan"]), f"tasks and time of {merge}")
    for merge in ("rtma",) if support.SANITIZED else ("naive", "sca", "rtma", "trtma", "lineage"):
        for keys in ("chain", "dag"):
            alone = plan(project, "--merge", merge, "--keys", keys, "--workers", 4)
            row = by_name[merge, keys]
            equal((row["executed"], row["makespan"], row["lower_bound"], row["imbalance"]),
                  (alone["executed"], *(alone["grouping"][name] for name in ("makespan", "lower_bound", "imbalance"))),
                  f"{merge}, {keys}: compared and alone")
    for row in reply["compare"]:
        check(row["makespan"] >= row["lower_bound"] > 0 and row["planning_s"] > 0, f"predictions: {row}")
    if support.SANITIZED:
        return
    many = project / "many.csv"
    call("sample", "-C", project, "--method", "morris", "--space", "workflow.json", "-N", 130, "-o", many)
    reply = call_json("plan", "-C", project, "--design", many, "--compare", "--keys", "chain")
    refused = [row for row in reply["compare"] if "refused" in row]
    check([row["merge"] for row in refused] == ["sca"] and "at most 2000" in refused[0]["refused"],
          f"what is refused for 2,080 runs: {refused}")
    text = call("plan", "-C", project, "--design", many, "--compare", "--keys", "chain").stdout
    check("Not compared: sca, chain keys: " in text, "the refusal is not told")


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
    check_sharing_of_few(project, project / "first.csv")
    check_threads(project)
    check_comparison(project)
    check_picture(project)
    if not support.SANITIZED:
        check_largest(project)
    support.finish()


main()
