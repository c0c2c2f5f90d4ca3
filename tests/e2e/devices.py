#!/usr/bin/env python3
"""Variants by device in a run: forced by TESSERA_DEVICE, under the same keys, and compared by TESSERA_VERIFY.

SPDX-License-Identifier: Apache-2.0
"""
import json
import subprocess

import _support as support
from _support import ROOT, call, call_json, check, equal, say


def project(operation):
    folder = support.scratch() / operation
    (folder / "data").mkdir(parents=True)
    (folder / "data/a.csv").write_text("y\n3\n1\n", encoding="utf-8")
    subprocess.run(["cc", "-std=gnu17", "-O1", "-fPIC", "-shared", "-Wl,--build-id", f"-I{ROOT / 'include'}", "-o",
                    folder / "libvariants.so", ROOT / "tests/plugins/variants.c"], check=True)
    (folder / "workflow.json").write_text(json.dumps({
        "tessera": 1, "name": "devices", "operations": ["libvariants.so"], "inputs": {"table": {"type": "table"}},
        "parameters": {},
        "stages": [{"name": "s", "per": "file", "in": {"table": "table"}, "out": {"table": "scale.table"},
                    "tasks": [{"name": "scale", "op": f"variants.{operation}", "in": {"table": "table"}}]}],
    }), encoding="utf-8")
    return folder


def run(folder, out, store, expect=0, **variables):
    log = folder / f"log-{out}"
    log.write_text("", encoding="utf-8")
    done = call("run", "workflow.json", "-C", folder, "--data", "data", "-o", out, "--store", store, expect=expect,
                env={**variables, "VARIANTS_LOG": str(log)})
    return done, log.read_text(encoding="utf-8")


def products(folder, out):
    return {path.name: path.read_bytes() for path in (folder / out).rglob("*.csv")}


def main():
    support.need_program()
    folder = project("right")
    _, letters = run(folder, "plain", "store-1")
    equal(letters, "c", "calls without TESSERA_DEVICE")
    _, letters = run(folder, "forced", "store-2", TESSERA_DEVICE="cuda")
    equal(letters, "g", "calls with TESSERA_DEVICE=cuda")
    check(products(folder, "plain"), "no product was written")
    equal(products(folder, "forced"), products(folder, "plain"), "products of the variant")
    _, letters = run(folder, "again", "store-1", TESSERA_DEVICE="cuda")
    equal(letters, "", "the variant has the key of the operation: nothing is computed again")
    _, letters = run(folder, "verified", "store-3", TESSERA_DEVICE="cuda", TESSERA_VERIFY="1")
    equal(letters, "gc", "calls of a verified variant")
    done, letters = run(folder, "nonsense", "store-4", TESSERA_DEVICE="abacus")
    equal(letters, "c", "calls with a device that does not exist")
    check("TESSERA_DEVICE is 'abacus'" in done.stderr, f"no warning: {done.stderr}")
    devices = {row["name"]: row["devices"] for row in call_json("list", "workflow.json", "-C", folder)["operations"]}
    equal(devices["variants.right"], ["cpu", "later", "cuda"], "devices of variants.right")
    equal(devices["variants.plain"], ["cpu"], "devices of variants.plain")

    folder = project("liar")
    done, _ = run(folder, "lie", "store-1", expect=1, TESSERA_DEVICE="cuda", TESSERA_VERIFY="1")
    text = done.stdout + done.stderr
    check("made a different output 'table' on 'cuda' than on 'cpu'" in text, f"the lie was not found: {text}")
    say("a variant runs where it is forced to, shares its key, and is found out where it lies")
    support.finish()


main()
