#!/usr/bin/env python3
"""A study that is killed takes its commands with it, and the next one removes the scratch folders they left.

SPDX-License-Identifier: Apache-2.0
test-timeout: 120
"""
import json
import os
import signal
import subprocess
import time

import _support as support
from _support import check, say

SCRIPT = """import json, os, sys, time
with open(os.environ["TMPDIR"] + "/../../started", "a") as file:
    file.write(f"{os.getpid()}\\n")
if os.path.exists(os.environ["TMPDIR"] + "/../../wait"):
    time.sleep(3600)
call = json.load(open(sys.argv[-1]))
with open(call["outputs"]["total"]["path"], "w") as file:
    file.write("y\\n1\\n")
"""
MANIFEST = {"tessera_operation": 1, "name": "slow.total", "version": 1, "command": ["python3", "-I", "slow.py"],
            "files": ["slow.py"], "inputs": {"table": {"type": "table"}}, "outputs": {"total": {"type": "table"}},
            "parameters": {}}
WORKFLOW = {"tessera": 1, "name": "slow", "operations": ["slow.json"], "inputs": {"table": {"type": "table"}},
            "parameters": {},
            "stages": [{"name": "sum", "per": "file", "in": {"table": "table"}, "out": {"total": "total.total"},
                        "tasks": [{"name": "total", "op": "slow.total", "in": {"table": "table"}}]}]}


def project():
    support.need_program()
    folder = support.scratch() / "project"
    (folder / "data").mkdir(parents=True)
    (folder / "tmp").mkdir()
    for name, value in (("north", 3), ("south", 5)):
        (folder / f"data/{name}.csv").write_text(f"y\n{value}\n", encoding="utf-8")
    (folder / "slow.py").write_text(SCRIPT, encoding="utf-8")
    (folder / "slow.json").write_text(json.dumps(MANIFEST), encoding="utf-8")
    (folder / "workflow.json").write_text(json.dumps(WORKFLOW), encoding="utf-8")
    return folder


def is_alive(process):
    """A zombie that nobody waits for is dead, too."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def words(folder, out, *more):
    return ["run", "workflow.json", "-C", str(folder), "--data", "data", "-o", out, "--progress=none", "--store", f"store-{out}", *more]


def scratch_folders(folder):
    return [path.name for path in (folder / "tmp").iterdir() if path.name.startswith("tessera-call")]


def check_kill(folder, title, expected, *more):
    """Workers notice that the study is gone and end in an orderly way; the study itself leaves scratch folders behind."""
    started, env = folder / "started", support.environment(TMPDIR=str(folder / "tmp"))
    started.unlink(missing_ok=True)
    (folder / "wait").touch()
    run = subprocess.Popen([support.PROGRAM, *words(folder, f"out-{title}", *more)], env=env,
                           stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    check(wait_until(lambda: started.exists() and len(started.read_text().split()) == 2), f"{title}: no command began")
    commands = [int(word) for word in started.read_text().split()]
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    if not check(wait_until(lambda: not any(map(is_alive, commands)), 5), f"{title}: commands go on without the study"):
        for process in filter(is_alive, commands):
            os.kill(process, signal.SIGKILL)
    wait_until(lambda: len(scratch_folders(folder)) == expected, 5)  # a worker removes them after its commands are dead
    left = scratch_folders(folder)
    check(len(left) == expected, f"{title}: {len(left)} scratch folders, not {expected}")
    (folder / "wait").unlink()
    support.call(*words(folder, f"out-{title}", "--resume"), env=env)
    left = scratch_folders(folder)
    check(not left, f"{title}: scratch folders are left: {left}")
    say(f"{title}: commands ended, scratch folders removed")


def main():
    folder = project()
    check_kill(folder, "threads", 2, "-j", "2")
    check_kill(folder, "workers", 0, "--workers", "2", "-j", "2")
    support.finish()


if __name__ == "__main__":
    main()
