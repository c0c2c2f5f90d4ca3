#!/usr/bin/env python3
"""The work order of a run: files edited while it goes on, a project or data moved, clocks that jump, files that are gone.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import copy
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import _faults as faults
import _support as support
from _faults import open_gate, results, same, says, start_at_gate, study
from _support import ROOT, call, call_json, check, equal, say

SHIM = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now) {
  int status = (int)syscall(SYS_clock_gettime, id, now);
  if (status == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += YEARS * 31557600L;
  return status;
}
"""


MADE = shutil.ignore_patterns("*store*", ".tessera", "shared", "edits", "out", "*-out")  # by studies


def workers_of(pid):
    found = set()
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and b"\0worker\0" in (folder / "cmdline").read_bytes():
                if int(re.search(r"\nPPid:\s+(\d+)", (folder / "status").read_text())[1]) == pid:
                    found.add(int(folder.name))
        except OSError:
            continue  # it ended meanwhile
    return found


def wait_for(condition, what):
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    return check(condition(), what)


def stop_at_gate(folder, store, out):
    """A study that was killed after some tasks."""
    run = start_at_gate(folder, store, out)
    run.kill()
    run.communicate()
    equal(run.returncode, -signal.SIGKILL, "end of the study that is killed")


def overwrite(path):
    """In place: whoever has the file mapped sees the change."""
    with open(path, "r+b") as file:
        file.write(b"\0" * path.stat().st_size)


# ---- files edited while a run with workers goes on ----

def check_edits(folder, wanted):
    kept = {name: (folder / name).read_bytes() for name in ("workflow.json", "study.json", "libfaulty.so")}
    run = start_at_gate(folder, "edits", "edits-out", words=("--workers", "2"))
    overwrite(folder / "libfaulty.so")
    for name in ("workflow.json", "study.json"):
        (folder / name).write_text("{ edited", encoding="utf-8")
    old = workers_of(run.pid)
    if wait_for(lambda: len(workers_of(run.pid)) == 2, "two workers"):
        old = workers_of(run.pid)
        os.kill(min(old), signal.SIGKILL)
        wait_for(lambda: workers_of(run.pid) - old or run.poll() is not None, "a worker that starts after the edits")
        check(workers_of(run.pid) - old, "no worker was started after the edits")
    open_gate(folder)
    said = run.communicate(timeout=100)[1]
    equal(run.returncode, 0, f"exit of the study whose files were edited\n{said[-2000:]}")
    same(folder, wanted, "files edited while workers run", "edits-out")
    for name, data in kept.items():
        (folder / name).write_bytes(data)


def check_plugin_removed(folder, wanted):
    """A worker that starts later gets the plugin from the study's process."""
    other = folder.parent / "removed"
    shutil.copytree(folder, other, ignore=MADE)
    run = start_at_gate(other, "edits", "edits-out", words=("--workers", "2"))
    old = workers_of(run.pid)
    (other / "libfaulty.so").unlink()
    if old:
        os.kill(min(old), signal.SIGKILL)
    open_gate(other)
    run.communicate(timeout=100)
    equal(run.returncode, 0, "exit of the study whose plugin was removed")
    same(other, wanted, "plugin removed while workers run", "edits-out")


def check_command_edited():
    """A worker never runs a command that is not the one of the order."""
    folder = faults.project()
    workflow = copy.deepcopy(faults.WORKFLOW)
    workflow["operations"].append("copy.json")
    stage = workflow["stages"][0]
    stage["tasks"].insert(0, {"name": "copy", "op": "test.copy", "in": {"x": "table"}})
    stage["tasks"][1]["in"]["table"] = "copy.y"
    (folder / "workflow.json").write_text(json.dumps(workflow), encoding="utf-8")
    (folder / "copy.json").write_text(json.dumps({
        "tessera_operation": 1, "name": "test.copy", "version": 1, "command": ["sh", "copy.sh"], "complete": True,
        "inputs": {"x": {"type": "table"}}, "outputs": {"y": {"type": "table"}}}), encoding="utf-8")
    (folder / "copy.sh").write_text("cp in.x.csv out.y.csv\n", encoding="utf-8")
    study(folder, store="calm-store", out="calm")
    run = start_at_gate(folder, "edits", "edits-out", words=("--workers", "2"))
    (folder / "copy.sh").write_text("# edited\ncp in.x.csv out.y.csv\n", encoding="utf-8")
    wait_for(lambda: len(workers_of(run.pid)) == 2, "two workers")
    os.kill(min(workers_of(run.pid)), signal.SIGKILL)
    said = run.communicate(timeout=100)[1]
    check(run.returncode != 0, "a command was edited: the study went on with another one")
    for part in ("copy.json", "test.copy", "--operations"):
        check(part in said, f"a command was edited: {part!r} is not in the message\n{said[-1500:]}")
    (folder / "copy.sh").write_text("cp in.x.csv out.y.csv\n", encoding="utf-8")
    study(folder, "--resume", store="edits", out="edits-out")
    same(folder, results(folder, "calm"), "the command was restored before --resume", "edits-out")


def check_odd_names(wanted):
    """A name that is not UTF-8 is found by workers, too."""
    folder = faults.project()
    os.rename(os.fsencode(folder / "data/north.csv"), os.fsencode(folder) + b"/data/n\xff\xe9\xf8rth.csv")
    study(folder, "--workers", 2)
    same(folder, wanted, "a file name that is not UTF-8")


# ---- between a stop and --resume ----

def check_moved(folder, wanted):
    stop_at_gate(folder, ".tessera", "out")
    moved = folder.parent / "moved"
    shutil.move(folder, moved)
    study(moved, "--resume")
    same(moved, wanted, "the project folder was moved")
    runs = call_json("status", "-C", moved)["runs"]
    equal([run["state"] for run in runs], ["done"], "runs of the project that was moved")
    study(moved, "--resume", expect=3)
    shutil.move(moved, folder)
    shutil.rmtree(folder / "out")
    shutil.rmtree(folder / ".tessera")


def check_other_study(folder):
    """A store that two studies share: each continues its own run."""
    stop_at_gate(folder, "shared", "out")
    other = folder.parent / "other"
    shutil.copytree(folder, other, ignore=MADE)
    text = (other / "study.json").read_text(encoding="utf-8").replace('"seed": 1', '"seed": 2')
    (other / "study.json").write_text(text, encoding="utf-8")
    run = study(other, "--resume", store=str(folder / "shared"), expect=3)
    says(run, "the run of another study", "there is no unfinished study")
    study(folder, "--resume", store="shared")
    shutil.rmtree(folder / "out")


def check_data_moved(folder, wanted):
    stop_at_gate(folder, "data-store", "data-out")
    shutil.copytree(folder / "data-store", folder / "data-store-2")
    away = folder.parent / "away"
    (away / "deep").mkdir(parents=True)
    (folder / "data/north.csv").rename(away / "deep/renamed.csv")
    (folder / "data/south.csv").rename(away / "south.csv")
    run = study(folder, "--resume", store="data-store", out="data-out", expect=3)
    says(run, "data that is gone", "no file matches")
    study(folder, "--resume", "--data-root", away, store="data-store", out="data-out")
    same(folder, wanted, "data moved, --data-root", "data-out")
    study(folder, "--resume", store="data-store-2", out="data-out-2",
          env=support.environment(TESSERA_DATA=f"/nonexistent:{away}"))
    same(folder, wanted, "data moved, TESSERA_DATA", "data-out-2")
    by_file = (folder / "data-out/results-by-file.csv").read_text(encoding="utf-8")
    check("north" in by_file and "renamed" not in by_file, "files keep the names that they had when the run began")
    (away / "deep/renamed.csv").rename(folder / "data/north.csv")
    (away / "south.csv").rename(folder / "data/south.csv")


def check_clock(folder, wanted):
    for years in (-7, 7):
        name = f"clock{years}"
        source, library = folder / "clock.c", folder / f"{name}.so"
        source.write_text(SHIM.replace("YEARS", f"({years})"), encoding="utf-8")
        subprocess.run(["cc", "-O1", "-fPIC", "-shared", "-o", library, source], check=True)
        stop_at_gate(folder, name, f"{name}-out")
        for words in (("--resume",), ("--workers", 2), ("--workers", 2, "--merge", "rtma", "--seed", 4)):
            study(folder, *words, store=name, out=f"{name}-out", env=support.environment(LD_PRELOAD=str(library)))
            if "rtma" not in words:
                same(folder, wanted, f"the clock jumped by {years} years, {words}", f"{name}-out")


def check_clocks_apart():
    """Processes whose clocks are years apart: buckets make what the plan says, although others have made it already."""
    folder = faults.project()
    workflow = copy.deepcopy(faults.WORKFLOW)
    stage = workflow["stages"][0]  # two tasks that do not depend on each other: of each bucket's own, equal ones occur
    stage["tasks"][1] = {"name": "other", "op": "faulty.make", "in": {"table": "table"}, "params": {"factor": "weight"}}
    stage["out"] = {"mask": "make.mask", "table": "other.table"}
    (folder / "workflow.json").write_text(json.dumps(workflow), encoding="utf-8")
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(SHIM.replace("YEARS", "(getpid() % 2 ? 7 : -7)"), encoding="utf-8")
    subprocess.run(["cc", "-O1", "-fPIC", "-shared", "-o", library, source], check=True)
    words = ("--merge", "naive", "--max-bucket-size", 1)
    found = {}
    for name, env in (("together", None), ("apart", support.environment(LD_PRELOAD=str(library)))):
        for workers in (1, 2, 3):
            reply = call_json("study", "-C", folder, *words, "--workers", workers, "--store", f"{name}-{workers}",
                              "-o", name, env=env)
            found[name, workers] = support.executed(reply)
    check(found["together", 1]["make.other"] > 2 * 4, f"no bucket makes anything again: {found['together', 1]}")
    equal(found, dict.fromkeys(found, found["together", 1]), "tasks executed by processes whose clocks are apart")
    check(results(folder, "apart") == results(folder, "together"), "results.csv by processes whose clocks are apart")


def check_workflow_edited(folder):
    """What --resume does with a workflow that was edited: it goes on with the new one."""
    text = (folder / "workflow.json").read_text(encoding="utf-8")
    stop_at_gate(folder, "edited-store", "edited-out")
    (folder / "workflow.json").write_text(text.replace('"range": [1, 9]', '"range": [1, 8]'), encoding="utf-8")
    study(folder, store="new-store", out="new-out")
    study(folder, "--resume", store="edited-store", out="edited-out")
    same(folder, results(folder, "new-out"), "the workflow was edited before --resume", "edited-out")
    (folder / "workflow.json").write_text(text, encoding="utf-8")


# ---- a run whose project is gone ----

def check_gone(folder, wanted):
    store = folder / "calm-store"
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    shutil.move(folder / "libfaulty.so", elsewhere / "libfaulty.so")
    for name in ("study.json", "workflow.json"):
        shutil.move(folder / name, elsewhere / name)
    left_out = call_json("store", "verify", "--recompute", "-C", folder, "--store", store)
    equal((left_out["recomputed"]["runs"], left_out["recomputed"]["runs_left_out"]), (0, 1), "runs without the plugin")
    check("libfaulty.so" in left_out["warnings"][0], f"the warning names the plugin: {left_out['warnings']}")
    for words, env in ((("--operations", elsewhere), None),
                       ((), support.environment(TESSERA_OPERATIONS=str(elsewhere)))):
        found = call_json("store", "verify", "--recompute", "-C", folder, "--store", store, *words, env=env)
        equal((found["recomputed"]["runs"], found["differs"]), (1, []), f"runs computed again, {words}")
        equal(found["recomputed"]["records"], found["recomputed"]["of"], "records compared")
    other = bytearray((elsewhere / "libfaulty.so").read_bytes())
    other[-1] ^= 1
    (folder / "libfaulty.so").write_bytes(other)
    refused = call_json("store", "verify", "--recompute", "-C", folder, "--store", store)
    equal(refused["recomputed"]["runs"], 0, "runs with another plugin of the same name")
    for name in ("libfaulty.so", "study.json", "workflow.json"):
        shutil.move(elsewhere / name, folder / name)


# ---- the document ----

def canonical(order):
    return json.dumps(order, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def read_order(folder, store):
    run = call_json("status", "-C", folder, "--store", store)["runs"][0]["id"]
    detail = call_json("status", run, "-C", folder, "--store", store)["detail"]
    return detail["order"], detail["fingerprint"]


def check_document(folder):
    order, fingerprint = read_order(folder, "calm-store")
    equal(hashlib.sha256(canonical(order).encode()).hexdigest(), fingerprint, "fingerprint")
    equal(order["workflow"], (folder / "workflow.json").read_text(encoding="utf-8"), "text of the workflow")
    equal(order["options"]["study"], (folder / "study.json").read_text(encoding="utf-8"), "text of the study")
    wanted = {}
    for name in ("north", "south"):
        data = (folder / f"data/{name}.csv").read_bytes()
        wanted[name] = {"table": {"name": f"data/{name}.csv", "digest": hashlib.sha256(data).hexdigest(),
                                  "bytes": len(data)}}
    equal({item["name"]: item["inputs"] for item in order["items"]}, wanted, "items")
    equal([(op["name"], op["origin"], op["file"]) for op in order["operations"]],
          [(f"faulty.{name}", "plugin", "libfaulty.so") for name in ("make", "paint", "sum")], "operations")
    equal((order["wanted"], order["space"]["parameters"]), (["sum.table"], ["factor", "weight"]), "wanted, space")
    rows = (folder / "calm/results.csv").read_text(encoding="utf-8").splitlines()
    equal(len(order["sets"]), len(rows) - 1, "sets")
    equal([float(value) for value in order["sets"][3]], [float(value) for value in rows[4].split(",")[1:3]], "set 3")
    check(str(folder.parent) not in canonical(order), "a path of this machine is in the order")
    copied = folder.parent / "copied"
    shutil.copytree(folder, copied, ignore=MADE)
    study(copied, store="calm-store", out="calm")
    equal(read_order(copied, "calm-store")[1], fingerprint, "fingerprint of the same run in another folder")
    return order


def check_schema(order):
    try:
        import jsonschema
    except ImportError:
        support.skip_part("python3-jsonschema is not installed")
        return
    schema = json.loads((ROOT / "docs/schema/order.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    problems = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(order)]
    equal(problems, [], "what the schema says about an order")
    for path, value in ((("schema",), "tessera.order/2"), (("workflow",), None), (("sets",), []), (("colour",), 1),
                        (("operations", 0, "file"), "/lib/libfaulty.so"), (("operations", 0, "digest"), "12"),
                        (("items", 0, "inputs", "table", "name"), "/data/north.csv"), (("wanted", 0), "sum"),
                        (("items", 0, "path"), "x"), (("grid", "tile"), -1), (("options", "command"), "plan"),
                        (("settings", "threads"), [2])):
        wrong = copy.deepcopy(order)
        target = wrong
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value
        check(not validator.is_valid(wrong), f"the schema accepts {path} = {value!r}")


def main():
    folder = faults.project()
    wanted = faults.calm(folder)
    check_schema(check_document(folder))
    for test in (check_edits, check_plugin_removed, check_moved, check_data_moved, check_gone):
        say(test.__name__)
        test(folder, wanted)
    check_command_edited()
    check_odd_names(wanted)
    check_other_study(folder)
    check_workflow_edited(folder)
    if not support.SANITIZED:  # which must be loaded first, before another clock
        check_clock(folder, wanted)
        check_clocks_apart()
    support.finish()


main()
