#!/usr/bin/env python3
"""A study of two phases: what the screening keeps, that nothing is computed twice, that it goes on after a kill.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300
"""
import collections
import json
import signal
import sqlite3
import subprocess

import _support as support
from _support import call, call_json, check, equal, say

SAMPLES = 32
TWO_PHASE = ("--method", "two-phase", "--count", SAMPLES)
SHARE = 0.1


def study(project, name, *words, **options):
    reply = call_json("study", "-C", project, "--store", f"store-{name}", "-o", f"out-{name}", "-j", 2, *words,
                      **options)
    return reply, project / f"out-{name}/results.csv"


def expected_kept(reply):
    """The rule, from the indices of the screening."""
    kept = []
    screening = [item for item in reply["analyses"] if item["phase"] == 1]
    for name in (row["name"] for row in screening[0]["indices"]):
        for item in screening:
            largest = max(row["mu_star"] for row in item["indices"])
            row = next(row for row in item["indices"] if row["name"] == name)
            if row["mu_star_hi"] >= SHARE * largest and name not in kept:
                kept.append(name)
    return kept


def check_phases(reply, results):
    first, second = reply["phases"]
    rows = support.read_csv(results)
    kept, defaults = first["kept"], {row["name"]: row["default"] for row in reply["params"]}
    say(f"screening: {first['runs']} runs, kept {', '.join(kept)}; then {second['runs']} runs; {reply['answer']}")
    equal(kept, expected_kept(reply), "kept parameters")
    equal(sorted(kept + first["dropped"]), sorted(defaults), "kept and dropped parameters")
    equal(sorted(first["why"]), sorted(defaults), "parameters with a reason")
    equal((first["name"], second["name"]), ("screening", "variance"), "names of the phases")
    equal(second["runs"], SAMPLES * (len(kept) + 2), "runs of the second phase")
    equal([int(row["phase"]) for row in rows], [1] * first["runs"] + [2] * second["runs"], "phases of the runs")
    moved = {name for row in rows[first["runs"]:] for name in first["dropped"]
             if float(row[name]) != float(defaults[name])}
    equal(moved, set(), "dropped parameters that the second phase varies")
    equal([row["name"] for row in reply["indices"]], kept, "parameters with indices")
    check(all("ST" in row and "S1_lo" in row for row in reply["indices"]), f"indices: {reply['indices'][0]}")
    equal([(item["phase"], item["method"]) for item in reply["analyses"]],
          [(1, "morris"), (1, "morris"), (2, "vbd"), (2, "vbd")], "analyses")
    for phase in (first, second):
        equal(phase["executed"] + phase["reused"], phase["requested"], f"tasks of {phase['name']}")
    equal(first["executed"] + second["executed"], reply["reuse"]["executed"], "executed in both phases")
    for row in reply["by_task"]:
        parts = ("stage_reused", "task_reused", "executed", "cutoff", "store", "failed", "skipped")
        equal(sum(row[part] for part in parts), row["requested"], f"sum of {row['stage']}.{row['task']}")
    equal(reply["distinct_runs"], len({tuple(row[name] for name in defaults) for row in rows}), "distinct runs")


def executed_tasks(project, trace):
    """(lineage key, content key) of every task that was executed, from the trace and the records."""
    with sqlite3.connect(f"file:{next((project / 'store-calm').glob('*.db'))}?mode=ro", uri=True) as database:
        content = {key.hex(): content.hex() for key, content in database.execute("SELECT key, content_key FROM record")}
    tasks = [event for event in json.loads(trace.read_text(encoding="utf-8"))
             if event["ph"] == "X" and event["cat"] == "task" and event["args"]["outcome"] == "executed"]
    return [(event["name"], event["args"]["key"].split(":")[-1]) for event in tasks], content


def check_once(project, reply):
    """No operation is executed twice, neither by lineage nor by content, over both phases."""
    tasks, content = executed_tasks(project, project / "trace.json")
    equal(len(tasks), reply["reuse"]["executed"] + reply["reference"]["executed"], "tasks in the trace")
    equal(reply["reuse"]["recomputed"], 0, "recomputed")
    keys = collections.Counter(key for _, key in tasks)
    equal([key for key, count in keys.items() if count > 1][:3], [], "keys executed twice")
    missing = [name for name, key in tasks if key not in content]
    equal(missing[:3], [], "executed tasks without a record")
    contents = collections.Counter(content.get(key, key) for _, key in tasks)
    equal([key for key, count in contents.items() if count > 1][:3], [], "contents computed twice")


def check_saving(project, reply):
    """The second phase alone, in a new store, computes more."""
    lines = (project / "out-calm/results.csv").read_text(encoding="utf-8").splitlines()
    columns = len(reply["params"])
    design = [",".join(line.split(",")[1:1 + columns]) for line in lines]
    first = reply["phases"][0]["runs"]
    (project / "second.csv").write_text("\n".join([design[0], *design[1 + first:]]) + "\n", encoding="utf-8")
    alone, _ = study(project, "alone", "--design", "second.csv")
    both = reply["phases"][1]["executed"]
    say(f"second phase: {both} tasks executed after the screening, {alone['reuse']['executed']} alone")
    check(both < alone["reuse"]["executed"], "the second phase reuses nothing of the screening")


def check_kill(project, reply, wanted):
    """Killed in the second phase; continued under the same id, with the same results and little work."""
    process = subprocess.Popen([support.PROGRAM, "study", "-C", str(project), "--store", "store-kill", "-o", "out-kill",
                                "-j", "2", "--progress=json", *map(str, TWO_PHASE)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=support.environment(), text=True)
    done, run_id, limit = 0, "", reply["phases"][0]["executed"] + reply["phases"][1]["executed"] // 2
    for line in process.stderr:
        event = json.loads(line) if line.startswith("{") else {}
        run_id = event.get("run", run_id)
        done += event.get("ev") == "task_done" and event.get("outcome") == "executed"
        if done >= limit:
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    check(done >= limit, f"the study ended after {done} tasks, before it was killed")
    again, results = study(project, "kill", "--resume")
    say(f"killed after {done} executed tasks; then {again['reuse']['executed']} more")
    equal((again["state"], len(again["phases"])), ("done", 2), "state after resuming")
    check(results.read_bytes() == wanted, "results.csv after the kill differ")
    check(again["reuse"]["executed"] < reply["reuse"]["executed"] // 2, "most of the work was done again")
    runs = call_json("status", "-C", project, "--store", "store-kill")["runs"]
    equal([run["state"] for run in runs], ["done"], "runs in the store: the one that was continued")


def check_choices(project):
    """Names and limits instead of the rule."""
    named, _ = study(project, "calm", *TWO_PHASE[:2], "--count", 4, "--keep", "G1,T2")
    equal((named["phases"][0]["kept"], len(named["indices"])), (["T2", "G1"], 2), "kept by name")
    study_file = json.loads((project / "study.json").read_text(encoding="utf-8"))
    study_file["method"] = {"name": "two-phase", "seed": 1, "screen": {"trajectories": 10, "levels": 20},
                            "then": {"name": "lhs", "samples": 20}, "keep": {"share": 0.01, "max": 3}}
    (project / "three.json").write_text(json.dumps(study_file), encoding="utf-8")
    three, _ = study(project, "calm", "three.json")
    equal((len(three["phases"][0]["kept"]), three["phases"][1]["method"], three["phases"][1]["runs"]), (3, "lhs", 20),
          "at most three, then lhs")
    plan = call_json("plan", "-C", project, "three.json")
    equal((plan["runs"], plan["phases"][1]["depends_on"], plan["phases"][1]["runs_most"]), (160, "screening", 20),
          "plan")
    limited, _ = study(project, "calm", *TWO_PHASE, "--max-runs", 220)
    check(len(limited["runs"]) <= 220 and any("leaves" in text for text in limited["warnings"]),
          f"limit of runs: {len(limited['runs'])}, {limited['warnings']}")
    run = call("study", "-C", project, *TWO_PHASE, "--keep", "G1,G7", expect=2)
    check("does not vary 'G7'" in run.stderr, run.stderr)
    run = call("study", "-C", project, "--keep", "G1", expect=2)
    check("two phases" in run.stderr, run.stderr)


def main():
    support.need_program()
    project = support.scratch() / "demo"
    support.init_nuclei(project)
    reply, results = study(project, "calm", *TWO_PHASE, "--trace", "trace.json")
    wanted = results.read_bytes()
    check_phases(reply, results)
    check_once(project, reply)
    check_saving(project, reply)
    memory = call_json("study", "-C", project, *TWO_PHASE, "--store", "memory", "-o", "out-memory")
    equal(memory["reuse"]["executed"], reply["reuse"]["executed"], "executed without a folder for the store")
    plain, _ = study(project, "plain", *TWO_PHASE, "--no-reuse")
    equal(plain["reuse"]["executed"], plain["reuse"]["requested"], "executed without reuse")
    check((project / "out-plain/results.csv").read_bytes() == wanted, "results.csv without reuse differ")
    check_kill(project, reply, wanted)
    check_choices(project)
    support.finish()


main()
