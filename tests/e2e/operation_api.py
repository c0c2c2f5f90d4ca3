#!/usr/bin/env python3
"""Plugins of other headers, as a user meets them: a longer one of API 2 works, one of API 1 is refused with the page to read.

SPDX-License-Identifier: Apache-2.0
"""
import json
import subprocess

import _support as support
from _support import ROOT, call, call_json, check, equal

PLUGINS = ROOT / "tests/plugins"


def compile_plugin(source, target, *words):
    subprocess.run(["cc", "-std=gnu17", "-O1", "-fPIC", "-shared", "-Wl,--build-id", *words, "-o", target, source],
                   check=True)


def write_workflow(folder, plugin, task):
    (folder / "workflow.json").write_text(json.dumps({
        "tessera": 1, "name": "api", "operations": [plugin],
        "inputs": {"mask": {"type": "mask"}, "table": {"type": "table"}}, "parameters": {},
        "stages": [{"name": "s", "per": "file", "in": {"mask": "mask", "table": "table"}, "out": {"table": "t.table"},
                    "tasks": [task]}]}), encoding="utf-8")


def main():
    support.need_program()
    folder = support.scratch()
    (folder / "header").mkdir()
    subprocess.run([PLUGINS / "header/vary-header", "later", ROOT / "include/tessera_op.h",
                    folder / "header/tessera_op.h"], check=True)
    compile_plugin(PLUGINS / "header/grown.c", folder / "liblater.so", "-DLATER", f"-I{folder / 'header'}")
    task = {"name": "t", "op": "grown.both", "in": {"mask": "mask", "table": "table"}, "params": {"factor": {"value": 2}}}
    write_workflow(folder, "liblater.so", task)
    call("check", "workflow.json", "-C", folder)
    rows = {row["name"]: row for row in call_json("list", "workflow.json", "-C", folder)["operations"]}
    equal(rows["grown.both"]["needs"], {"cores": 2, "gang": 3}, "needs of a plugin with a longer header")
    equal(rows["grown.both"]["devices"], ["cpu", "cuda"], "devices of a plugin with a longer header")

    compile_plugin(PLUGINS / "api_1.c", folder / "libearlier.so", f"-I{ROOT / 'include'}")
    write_workflow(folder, "libearlier.so", task)
    run = call("check", "workflow.json", "-C", folder, expect=3)
    text = run.stdout + run.stderr
    check("libearlier.so' was written for operation API 1, this tessera has API 2" in text, f"no sentence: {text}")
    check("docs/plugins-from-api-1.md" in text, f"the page is not named: {text}")
    check((ROOT / "docs/plugins-from-api-1.md").exists(), "the page is not there")
    support.finish()


main()
