#!/usr/bin/env python3
"""What the store learns about costs: every call counted, a prediction that holds, damage passed over, loading that must pay.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 180
"""
import collections
import json
import shutil
import sqlite3
import statistics
import struct

import _store
import _support as support
from _support import call, call_json, check, equal, say

LOADING_S = 1e5  # of a megabyte: slower than any build computes


def copy_project(project, name):
    other = project.parent / name
    shutil.copytree(project, other)
    return other


def costs_of(project):
    return {row["operation"]: row for row in call_json("store", "costs", "-C", project)["operations"]}


def executed_by_operation(project):
    """From the rows of tasks, the reference run's included."""
    workflow = json.loads((project / "workflow.json").read_text(encoding="utf-8"))
    operations = {(stage["name"], task["name"]): task["op"] for stage in workflow["stages"] for task in stage["tasks"]}
    database = sqlite3.connect(project / ".tessera/store.db")
    counts = collections.Counter()
    for stage, task, count in database.execute(
            "SELECT stage, name, count(*) FROM task WHERE outcome = 'executed' GROUP BY stage, name"):
        counts[operations[stage, task]] += count
    database.close()
    return dict(counts)


def check_calls(project, study):
    costs = costs_of(project)
    calls = {name: row["calls"] for name, row in costs.items() if not name.startswith(("store.", "image."))}
    equal(calls, executed_by_operation(project), "calls by operation, against the tasks that were executed")
    equal(costs["image.read"]["calls"], study["reuse"]["reads"], "calls of image.read, against reads")
    mask = costs["nuclei.final_size"]
    check(mask["bytes"] >= mask["size"] * 0.99 and mask["peak_bytes"] >= mask["bytes"],
          f"a mask has a byte per pixel, and the call took at least that: {mask}")
    for name, row in costs.items():
        if not name.startswith("store."):
            check(row["device"] == "cpu" and row["port_bytes"] and abs(sum(row["port_bytes"]) - row["bytes"]) <= 8,
                  f"the bytes of the ports are not those of the products: {row}")
    background = costs["nuclei.background"]
    check(all(abs(port - background["size"]) <= 1 for port in background["port_bytes"]) and len(background["port_bytes"]) == 2,
          f"nuclei.background makes two masks of a byte per pixel: {background}")
    text = call("store", "costs", "-C", project).stdout
    missing = [name for name in costs if name not in text]
    equal(missing, [], "operations that the table leaves out")
    again = call_json("study", "-C", project)
    equal(again["reuse"]["executed"], 0, "executed by the second study")
    later = costs_of(project)
    equal({name: row["calls"] for name, row in later.items() if name in calls}, calls,
          "calls after a study that executed nothing")
    check(later["store.load"]["calls"] > 0, "loading was not measured")


def usual_seconds(project):
    """What the tasks that were executed would have taken if each had taken the median of its kind."""
    database = sqlite3.connect(project / ".tessera/store.db")
    seconds = collections.defaultdict(list)
    for stage, name, spent in database.execute(
            "SELECT stage, name, cpu_seconds FROM task WHERE outcome = 'executed'"):
        seconds[stage, name].append(spent)
    database.close()
    return sum(len(values) * statistics.median(values) for values in seconds.values())


def check_outputs(project, outputs, text):
    """Against the records of the store; an alias has no size."""
    database = sqlite3.connect(project / ".tessera/store.db")
    sizes = [struct.unpack("<q", blob[-8:])[0] for blob, in database.execute(
        "SELECT outputs FROM record WHERE operation = 'nuclei.compare' AND is_alias = 0")]
    database.close()
    equal([row["output"] for row in outputs], ["compare.table"], "outputs that a plan predicts")
    mean = sum(sizes) / len(sizes)
    check(abs(outputs[0]["bytes"] / outputs[0]["products"] / mean - 1) < 0.02, f"{outputs}, but tables have {mean} bytes")
    check("Outputs of all sets: about" in text and "compare.table" in text, f"the text predicts no outputs: {text}")


def check_prediction(project, study):
    """Generous: a few calls that a busy machine made slow count in the sum of all, and hardly in the prediction."""
    nothing = call_json("plan", "-C", project)
    equal((nothing["executed"], nothing["predicted"]["cpu_s"]), (0, 0), "predicted where nothing is left to do")
    fresh = copy_project(project, "fresh")
    _store.change(fresh / ".tessera", "DELETE FROM record", "DELETE FROM product")
    plan = call_json("plan", "-C", fresh, "-j", 2)
    equal((plan["costs"]["source"], plan["costs"]["guessed"]), ("model", []), "where the costs come from")
    measured = sum(row["cpu_s"] for row in study["by_task"])
    predicted = plan["predicted"]
    usual = usual_seconds(project)
    say(f"predicted {predicted['cpu_s']:.2f} s (at most {predicted['cpu_s_most']:.2f} s), measured {measured:.2f} s, "
        f"{usual:.2f} s by medians")
    check(min(measured, usual) / 2 <= predicted["cpu_s"] <= max(measured, usual) * 2,
          f"predicted {predicted}, measured {measured}, {usual} by medians")
    check(predicted["cpu_s"] <= predicted["cpu_s_most"], f"early cutoff costs time: {predicted}")
    check(predicted["wall_s"] >= predicted["cpu_s"] / 2 * 0.999, f"two threads are more than twice as fast: {predicted}")
    text = call("plan", "-C", fresh).stdout
    check("Predicted: about" in text, "the text of a plan predicts nothing")
    check_outputs(project, predicted["outputs"], text)
    grouped = call_json("plan", "-C", fresh, "-j", 2, "--merge", "trtma")["grouping"]
    check(predicted["cpu_s"] / 2 * 0.5 <= grouped["makespan"] <= predicted["cpu_s_most"] * 2,
          f"the makespan of buckets is not in seconds: {grouped}")
    equal(call_json("plan", "-C", fresh, "--cost", "unit", "--merge", "trtma")["grouping"]["cost"], "unit", "--cost unit")
    limited = call_json("plan", "-C", fresh, "--merge", "trtma", "--max-bucket-memory", "1500k", "--max-buckets", 2)
    peaks = [bucket["peak_bytes"] for bucket in limited["buckets"]]
    check(max(peaks) <= 1500000 and len(peaks) > 4, f"peaks of buckets below 1.5 MB: {peaks}")
    _store.change(fresh / ".tessera", "UPDATE cost SET machine = 'another one'")
    plan = call_json("plan", "-C", fresh)
    equal(len(plan["costs"]["guessed"]), len(plan["by_task"]), "tasks guessed from another class of machine")
    check("partly a guess" in call("plan", "-C", fresh).stdout, "the text does not say that it is a guess")


def check_unknown(project):
    new = project.parent / "new"
    support.init_tiles(new)
    plan = call_json("plan", "-C", new)
    equal((plan["costs"]["source"], "predicted" in plan), ("unit", False), "a plan before the first run")
    said = call("plan", "-C", new, "--cost", "model", expect=2).stderr
    check("does not know what 'normalise." in said, f"--cost model before the first run:\n{said}")
    check(not (new / ".tessera").exists(), "a plan has made a store")


def check_damage(project):
    bad = copy_project(project, "damaged")
    _store.change(bad / ".tessera", "UPDATE cost SET samples = x'0011' WHERE operation = 'nuclei.split'",
                  "UPDATE cost SET cut = asked + 1 WHERE operation = 'nuclei.refine'")
    reply = call_json("store", "costs", "-C", bad)
    names = {row["operation"] for row in reply["operations"]}
    check("nuclei.compare" in names and not names & {"nuclei.split", "nuclei.refine"}, f"operations: {names}")
    check(any("damaged" in warning for warning in reply["warnings"]), f"warnings: {reply['warnings']}")
    equal(call_json("plan", "-C", bad)["costs"]["source"], "unit", "costs of a plan without those of two tasks")
    call_json("run", "-C", bad, "-p", "G2=44", "-o", "changed")
    names = {row["operation"] for row in call_json("store", "costs", "-C", bad)["operations"]}
    check({"nuclei.split", "nuclei.refine"} <= names, f"a run does not mend the rows: {names}")


def check_slow_store(project):
    """Intermediate products of a store that takes hours to load are computed again, as the plan says; results stay."""
    slow = copy_project(project, "slow")
    size = 1e6
    bin_number = 2 * 19 + 1  # half octaves: 2^19.5 <= 1e6 < 2^20
    samples = struct.pack("<4d", size, LOADING_S, size, 0) * 20
    _store.change(slow / ".tessera", "DELETE FROM cost WHERE operation = 'store.load'",
                  ("INSERT INTO cost(operation, implementation, machine, measure, bin, calls, asked, cut, samples, "
                   "updated_unix_ns) SELECT 'store.load', zeroblob(32), machine, 'bytes', ?, 20, 0, 0, ?, 0 FROM cost "
                   "LIMIT 1", (bin_number, samples)))
    equal(costs_of(slow)["store.load"]["seconds"], LOADING_S, "seconds of the loading that was put there")
    replies = {}
    for name, folder in (("fast", project), ("slow", slow)):
        plan = call_json("plan", "-C", folder, "-p", "minSizeSeg=100")
        replies[name] = call_json("run", "-C", folder, "-p", "minSizeSeg=100", "-o", "result")
        for planned, done in zip(plan["by_task"], replies[name]["by_task"], strict=True):
            equal(done["executed"] + done["cutoff"], planned["executed"], f"{name}, {done['task']}: run against plan")
    fast, late = (support.executed(replies[name]) for name in ("fast", "slow"))
    say(f"executed with a fast store {sum(fast.values())}, with a slow one {sum(late.values())}")
    check(late["segment.split"] > fast["segment.split"], f"segment.split was loaded all the same: {fast}, {late}")
    equal(late["normalise.colours"], 0, "outputs of stages that were computed again")
    check(support.results_below(project / "result") == support.results_below(slow / "result"), "the results differ")
    why = call_json("explain", "-C", slow, "segment.split")["cost"]
    check(why["load_measured"] and why["load_s"] > 10 * why["recompute_s"], f"explain does not show both costs: {why}")


def main():
    support.need_program()
    project = support.scratch() / "nuclei"
    support.init_tiles(project)
    study = call_json("study", "-C", project, "-j", 2)
    check_calls(project, study)
    check_prediction(project, study)
    check_unknown(project)
    check_damage(project)
    check_slow_store(project)
    support.finish()


if __name__ == "__main__":
    main()
