#!/usr/bin/env python3
"""Operations that leave the thread or the process in another state, or end it: one results.csv, or the named failure.

Guards invariant 15.
SPDX-License-Identifier: Apache-2.0
test-timeout: 240
"""
import json
import os
import subprocess

import _support as support
from _support import ROOT, check, equal, say

WORKFLOW = {
    "tessera": 1,
    "name": "sabotage",
    "operations": ["libsaboteurs.so"],
    "inputs": {"table": {"type": "table"}},
    "parameters": {
        "shift": {"type": "real", "domain": [0, 100], "range": [1, 9], "default": 2},
        "weight": {"type": "real", "domain": [0, 100], "range": [0, 1], "default": 0.5},
    },
    "stages": [
        {"name": "disturb", "per": "file", "in": {"table": "table"}, "out": {"table": "disturb.table"},
         "tasks": [{"name": "disturb", "op": "sab.disturb", "in": {"table": "table"}, "params": ["shift"]}]},
        {"name": "after", "per": "file", "in": {"table": "disturb.table"}, "out": {"table": "after.table"},
         "tasks": [{"name": "after", "op": "sab.measure", "in": {"table": "table"}, "params": ["weight"]}]},
        {"name": "beside", "per": "file", "in": {"table": "table"}, "out": {"table": "beside.table"},
         "tasks": [{"name": "beside", "op": "sab.measure", "in": {"table": "table"}, "params": ["weight"]}]},
    ],
}
STUDY = {
    "tessera": 1,
    "name": "sabotage",
    "workflow": "workflow.json",
    "data": {"files": ["data/*.csv"]},
    "method": {"name": "lhs", "samples": 12, "seed": 1},
    "outputs": ["after.table:score", "beside.table:score"],
}
AGAIN = ("-j2", "--workers 2")  # whose stores are looked at
SETTINGS = {"-j1": ("-j", 1), "-j2": ("-j", 2), "--workers 2": ("--workers", 2, "-j", 2),
            "--no-reuse -j1": ("--no-reuse", "-j", 1), "--no-reuse -j2": ("--no-reuse", "-j", 2)}
if support.SANITIZED:  # which find the same in fewer settings
    SETTINGS = {title: SETTINGS[title] for title in ("-j1", *AGAIN)}
THREAD = ("rounding", "flush", "traps", "signals", "uselocale")
PROCESS = {"folder": "the current folder (to '/')", "setenv": "the environment (variable 'SAB_TOKEN')",
           "putenv": "the environment (variable 'SAB_TOKEN')",
           "setlocale": "the locale (LC_"}
ENDS = {"exit": ("T508", "ended the process (it called exit)"),
        "_exit": ("T508", "ended the process (it called _exit)"),
        "quick_exit": ("T508", "ended the process (it called quick_exit)"),
        "pthread_exit": ("T508", "ended its thread (it called pthread_exit)"),
        "abort": ("T505", "crashed (it called abort)")}


def project():
    support.need_program()
    folder = support.scratch() / "project"
    (folder / "data").mkdir(parents=True)
    for name, value in (("north", 3), ("south", 5), ("west", 7)):
        (folder / f"data/{name}.csv").write_text(f"y\n{value}\n", encoding="utf-8")
    (folder / "token.txt").write_text("4\n", encoding="utf-8")
    subprocess.run(["cc", "-std=gnu17", "-O1", "-fPIC", "-shared", "-Wl,--build-id", f"-I{ROOT / 'include'}", "-o",
                    folder / "libsaboteurs.so", ROOT / "tests/plugins/saboteurs.c", "-lm"], check=True)
    (folder / "workflow.json").write_text(json.dumps(WORKFLOW), encoding="utf-8")
    (folder / "study.json").write_text(json.dumps(STUDY), encoding="utf-8")
    return folder


def study(folder, store, out, *words, expect=0, **sabotage):
    """As a user runs it, in the project's folder and with relative names."""
    env = support.environment(SAB_TOKEN="5", **sabotage)
    return support.call("study", "--store", store, "-o", out, "--progress=none", *words, cwd=folder, env=env,
                        expect=expect, timeout=60)


def results(folder, out):
    path = folder / out / "results.csv"
    return path.read_bytes() if path.exists() else None


def column(folder, out, name):
    return [row[name] for row in support.read_csv(folder / out / "results.csv")]


def check_store(folder, store, title, wanted):
    """What a disturbed study left there, used by one without a saboteur."""
    if title.split(", ")[1] in AGAIN:
        study(folder, store, f"{store}-again", "-j", 2)
        check(results(folder, f"{store}-again") == wanted, f"{title}: wrong products in the store")


def check_thread(folder, kind, wanted):
    """Nobody notices what another operation did to the thread; what is stored is right, too."""
    for number, (title, words) in enumerate(SETTINGS.items()):
        store, out = f"store-{kind}-{number}", f"out-{kind}-{number}"
        study(folder, store, out, *words, SABOTEUR=kind)
        check(results(folder, out) == wanted, f"{kind}, {title}: other results than without a saboteur")
        check_store(folder, store, f"{kind}, {title}", wanted)
    say(f"{kind}: done in all settings")


def settings_of(kind):
    """The thread sanitizer does not see the lock within setlocale, and setenv beside getenv is a race indeed."""
    alone = kind != "folder" and os.environ.get("TESSERA_SANITIZE") == "thread"
    return {title: words for title, words in SETTINGS.items() if not alone or title.endswith("-j1")}


def check_process(folder, kind, wanted):
    """The operation is named, its tasks fail and no others; the store holds nothing that was made meanwhile."""
    seen = set()
    for number, (title, words) in enumerate(settings_of(kind).items()):
        store, out = f"store-{kind}-{number}", f"out-{kind}-{number}"
        run = study(folder, store, out, *words, SABOTEUR=kind, expect=1)
        for part in ("error[T507]: task disturb/", "operation 'sab.disturb' with shift=", f"changed {PROCESS[kind]}",
                     "help:"):
            check(part in run.stderr, f"{kind}, {title}: {part!r} is not in the message:\n{run.stderr[-2000:]}")
        check("sab.measure" not in run.stderr, f"{kind}, {title}: a victim is blamed\n{run.stderr[-2000:]}")
        seen.add(results(folder, out))
        equal(column(folder, out, "beside.table:score"), column(folder, "calm", "beside.table:score"),
              f"{kind}, {title}: results that do not need the saboteur")
        equal(set(column(folder, out, "after.table:score")), {""}, f"{kind}, {title}: results that need it")
        check_store(folder, store, f"{kind}, {title}", wanted)
    equal(len(seen), 1, f"{kind}: how many different results.csv")
    say(f"{kind}: done in all settings")


def check_outputs(folder):
    """Files of a run are written where they belong while an operation in another thread is somewhere else."""
    env = support.environment(SAB_TOKEN="5", SABOTEUR="folder")
    run = support.call("run", "workflow.json", "--data", "data", "-o", "here/out", "-j", 2, "--store", "store-outputs",
                       "--progress=none", cwd=folder, env=env, expect=1, timeout=60)
    check("error[T507]" in run.stderr, f"run: {run.stderr[-1000:]}")
    found = sorted(path.name for path in (folder / "here/out").rglob("*.csv"))
    equal(found, ["beside.table.csv"] * 3, "files of a run beside a change of folder")


def check_end(folder, kind, wanted):
    """Named, exit 1, and the run goes on; with workers only what the one was doing is lost."""
    code, text = ENDS[kind]
    store, out = f"store-{kind}", f"out-{kind}"
    run = study(folder, store, out, "-j", 2, SABOTEUR=kind, SABOTEUR_ONCE=str(folder / f"once-{kind}"), expect=1)
    for part in (f"error[{code}]", f"operation 'sab.disturb' {text} in task 'disturb.disturb'", "with shift=",
                 "libsaboteurs.so", "help:", "--resume"):
        check(part in run.stderr, f"{kind}: {part!r} is not in the message:\n{run.stderr[-2000:]}")
    check(results(folder, out) is None, f"{kind}: results of a study that did not end")
    study(folder, store, out, "--resume", "-j", 2)
    check(results(folder, out) == wanted, f"{kind}: other results when continued")
    say(f"{kind}: named and continued")


def check_end_of_workers(folder, kind, wanted):
    """One of them costs a bucket at most; three in a row end the study."""
    code, store, out = ENDS[kind][0], f"store-{kind}", f"out-{kind}"
    study(folder, f"{store}-w", f"{out}-w", "--workers", 2, SABOTEUR=kind, SABOTEUR_ONCE=str(folder / f"once-{kind}-w"))
    check(results(folder, f"{out}-w") == wanted, f"{kind}: other results after a worker was ended")
    run = study(folder, f"{store}-x", f"{out}-x", "--workers", 2, SABOTEUR=kind, expect=1)
    for part in (f"error[{code}]", "operation 'sab.disturb'"):
        check(part in run.stderr, f"{kind} in every worker: {part!r} is not in the message:\n{run.stderr[-2000:]}")
    study(folder, f"{store}-x", f"{out}-x", "--resume")
    check(results(folder, f"{out}-x") == wanted, f"{kind}: other results when continued without workers")
    say(f"{kind}: survived by workers")


def check_end_elsewhere(folder):
    """A thread that the operation started cannot be told from others, but the program never ends with 0."""
    run = study(folder, "store-elsewhere", "out-elsewhere", "-j", 2, SABOTEUR="exit-elsewhere",
                SABOTEUR_ONCE=str(folder / "once-elsewhere"), expect=1)
    for part in ("error[T508]", "ended the process (it called exit)", "in a thread of one", "--resume"):
        check(part in run.stderr, f"exit in a thread: {part!r} is not in the message:\n{run.stderr[-2000:]}")


def main():
    folder = project()
    study(folder, "calm-store", "calm", "-j", 1)
    wanted = results(folder, "calm")
    equal(wanted is not None and wanted.count(b"\n"), 13, "lines of the undisturbed results")
    for kind in THREAD:
        check_thread(folder, kind, wanted)
    for kind in PROCESS:
        check_process(folder, kind, wanted)
    check_outputs(folder)
    for kind in ENDS:
        if not (support.SANITIZED and kind in ("_exit", "abort")):  # which sanitizers catch themselves
            check_end(folder, kind, wanted)
    check_end_of_workers(folder, "exit", wanted)
    check_end_of_workers(folder, "pthread_exit", wanted)
    if not support.SANITIZED:  # two threads at once are seen by the program's own exit, which those have not
        run = study(folder, "store-both", "out-both", "-j", 2, SABOTEUR="exit", expect=1)
        check("error[T508]" in run.stderr, f"exit in two threads: {run.stderr}")
    check_end_elsewhere(folder)
    support.finish()


if __name__ == "__main__":
    main()
