#!/usr/bin/env python3
"""An operation that fails has the same error, text, help and exit code by threads and by worker processes.

SPDX-License-Identifier: Apache-2.0
test-label: slow
test-label: threads-elsewhere (e2e.workers, e2e.saboteurs)
test-timeout: 180
"""
import json
import re

import _faults as faults
import _support as support
from _support import call, call_json, check, equal, say

WAYS = {"threads": ("-j", 2), "workers": ("--workers", 2)}
# What FAULTY does to the plugin (None: the project itself is wrong): the error's number and a part of its text.
PLUGIN = {"refuse": (501, "operation 'faulty.sum' failed: the weight is too heavy"),
          "nothing": (502, "operation 'faulty.sum' did not make its output 'table'"),
          "patient": (501, "operation 'faulty.sum' took longer than 0.4 s and was stopped: no end in sight"),
          "memory": (511, "running operation 'faulty.sum': no memory for a buffer of 8796093022208 bytes")}
ENDS = {"crash": (505, "operation 'faulty.sum' crashed (segmentation fault) in task 'sum.sum'"),
        "hang": (506, "operation 'faulty.sum' did not end within 0.4 s in task 'sum.sum'")}
CHANGE = """import json, sys
open('{data}', 'a').write('9\\n')
call = json.load(open(sys.argv[1]))
open(call['outputs']['table']['path'], 'w').write('y\\n1\\n')
"""
COMMANDS = {"exit": (504, "command 'shell.run' ended with exit status 3", "import sys\nprint('no licence')\nsys.exit(3)\n"),
            "sleep": (504, "command 'shell.run' took longer than 0.4 s and was stopped", "import time\ntime.sleep(600)\n"),
            "change": (405, "changed while", CHANGE)}


def errors(run):
    """Every message on stderr from `error[` to the next empty line; run ids and folders of processes are left out."""
    found = re.findall(r"^error\[T\d+\]:(?:.|\n(?!\n))*", run.stderr, re.MULTILINE)
    return sorted({re.sub(r"(log|--resume|--store) \S+", r"\1 X", text.rstrip()) for text in found})


def compare(folder, name, code, text, exit_code, env=None):
    """The terminal by both ways; returns what was said."""
    said = {}
    for way, words in WAYS.items():
        run = call("run", "-C", folder, "--store", f"store-{name}-{way}", "-o", f"out-{name}-{way}", "--progress=none",
                   *words, env=env, expect=exit_code, timeout=100)
        said[way] = errors(run)
        check(any(f"error[T{code}]" in message and text in " ".join(message.split()) for message in said[way]),
              f"{name} by {way}: T{code} and {text!r} are not in\n{run.stderr[-2000:]}")
    equal(said["workers"], said["threads"], f"{name}: what is said with workers, and by threads")
    say(f"{name}: T{code}, exit {exit_code}")


def compare_rows(folder, name, code, text, env):
    """The reply, the log and the status of a run with failed tasks."""
    rows = {}
    for way, words in WAYS.items():
        store = f"store-rows-{name}-{way}"
        reply = call_json("run", "-C", folder, "--store", store, "-o", f"out-rows-{name}-{way}", *words, env=env, expect=1)
        failed = reply.get("failed", [])
        rows[way] = sorted((row["task"], row["file"], row["code"], row["text"], row["help"]) for row in failed)
        equal({row["code"] for row in failed}, {code}, f"{name} by {way}: codes in the reply")
        check(all(text in row["text"] and row["message"].startswith(row["text"]) for row in failed),
              f"{name} by {way}: texts in the reply: {failed}")
        log = call_json("log", "-C", folder, "--store", store, reply["run"])["tasks"]
        equal(sorted((row["task"], row["code"], row["text"], row["help"], row["message"]) for row in log),
              sorted((row["task"], row["code"], row["text"], row["help"], row["message"]) for row in failed),
              f"{name} by {way}: the log")
        detail = call_json("status", "-C", folder, "--store", store, reply["run"])["detail"]["by_task"]
        equal({key: value for row in detail for key, value in row.get("codes", {}).items()}, {f"T{code}": len(failed)},
              f"{name} by {way}: codes in the status")
    equal(rows["workers"], rows["threads"], f"{name}: failed tasks with workers, and by threads")


def main():
    hasty, folder = faults.project(task_limit_s=0.4), faults.project()
    for name, (code, text) in PLUGIN.items():
        if not support.SANITIZED or name != "memory":  # the sanitizers end the process
            compare(hasty if name == "patient" else folder, name, code, text, 1, support.environment(FAULTY=name))
    compare_rows(folder, "refuse", *PLUGIN["refuse"], support.environment(FAULTY="refuse"))
    for name, (code, text) in ENDS.items():
        if not support.SANITIZED or name == "hang":
            compare(hasty if name == "hang" else folder, name, code, text, 1, support.environment(FAULTY=name))
    for name, (code, text, script) in COMMANDS.items():
        place = hasty if name == "sleep" else folder
        faults.add_command(place, script)
        compare(place, name, code, text, 3 if code == 405 else 1)
    faults.add_command(folder, COMMANDS["exit"][2])
    compare_rows(folder, "exit", 504, COMMANDS["exit"][1], None)
    (folder / "data/south.csv").write_text("y\nno number\n", encoding="utf-8")
    (folder / "workflow.json").write_text(json.dumps(faults.WORKFLOW), encoding="utf-8")
    compare(folder, "content", 111, "no number", 1)
    (folder / "data/south.csv").unlink()
    (folder / "data/south.csv").symlink_to("nowhere.csv")
    compare(folder, "missing", 101, "south.csv", 3)
    support.finish()


if __name__ == "__main__":
    main()
