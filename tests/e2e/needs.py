#!/usr/bin/env python3
"""What operations need of a machine: refused before anything is computed, unless --has says that it is there.

SPDX-License-Identifier: Apache-2.0
"""
import json

import _support as support
from _support import call, check, equal, say

SCRIPT = """import json
import shutil
import sys
call = json.load(open(sys.argv[-1]))
shutil.copy(call["inputs"]["table"]["path"], call["outputs"]["table"]["path"])
"""


def project(needs):
    folder = support.scratch() / "needs"
    (folder / "data").mkdir(parents=True)
    (folder / "data/a.csv").write_text("y\n3\n1\n", encoding="utf-8")
    (folder / "copy.py").write_text(SCRIPT, encoding="utf-8")
    (folder / "copy.json").write_text(json.dumps({
        "tessera_operation": 1, "name": "own.copy", "version": 1, "command": ["python3", "-I", "copy.py"],
        "files": ["copy.py"], "complete": True, "needs": needs,
        "inputs": {"table": {"type": "table"}}, "outputs": {"table": {"type": "table"}},
    }), encoding="utf-8")
    (folder / "workflow.json").write_text(json.dumps({
        "tessera": 1, "name": "needs", "operations": ["copy.json"], "inputs": {"table": {"type": "table"}},
        "parameters": {},
        "stages": [{"name": "s", "per": "file", "in": {"table": "table"}, "out": {"table": "copy.table"},
                    "tasks": [{"name": "copy", "op": "own.copy", "in": {"table": "table"}}]}],
    }), encoding="utf-8")
    return folder


def run(folder, *words, expect=0):
    return call("run", "workflow.json", "-C", folder, "--data", "data", "-o", "out", "--store", "store", *words,
                expect=expect)


def main():
    support.need_program()
    folder = project({"gpu": 1, "site": "a"})
    refused = run(folder, "-j", 2, expect=3)
    for words in ("error[T531]", "the operation 'own.copy' of the task 's.copy' needs gpu=1,site=a, but this run has cores=2",
                  "--has", "nothing was computed"):
        check(words in refused.stderr, f"no '{words}' in:\n{refused.stderr}")
    refused = run(folder, "--has", "gpu=1,site=b", expect=3)
    check("error[T531]" in refused.stderr and "site=b" in refused.stderr, refused.stderr)
    refused = run(folder, "--workers", 2, "--has", "gpu=1", expect=3)
    check("error[T531]" in refused.stderr, refused.stderr)
    wrong = run(folder, "--has", "gpu=1,colour=red", expect=3)
    check("'colour=red' in 'gpu=1,colour=red' does not say what a worker has" in wrong.stderr, wrong.stderr)
    say("refused without what is needed")

    run(folder, "--has", "gpu=1,site=a")
    equal((folder / "out/a/s.table.csv").read_text(encoding="utf-8").split(), ["file,y", "a,3", "a,1"],
          "the product")
    run(folder, "--has", "gpu=2,site=a", "--workers", 2, "--no-reuse", "-o", "out2")
    equal((folder / "out2/a/s.table.csv").read_bytes(), (folder / "out/a/s.table.csv").read_bytes(), "by workers")
    say("done with it")
    support.finish()


main()
