#!/usr/bin/env python3
"""Operations that crash, hang, write beyond their output, change inputs, exhaust memory or return garbage.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import json
import re
import resource
import signal
import subprocess
import time

import _faults as faults
import _support as support
from _faults import same, says, study
from _support import call_json, check, equal, say

CRASHES = {"crash": "segmentation fault", "abort": "it called abort", "divide": "arithmetic exception",
           "stack": "segmentation fault"}


def executed(folder, *words, **options):
    return support.executed(call_json("study", "-C", folder, *words, **options))


def check_crash(folder, kind, wanted):
    """The operation is named, the process ends with 1, and going on finds what was finished."""
    store, out = f"store-{kind}", f"out-{kind}"
    run = study(folder, fault=f"{kind}@20", store=store, out=out, expect=1)
    says(run, kind, "error[T505]", "operation 'faulty.sum' crashed", CRASHES[kind], "weight=", "libfaulty.so",
         "--resume")
    check(faults.results(folder, out) is None, f"{kind}: results of a study that did not end")
    line = re.search(r"continue with: tessera (.*)", run.stderr)
    if not check(line, f"{kind}: no line to continue with\n{run.stderr}"):
        return
    runs = call_json("status", "-C", folder, "--store", store)["runs"]
    equal([row["state"] for row in runs], ["interrupted"], f"{kind}: states of the runs after the crash")
    done = executed(folder, "--store", store, "-o", out, "--resume", "-j", 2)
    say(f"{kind}: {run.stderr.splitlines()[0]}; executed when continued: {done}")
    check(done.get("sum.sum", 99) <= 64 - 17, f"{kind}: finished work was repeated: {done}")
    same(folder, wanted, kind, out)


def check_crash_in_thread(folder, wanted):
    """Whose thread it was cannot be known, but what to do is said; the signal ends the process."""
    run = study(folder, fault="thread@20", store="store-thread", out="out-thread", expect=-signal.SIGSEGV)
    says(run, "thread", "error[T505]", "crashed (segmentation fault)", "in a thread of one", "--resume")
    study(folder, "--resume", store="store-thread", out="out-thread")
    same(folder, wanted, "thread", "out-thread")


def check_resume_line(folder, wanted):
    """What the message tells to type works as it stands."""
    run = study(folder, fault="crash@5", store="store-line", out="out-line", expect=1)
    words = re.search(r"continue with: tessera (.*)", run.stderr).group(1).split()
    support.call(*words)
    same(folder, wanted, "the line of the message", "out-line")


def check_contract(folder, wanted):
    """Each breach is told of one task with its operation; the others are done; afterwards the study is completed."""
    for kind, text in (("beyond@7", "wrote outside the memory of its output 'table'"),
                       ("before@7", "wrote outside the memory of its output 'table'"),
                       ("nothing@7", "did not make its output 'table'"),
                       ("memory@7", "no memory for a buffer of 8796093022208 bytes")):
        name = kind.split("@")[0]
        if support.SANITIZED and name in ("beyond", "before"):
            continue  # found by the sanitizer itself
        store, out = f"store-{name}", f"out-{name}"
        run = study(folder, fault=kind, store=store, out=out, expect=1)
        says(run, name, "error[T", text)
        check("faulty.sum" in run.stderr, f"{name}: the operation is not named\n{run.stderr}")
        missing = [row for row in support.read_csv(folder / out / "results.csv") if row["sum.table:score"] == ""]
        check(1 <= len(missing) < 24, f"{name}: {len(missing)} runs without a value")
        study(folder, "--resume", store=store, out=out)
        same(folder, wanted, name, out)


def check_pixels(folder):
    """Masks with other values, rows too many, impossible sizes: told, never stored."""
    for kind, text in (("grey", "other values than 0 and 255"),
                       ("row", "wrote outside the memory of its output 'mask'"), ("wide", "no memory"),
                       ("nowhere", "0 x 1024 pixels")):
        if support.SANITIZED and kind == "row":
            continue
        run = study(folder, fault=kind, store=f"store-{kind}", out=f"out-{kind}", expect=1)
        says(run, kind, "error[T", text)


def check_input(folder, wanted):
    """Inputs that are changed are found when asked for (invariant 2)."""
    env = support.environment(FAULTY="input@7", TESSERA_VERIFY="1")
    run = study(folder, store="store-input", out="out-input", expect=1, env=env)
    says(run, "input", "error[T", "operation 'faulty.sum' changed its input 'mask'")
    study(folder, store="store-verified", out="out-verified", env=support.environment(TESSERA_VERIFY="1"))
    same(folder, wanted, "verified", "out-verified")


def check_values(folder):
    """Not-a-number and infinity are values; the study says how many runs gave none."""
    run = study(folder, fault="nan@7", store="store-nan", out="out-nan")
    rows = support.read_csv(folder / "out-nan/results-by-file.csv")
    missing = [row for row in rows if row["sum.table:score"] in ("", "nan")]
    check(1 <= len(missing) < len(rows) / 2, f"nan: {len(missing)} of {len(rows)} files of runs without a value")
    check("some files have no value" in run.stderr, f"nan: no warning\n{run.stderr}")
    check(all(row["sum.table:score"] for row in support.read_csv(folder / "out-nan/results.csv")),
          "nan: a missing cell of one file made the number of the run missing")
    for kind, cell in (("nan", ""), ("inf", "inf"), ("empty", "")):
        check_no_value(folder, kind, cell)


def check_no_value(folder, kind, cell):
    """Every call gives a value that cannot be analysed: the study is done and says that nothing is known."""
    out = f"out-all-{kind}"
    env = support.environment(FAULTY=kind)
    reply = call_json("study", "-C", folder, "--store", f"store-all-{kind}", "-o", out, "-j", 2, env=env)
    equal((reply["state"], reply["reuse"]["failed"]), ("done", 0), f"all {kind}: state, and tasks that failed")
    check(reply["answer"].startswith("Nothing can be said about sum.table:score"), f"all {kind}: {reply['answer']}")
    equal([(row["mu_star"], row["finding"]) for row in reply["indices"]], [(None, "unknown")] * 2, f"all {kind}: indices")
    check(any("none of the 24 runs has a usable output" in text for text in reply["warnings"]),
          f"all {kind}: {reply['warnings']}")
    rows = support.read_csv(folder / out / "results.csv")
    equal([row["sum.table:score"] for row in rows], [cell] * 24, f"all {kind}: results.csv")


def check_hang(wanted):
    """One that does not look for cancellation ends the process; one that looks fails alone."""
    folder = faults.project(task_limit_s=0.4)
    start = time.monotonic()
    run = study(folder, fault="hang@20", expect=1, timeout=60)
    say(f"hang: ended after {time.monotonic() - start:.1f} s")
    says(run, "hang", "error[T506]", "operation 'faulty.sum' did not end within 0.4 s", "--resume")
    done = executed(folder, "--resume", "-o", "out")
    check(done.get("sum.sum", 99) <= 64 - 17, f"hang: finished work was repeated: {done}")
    same(folder, wanted, "hang")
    run = study(folder, fault="patient@7", store="store-patient", out="out-patient", expect=1, timeout=60)
    says(run, "patient", "took longer than 0.4 s and was stopped")
    study(folder, "--resume", store="store-patient", out="out-patient")
    same(folder, wanted, "patient", "out-patient")


def check_hanging_command(wanted):
    """The limit of the study also holds for commands, which are killed."""
    folder = faults.project(task_limit_s=1.5)
    (folder / "slow.py").write_text("import time\ntime.sleep(3600)\n", encoding="utf-8")
    example = json.loads((support.ROOT / "workflows/decay/fit.json").read_text(encoding="utf-8"))
    example.update(name="slow.fit", command=["python3", "slow.py"], files=["slow.py"])
    (folder / "slow.json").write_text(json.dumps(example), encoding="utf-8")
    workflow = json.loads((folder / "workflow.json").read_text(encoding="utf-8"))
    workflow["operations"].append("slow.json")
    fixed = {"model": {"value": "background"}, "floor": {"value": 0.0}, "iterations": {"value": 20}}
    workflow["stages"].append({"name": "slow", "per": "file", "in": {"table": "table"}, "out": {"table": "slow.table"},
                               "tasks": [{"name": "slow", "op": "slow.fit", "in": {"series": "table"},
                                          "params": fixed}]})
    (folder / "workflow.json").write_text(json.dumps(workflow), encoding="utf-8")
    run = support.call("run", "-C", folder, "-o", "out-slow", "--progress=none", expect=1, timeout=60)
    says(run, "a command that hangs", "command 'slow.fit' took longer than 1.5 s and was stopped")
    study(folder)
    same(folder, wanted, "a study beside a command that hangs")


def check_little_memory(folder, wanted):
    """A real limit of address space: an error or success, never a crash; with memory again it is completed."""
    if support.SANITIZED:
        return
    seen = set()
    for megabytes in (300, 240, 200, 160, 120, 90, 60):
        limit = megabytes << 20
        run = subprocess.run([support.PROGRAM, "study", "-C", str(folder), "--store", "store-limit", "-o", "out-limit",
                              "-j", "2", "--progress=none"], env=support.environment(), capture_output=True, text=True,
                             preexec_fn=lambda size=limit: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
                             timeout=60, check=False)
        seen.add(run.returncode)
        say(f"{megabytes} MB: exit {run.returncode}: {(run.stderr.splitlines() or [''])[0][:150]}")
        if run.returncode != 0 and "error while loading shared libraries" not in run.stderr:
            check(run.returncode in (1, 3, 5) and "error[T" in run.stderr and "help:" in run.stderr and
                  ("memory" in run.stderr or "cannot be started" in run.stderr),
                  f"{megabytes} MB: exit {run.returncode}, and what is said:\n{run.stderr[-2000:]}")
    check(seen - {0}, "no limit was low enough to matter")
    study(folder, store="store-limit", out="out-limit")
    same(folder, wanted, "after too little memory", "out-limit")


def main():
    folder = faults.project()
    wanted = faults.calm(folder)
    equal(wanted is not None and wanted.count(b"\n"), 25, "lines of the undisturbed results")
    for kind in CRASHES:
        if not support.SANITIZED or kind == "crash":
            check_crash(folder, kind, wanted)
    if not support.SANITIZED:  # which have handlers of their own
        check_crash_in_thread(folder, wanted)
    check_resume_line(folder, wanted)
    check_contract(folder, wanted)
    check_pixels(folder)
    check_input(folder, wanted)
    check_values(folder)
    check_hang(wanted)
    check_hanging_command(wanted)
    check_little_memory(folder, wanted)
    support.finish()


if __name__ == "__main__":
    main()
