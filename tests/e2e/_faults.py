"""What the tests of faults share: a small study over the plugin tests/plugins/faulty.c, and small disks to run it on.

SPDX-License-Identifier: Apache-2.0
"""
import atexit
import json
import os
import shutil
import subprocess
import time

import _support as support
from _support import ROOT, call, check, equal

WORKFLOW = {
    "tessera": 1,
    "name": "faulty",
    "operations": ["libfaulty.so"],
    "inputs": {"table": {"type": "table"}},
    "parameters": {
        "factor": {"type": "real", "domain": [0, 100], "range": [1, 9], "default": 2},
        "weight": {"type": "real", "domain": [0, 100], "range": [0, 1], "default": 0.5},
    },
    "stages": [
        {"name": "make", "per": "file", "in": {"table": "table"},
         "out": {"mask": "paint.mask", "table": "make.table"},
         "tasks": [{"name": "make", "op": "faulty.make", "in": {"table": "table"}, "params": ["factor"]},
                   {"name": "paint", "op": "faulty.paint", "in": {"mask": "make.mask"}}]},
        {"name": "sum", "per": "file", "in": {"mask": "make.mask", "table": "make.table"},
         "out": {"table": "sum.table"},
         "tasks": [{"name": "sum", "op": "faulty.sum", "in": {"mask": "mask", "table": "table"},
                    "params": ["weight"]}]},
    ],
}
STUDY = {
    "tessera": 1,
    "name": "faulty",
    "workflow": "workflow.json",
    "data": {"files": ["data/*.csv"]},
    "method": {"name": "morris", "trajectories": 8, "levels": 4, "seed": 1},
    "outputs": ["sum.table:score"],
}


def project(**changes):
    """A project in a folder of its own; changes go into the study file."""
    support.need_program()
    folder = support.scratch() / "project"
    (folder / "data").mkdir(parents=True)
    for name, value in (("north", 3), ("south", 5)):
        (folder / f"data/{name}.csv").write_text(f"y\n{value}\n1\n", encoding="utf-8")
    subprocess.run(["cc", "-std=gnu17", "-O1", "-fPIC", "-shared", "-Wl,--build-id", f"-I{ROOT / 'include'}", "-o",
                    folder / "libfaulty.so", ROOT / "tests/plugins/faulty.c", "-lm"], check=True)
    (folder / "workflow.json").write_text(json.dumps(WORKFLOW), encoding="utf-8")
    (folder / "study.json").write_text(json.dumps({**STUDY, **changes}), encoding="utf-8")
    return folder


def add_command(folder, script):
    """Gives the workflow a third stage: a command that runs a Python script, in which {data} is the second file."""
    (folder / "shell.py").write_text(script.replace("{data}", str(folder / "data/south.csv")), encoding="utf-8")
    (folder / "shell.json").write_text(json.dumps({
        "tessera_operation": 1, "name": "shell.run", "version": 1, "numeric": "exact", "command": ["python3", "shell.py"],
        "files": ["shell.py"], "inputs": {"series": {"type": "table"}},
        "outputs": {"table": {"type": "table"}}}), encoding="utf-8")
    workflow = dict(WORKFLOW, operations=["libfaulty.so", "shell.json"])
    workflow["stages"] = [*WORKFLOW["stages"], {
        "name": "shell", "per": "file", "in": {"table": "table"}, "out": {"table": "run.table"},
        "tasks": [{"name": "run", "op": "shell.run", "in": {"series": "table"}}]}]
    (folder / "workflow.json").write_text(json.dumps(workflow), encoding="utf-8")


def study(folder, *words, fault=None, expect=0, store=".tessera", out="out", **options):
    """The study as a user runs it; `fault` is what the plugin is told."""
    env = options.pop("env", None) or support.environment(**({"FAULTY": fault} if fault else {}))
    return call("study", "-C", folder, "--store", store, "-o", out, "-j", 2, "--progress=none", *words, expect=expect,
                env=env, **options)


def start_at_gate(folder, store, out, env=None, words=(), gate="gate@9"):
    """A study that has done some tasks and waits in its ninth sum until the gate is opened; or in another one."""
    (folder / "gate").unlink(missing_ok=True)
    (folder / "waiting").unlink(missing_ok=True)
    env = {**(env or support.environment()), "FAULTY": gate, "FAULTY_GATE": str(folder / "gate"),
           "FAULTY_WAITING": str(folder / "waiting")}
    run = subprocess.Popen([support.PROGRAM, "study", "-C", str(folder), "--store", str(store), "-o", str(out),
                            "-j", "1", "--progress=json", *map(str, words)], env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                           text=True)
    while not (folder / "waiting").exists() and run.poll() is None:
        time.sleep(0.005)
    return run


def open_gate(folder):
    (folder / "gate").touch()


def results(folder, out="out"):
    path = folder / out / "results.csv"
    return path.read_bytes() if path.exists() else None


def calm(folder):
    """What the undisturbed study gives."""
    study(folder, store="calm-store", out="calm")
    return results(folder, "calm")


def says(run, what, *parts):
    """The message must have all these parts, and say what to do."""
    for part in (*parts, "help:"):
        check(part in run.stderr, f"{what}: {part!r} is not in the message:\n{run.stderr[-3000:]}")
    check("AddressSanitizer" not in run.stderr, f"{what}: a sanitizer complains\n{run.stderr[-3000:]}")


def status(folder, store=".tessera"):
    return call("status", "-C", folder, "--store", store).stdout


def mounted(folder, *words):
    """Mounts and unmounts at the end of the test; skips the test where that is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    run = subprocess.run(["mount", *words, str(folder)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        print(f"SKIP: cannot mount: {run.stderr.strip()}")
        raise SystemExit(77)
    atexit.register(subprocess.run, ["umount", "-l", str(folder)], check=False, stderr=subprocess.DEVNULL)
    return folder


def small_disk(folder, size):
    if os.geteuid() != 0:
        print("SKIP: only root can mount a small disk")
        raise SystemExit(77)
    return mounted(folder, "-t", "tmpfs", "-o", f"size={size}", "tmpfs")


def same(folder, wanted, what, out="out"):
    equal(results(folder, out) == wanted and wanted is not None, True, f"{what}: results.csv as in the undisturbed run")


def copy_store(folder, source, target):
    shutil.rmtree(folder / target, ignore_errors=True)
    shutil.copytree(folder / source, folder / target)
