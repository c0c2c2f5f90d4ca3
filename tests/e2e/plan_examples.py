#!/usr/bin/env python3
"""Plans made-up chains of tasks and drawn designs by commands: the paper's figures, closed forms and table of reuse.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo)
test-timeout: 300
"""
import csv
import json
import shutil

import _support as support
from _support import SHARED, call, call_json, check, equal, say

IMAGE = SHARED / "data/histology/tiatoolbox/target_image.png"
LETTERS = [f"x{i}" for i in range(1, 17)]
# How many parameters each of seven tasks reads, for designs of 15 and of 8 parameters.
MORRIS_READS = (5, 1, 2, 2, 1, 2, 2)
VBD_READS = (1, 1, 1, 2, 1, 1, 1)
# The table of the paper: reuse in % for n = 200, 600 and 1000 base samples.
SIZES = (200, 600, 1000)
HALVES = (35.10, 34.44, 33.48)


def operation(name, parameters, kind):
    domain = [0, 1] if kind == "real" else [1, 1000]
    return {"tessera_operation": 1, "name": name, "version": 1, "help": "does nothing, it is only planned",
            "command": ["true"], "complete": True, "numeric": "exact",
            "inputs": {"table": {"type": "table", "help": "in"}},
            "outputs": {"table": {"type": "table", "help": "out"}},
            "parameters": {p: {"type": kind, "domain": domain, "help": "a number"} for p in parameters}}


def make_chain(folder, reads, kind, stages=1):
    """A project with a chain of tasks, each a stage if asked for; task t reads the next reads[t] parameters."""
    folder.mkdir(parents=True)
    names = iter(LETTERS)
    params = [[next(names) for _ in range(count)] for count in reads]
    for t, own in enumerate(params):
        (folder / f"op{t + 1}.json").write_text(json.dumps(operation(f"made.op{t + 1}", own, kind)), encoding="utf-8")
    tasks = [{"name": f"t{t + 1}", "op": f"made.op{t + 1}", "params": own,
              "in": {"table": "table" if t == 0 or stages > 1 else f"t{t}.table"}} for t, own in enumerate(params)]
    if stages == 1:
        listed = [{"name": "work", "per": "file", "in": {"table": "start"},
                   "out": {"table": f"t{len(reads)}.table"}, "tasks": tasks}]
    else:
        listed = [{"name": f"s{t + 1}", "per": "file", "in": {"table": f"s{t}.table" if t else "start"},
                   "out": {"table": f"t{t + 1}.table"}, "tasks": [task]} for t, task in enumerate(tasks)]
    size = {"range": [0, 1], "domain": [0, 1], "default": 0.5} if kind == "real" else \
        {"range": [1, 1000], "domain": [1, 1000], "default": 1}
    workflow = {"tessera": 1, "name": "chain", "help": "a chain of tasks",
                "operations": [f"op{t + 1}.json" for t in range(len(reads))],
                "inputs": {"start": {"type": "table", "help": "anything"}},
                "parameters": {p: {"type": kind, **size, "help": "a number"} for own in params for p in own},
                "stages": listed}
    last = f"{listed[-1]['name']}.table:y"
    study = {"tessera": 1, "name": folder.name, "workflow": "workflow.json", "data": {"files": ["start.csv"]},
             "outputs": [last]}
    (folder / "workflow.json").write_text(json.dumps(workflow), encoding="utf-8")
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    (folder / "start.csv").write_text("y\n1\n", encoding="utf-8")
    return folder


def plan(project, *words, design="design.csv"):
    return call_json("plan", "-C", project, "--design", design, *words)


# ---- the figures ----

def make_figure(work, figures, name, stages=1):
    """A project whose runs are the stages of a figure, in the order of the file; the names of the runs."""
    figure = figures[name]
    rows = figure.get("stages") or {key: row for bucket in figure["buckets"] for key, row in bucket.items()}
    project = make_chain(work / f"{name}-{stages}", [1] * figure["tasks"], "integer", stages)
    with open(project / "design.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(LETTERS[:figure["tasks"]])
        writer.writerows(rows.values())
    if "task_costs" in figure:
        costs = {f"work.t{t + 1}": cost for t, cost in enumerate(figure["task_costs"])}
        (project / "costs.json").write_text(json.dumps(costs), encoding="utf-8")
    return project, list(rows)


def named_buckets(reply, names):
    return sorted(sorted(names[member] for member in bucket["members"]) for bucket in reply["buckets"])


def check_figures(work):
    figures = json.loads(support.vectors("reuse/figures.json").read_text(encoding="utf-8"))
    project, _ = make_figure(work, figures, "figure6", stages=4)
    reply = plan(project, "--merge", "stage")
    wanted = figures["figure6"]["expected"]
    equal((reply["requested"], reply["executed"], reply["reuse"]["stage"]),
          (wanted["requested"], wanted["executed"], wanted["requested"] - wanted["executed"]), "figure 6: tasks")
    project, names = make_figure(work, figures, "figure9")
    reply = plan(project, "--merge", "sca", "--max-bucket-size", 2)
    equal(named_buckets(reply, names), figures["figure9"]["expected"]["buckets"], "figure 9: buckets")
    project, names = make_figure(work, figures, "figure11")
    found = named_buckets(plan(project, "--merge", "rtma", "--max-bucket-size", 3), names)
    check(["a", "b", "c"] in found, f"figure 11: {found}")
    check(any(len(set(bucket) & set("defg")) == 3 for bucket in found), f"figure 11: three of d..g: {found}")
    check(any(len(bucket) == 3 and {"h", "i"} < set(bucket) and set(bucket) & set("defg") for bucket in found),
          f"figure 11: the fourth with h and i: {found}")
    project, names = make_figure(work, figures, "figure12")
    reply = plan(project, "--merge", "trtma", "--max-buckets", 3)
    equal(named_buckets(reply, names), figures["figure12"]["expected"]["buckets"], "figure 12: buckets")
    project, _ = make_figure(work, figures, "figure15")
    reply = plan(project, "--merge", "trtma", "--max-buckets", 2)
    equal([bucket["cost"] for bucket in reply["buckets"]], figures["figure15"]["expected"]["costs_after"],
          "figure 15: costs")
    project, _ = make_figure(work, figures, "figure24")
    reply = plan(project, "--merge", "naive", "--max-bucket-size", 3, "--cost", "costs.json")
    wanted = figures["figure24"]["expected"]
    equal([bucket["tasks"] for bucket in reply["buckets"]], wanted["tasks"], "figure 24: tasks")
    check(all(abs(bucket["cost"] - cost) < 5e-5 for bucket, cost in zip(reply["buckets"], wanted["costs"])),
          f"figure 24: costs {[bucket['cost'] for bucket in reply['buckets']]}")
    check(reply["grouping"]["imbalance"] > 0.2, "figure 24: the costs are not told apart")


# ---- closed forms ----

def chain_reuse(project, *words):
    """Requested tasks of distinct stages, and those of the chain that are left."""
    reply = plan(project, "--merge", "lineage", "--max-buckets", 1, "--keys", "chain", *words)
    return reply["requested"] - reply["reuse"]["stage"], reply["executed"]


def check_closed_forms(work):
    project = make_chain(work / "morris", MORRIS_READS, "real")
    call("sample", "-C", project, "--method", "morris", "--space", "workflow.json", "-N", 20, "--levels", 1000,
         "--seed", 3, "-o", "design.csv")
    equal(chain_reuse(project), (20 * 112, 20 * 75), "tasks of 20 Morris trajectories (33.04 %)")
    project = make_chain(work / "vbd", VBD_READS, "real")
    call("sample", "-C", project, "--method", "saltelli", "--base", "mc", "--space", "workflow.json", "-N", 50,
         "--seed", 3, "-o", "design.csv")
    equal(chain_reuse(project), (50 * 70, 50 * 45), "tasks of 50 base samples (35.71 %)")


# ---- the table ----

def nuclei_project(folder):
    folder.mkdir()
    shutil.copy(support.ROOT / "workflows/nuclei-tiles/workflow.json", folder)
    study = {"tessera": 1, "name": "table", "workflow": "workflow.json", "data": {"files": [str(IMAGE)]},
             "outputs": ["compare.table:dice"], "reference": "default"}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return folder


def segment_reuse(project, design="design.csv"):
    """Reuse of tasks in %, after equal stages were merged."""
    reply = plan(project, "--merge", "lineage", "--max-buckets", 1, "--keys", "chain", "--canonical", "off",
                 design=design)
    rows = [row for row in reply["by_task"] if row["stage"] == "segment"]
    return 100 * (1 - sum(row["executed"] for row in rows)
                  / sum(row["requested"] - row["stage_reused"] for row in rows))


def drawn_reuse(project, base, count, seed):
    call("sample", "-C", project, "--method", "saltelli", "--base", base, "-N", count, "--seed", seed, "--space",
         support.vectors("reuse/space_vbd8.json"), "-o", "design.csv")
    return segment_reuse(project)


def halves_reuse(project, count):
    """The published design: one sequence of 2 n points in 8 dimensions, its halves as A and B. It is not valid."""
    call("sample", "-C", project, "--method", "halton", "--scramble", "none", "-N", 2 * count, "--space",
         support.vectors("reuse/space_vbd8.json"), "-o", "sequence.csv")
    rows = support.read_csv(project / "sequence.csv")
    names = list(rows[0])
    with open(project / "halves.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for a, b in zip(rows[:count], rows[count:]):
            writer.writerows([a, *({**a, name: b[name]} for name in names), b])
    return segment_reuse(project, "halves.csv")


def check_table(work):
    project = nuclei_project(work / "table")
    for count, published in zip(SIZES, HALVES):
        found = {base: [drawn_reuse(project, base, count, seed) for seed in (1, 2, 3)] for base in ("mc", "lhs")}
        found["sobol-sequence"] = [drawn_reuse(project, "sobol-sequence", count, 1)]
        found["halton"] = [drawn_reuse(project, "halton", count, 1)]
        say(f"n = {count}: " + ", ".join(f"{base} {sum(list_) / len(list_):.2f} %" for base, list_ in found.items()))
        for base in ("mc", "lhs"):
            check(abs(sum(found[base]) / 3 - 36.4) <= 0.4, f"n = {count}, {base}: {found[base]}")
        for base in ("sobol-sequence", "halton"):
            check(abs(found[base][0] - 36.3) <= 0.3, f"n = {count}, {base}: {found[base]}")
        halves = halves_reuse(project, count)
        say(f"n = {count}: halves of one sequence {halves:.2f} %, published {published:.2f} %")
        check(abs(halves - published) < 0.006, f"n = {count}: halves of one sequence {halves}")


def main():
    support.need_program()
    work = support.scratch()
    check_figures(work)
    check_closed_forms(work)
    if IMAGE.exists():
        check_table(work)
    else:
        support.skip_part(f"there is no ../shared/{IMAGE.relative_to(SHARED)}")
    support.finish()


main()
