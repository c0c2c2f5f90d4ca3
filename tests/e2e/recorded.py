#!/usr/bin/env python3
"""What a store keeps of a run in several parts (invariant 18): task rows across --resume, the sets of all rounds.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import hashlib
import json
import shutil
import signal
import sqlite3
import time

import _faults as faults
import _store
import _support as support
from _faults import results, same, start_at_gate, study
from _support import call, call_json, check, equal, say

UNTIL = ("--trajectories", 4, "--until", "ci(mu_star) < 0.001", "--max-runs", 3000)
TWO_PHASE = ("--method", "two-phase", "--trajectories", 4, "--count", 8)


def kill_at_gate(folder, store, out, words, gate, rows=0):
    """Killed while it waits, as soon as the store has more rows of tasks than `rows`."""
    run = start_at_gate(folder, store, out, words=words, gate=gate)
    deadline = time.monotonic() + 30
    while len(task_rows(folder, store)) <= rows and time.monotonic() < deadline:
        time.sleep(0.01)
    run.kill()
    run.communicate()
    equal(run.returncode, -signal.SIGKILL, "end of the study that is killed")


def task_rows(folder, store):
    """Number, key, outcome and start of every row, in order."""
    with sqlite3.connect(f"file:{folder / store / 'store.db'}?mode=ro", uri=True) as database:
        return database.execute("SELECT task, key, outcome, start_s FROM task ORDER BY task").fetchall()


def detail_of(folder, store):
    run = call_json("status", "-C", folder, "--store", store)["runs"][0]["id"]
    return run, call_json("status", run, "-C", folder, "--store", store)["detail"]


# ---- rows of tasks ----

def check_task_rows(folder):
    """Continued twice: the rows of each part stay as they are, and those of the next one follow."""
    parts = []
    for gate, words in (("gate@9", ()), ("gate@2", ("--resume",)), (None, ("--resume",))):
        if gate:
            kill_at_gate(folder, "rows", "rows-out", words, gate, len(parts[-1]) if parts else 0)
        else:
            study(folder, *words, store="rows", out="rows-out")
        parts.append(task_rows(folder, "rows"))
        say(f"{len(parts[-1])} rows after part {len(parts)}")
        equal([row[0] for row in parts[-1]], list(range(len(parts[-1]))), f"numbers after part {len(parts)}")
    check(0 < len(parts[0]) < len(parts[1]) < len(parts[2]), f"rows of the parts: {[len(part) for part in parts]}")
    for before, after in zip(parts, parts[1:]):
        equal(after[:len(before)] == before, True, "the rows of the part before are as they were")
    run, detail = detail_of(folder, "rows")
    outcomes = ("executed", "cutoff", "store", "failed", "skipped")
    equal(sum(task[name] for task in detail["by_task"] for name in outcomes), len(parts[2]), "tasks in status")
    first = next(key for _, key, outcome, _ in parts[0] if outcome == "executed")
    log = call_json("log", run, first.hex()[:16], "-C", folder, "--store", "rows")
    check("executed" in {task["outcome"] for task in log["tasks"]}, f"a task of the first part in the log: {log}")
    explained = call_json("explain", first.hex()[:16], "-C", folder, "--store", "rows")
    check(explained.get("reason"), f"a task of the first part, explained: {explained}")


def check_retried(folder):
    """A task that failed and is done by --resume: the last outcome explains it, the log has both."""
    study(folder, store="retried", out="retried-out", fault="refuse@3", expect=1)
    study(folder, "--resume", store="retried", out="retried-out")
    rows = task_rows(folder, "retried")
    failed = next((key for _, key, outcome, _ in rows if outcome == "failed"), None)
    if not check(failed, "the row of the task that failed is gone"):
        return
    equal([outcome for _, key, outcome, _ in rows if key == failed], ["failed", "executed"], "outcomes of the task")
    explained = call_json("explain", failed.hex()[:16], "-C", folder, "--store", "retried")
    equal(explained["outcome"], "executed", "the outcome that is explained")


# ---- sets of all rounds ----

def sets_of(detail):
    """Every set of the order and of the rounds after it, as {name: value} of what is not at its default."""
    found = []
    for part in (detail["order"], *detail.get("rounds", [])):
        if "first" in part:
            equal(part["first"], len(found), "number of the first set of a round")
        names = part["space"]["parameters"]
        found += [dict(zip(names, map(float, row))) for row in part["sets"]]
    return found


def check_sets(folder, store, out, defaults, least_rounds=2):
    detail = detail_of(folder, store)[1]
    rows, sets = support.read_csv(folder / out / "results.csv"), sets_of(detail)
    wanted = [{name: float(row.get(name, default)) for name, default in defaults.items()} for row in rows]
    equal(len(sets), len(rows), f"{store}: sets that the run keeps")
    equal([{**defaults, **found} for found in sets] == wanted, True, f"{store}: the sets are those of results.csv")
    check(len(detail.get("rounds", [])) >= least_rounds - 1, f"{store}: rounds: {len(detail.get('rounds', []))}")
    text = json.dumps(detail["order"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    equal(hashlib.sha256(text.encode()).hexdigest(), detail["fingerprint"], f"{store}: fingerprint")
    check_round_schema(detail.get("rounds", []))
    return detail


def check_round_schema(rounds):
    try:
        import jsonschema
    except ImportError:
        support.skip_part("python3-jsonschema is not installed")
        return
    schema = json.loads((support.ROOT / "docs/schema/round.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for part in rounds:
        equal([error.message[:200] for error in validator.iter_errors(part)], [], "what the schema says about a round")
        check(not validator.is_valid({**part, "sets": []}), "the schema accepts a round without sets")


def check_recompute(folder, store, runs=1):
    found = call_json("store", "verify", "--recompute", "-C", folder, "--store", store)
    equal((found["recomputed"]["runs"], found["recomputed"]["runs_left_out"], found["differs"]), (runs, 0, []),
          f"{store}: runs computed again")
    equal(found["recomputed"]["records"], found["recomputed"]["of"], f"{store}: records computed again")
    say(f"{store}: {found['recomputed']}")


def check_rounds(folder, name, words, gate):
    """An undisturbed study, one that is killed in its second round, and what is computed again of both."""
    defaults = {"factor": 2.0, "weight": 0.5}
    study(folder, *words, store=f"{name}-store", out=f"{name}-out")
    wanted = results(folder, f"{name}-out")
    calm = check_sets(folder, f"{name}-store", f"{name}-out", defaults)
    check_recompute(folder, f"{name}-store")
    kill_at_gate(folder, f"{name}-killed", f"{name}-again", words, gate)
    begun = detail_of(folder, f"{name}-killed")[1]
    equal(len(sets_of(begun)) > len(begun["order"]["sets"]), True, f"{name}: killed after its first round")
    study(folder, "--resume", store=f"{name}-killed", out=f"{name}-again")
    same(folder, wanted, f"{name}: killed in round 2", f"{name}-again")
    again = check_sets(folder, f"{name}-killed", f"{name}-again", defaults)
    equal(again["rounds"], calm["rounds"], f"{name}: rounds of the run that was killed")
    equal(again["fingerprint"], begun["fingerprint"], f"{name}: fingerprint of the run that was killed")
    check_recompute(folder, f"{name}-killed")


def check_sets_are_read(folder):
    """What is computed again is what the run asked for: not what the strategy would ask for with other results."""
    shutil.copytree(folder / "until-store", folder / "read-store")
    with sqlite3.connect(folder / "read-store/store.db") as database:
        row = json.loads(database.execute("SELECT settings FROM run").fetchone()[0])
    row["rounds"] = row["rounds"][:1]
    _store.change(folder / "read-store", ("UPDATE run SET settings = ?", (json.dumps(row),)))
    sets = len(sets_of(detail_of(folder, "read-store")[1]))
    found = call_json("store", "verify", "--recompute", "-C", folder, "--store", "read-store")["recomputed"]
    check(found["records"] < found["of"], f"{sets} sets gave all records: {found}")
    row.pop("rounds")  # as programs wrote it that kept the first round alone: the strategy is asked again
    _store.change(folder / "read-store", ("UPDATE run SET settings = ?", (json.dumps(row),)))
    check_recompute(folder, "read-store")


def check_design_gone(folder):
    """The sets of a design file are in the order: the file is not needed to compute again."""
    (folder / "design.csv").write_text("factor,weight\n3,0.5\n4,0.25\n5,0.5\n", encoding="utf-8")
    study(folder, "--design", "design.csv", store="design-store", out="design-out")
    (folder / "design.csv").unlink()
    check_sets(folder, "design-store", "design-out", {"factor": 2.0, "weight": 0.5}, 1)
    check_recompute(folder, "design-store")


def check_edited(folder):
    """A run that is continued with an edited workflow asks for other sets: its order is the new one."""
    text = (folder / "workflow.json").read_text(encoding="utf-8")
    kill_at_gate(folder, "edited-store", "edited-out", UNTIL, "gate@30")
    begun = detail_of(folder, "edited-store")[1]
    (folder / "workflow.json").write_text(text.replace('"range": [1, 9]', '"range": [1, 8]'), encoding="utf-8")
    study(folder, "--resume", store="edited-store", out="edited-out")
    detail = check_sets(folder, "edited-store", "edited-out", {"factor": 2.0, "weight": 0.5}, 1)
    check(detail["fingerprint"] != begun["fingerprint"], "an edited workflow, and the same fingerprint")
    (folder / "workflow.json").write_text(text, encoding="utf-8")
    found = call_json("store", "verify", "--recompute", "-C", folder, "--store", "edited-store")
    equal((found["recomputed"]["runs"], found["differs"]), (1, []), "the edited study, computed again")


def check_measured(folder):
    """Sets that are run one by one: the order has all of them, not only the last that was planned."""
    file = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    file["outputs"] = ["run:seconds", "sum.table:score"]
    file["method"] = {"name": "mc", "samples": 5, "seed": 3}
    (folder / "measured.json").write_text(json.dumps(file), encoding="utf-8")
    call("study", "measured.json", "-C", folder, "--store", "measured-store", "-o", "measured-out", "--progress=none")
    detail = check_sets(folder, "measured-store", "measured-out", {"factor": 2.0, "weight": 0.5}, 1)
    equal(len(detail["order"]["sets"]), 5, "sets of a study that measures")


def main():
    folder = faults.project()
    check_task_rows(folder)
    check_retried(folder)
    check_rounds(folder, "until", UNTIL, "gate@30")
    check_rounds(folder, "two-phase", TWO_PHASE, "gate@30")
    check_sets_are_read(folder)
    check_design_gone(folder)
    check_edited(folder)
    check_measured(folder)
    support.finish()


main()
