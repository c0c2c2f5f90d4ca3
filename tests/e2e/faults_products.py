#!/usr/bin/env python3
"""Products that are damaged in the store, as files or in the database: found by their digest, computed again.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (unit.store.damage, e2e.faults_store)
test-timeout: 180
"""
import os
import sqlite3

import _faults as faults
import _support as support
from _faults import results, same, study
from _support import call, check, say

SEED = ("--seed", "2")  # a second study that needs products of the first


def products(folder, store):
    return sorted(path for path in (folder / store / "objects").glob("??/*") if path.is_file())


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def pipe(path):
    """In the place of the file: whoever opens it without care waits for ever."""
    path.unlink()
    os.mkfifo(path)


def flip_inline(store, change):
    """Changes every product that lies in the database itself."""
    with sqlite3.connect(store / "store.db") as database:
        rows = database.execute("SELECT number, packed FROM product WHERE packed IS NOT NULL").fetchall()
        for number, packed in rows:
            database.execute("UPDATE product SET packed = ? WHERE number = ?", (change(packed), number))
    database.close()
    return len(rows)


def check_damage(folder):
    """Damaged products are found by their digest and computed again: files of a run and numbers of a study agree."""
    study(folder, store="whole")
    study(folder, *SEED, store="fresh", out="out-fresh")
    call("run", "-C", folder, "--store", "fresh-run", "-o", "run-fresh", "--progress=none")
    wanted, files = results(folder, "out-fresh"), support.results_below(folder / "run-fresh")
    check(len(files) >= 6, f"the run wrote {sorted(files)}")
    damages = {
        "flipped": lambda store: [flip(path) for path in products(folder, store)],
        "truncated": lambda store: [os.truncate(path, path.stat().st_size // 2) for path in products(folder, store)],
        "emptied": lambda store: [os.truncate(path, 0) for path in products(folder, store)],
        "removed": lambda store: [path.unlink() for path in products(folder, store)],
        "pipes": lambda store: [pipe(path) for path in products(folder, store)],
        "exchanged": lambda store: swap(products(folder, store)),
        "inline-flipped": lambda store: flip_inline(folder / store, flipped),
        "inline-cut": lambda store: flip_inline(folder / store, lambda packed: packed[:len(packed) // 2]),
    }
    for name, damage in damages.items():
        faults.copy_store(folder, "whole", name)
        count = damage(name)
        count = count if isinstance(count, int) else len(count)
        check(count > 0, f"{name}: nothing was there to be damaged")
        study(folder, *SEED, store=name, out=f"out-{name}")
        same(folder, wanted, name, f"out-{name}")
        call("run", "-C", folder, "--store", name, "-o", f"run-{name}", "--progress=none")
        check(support.results_below(folder / f"run-{name}") == files, f"{name}: a run wrote other files")
        call("run", "-C", folder, "--store", name, "-o", f"run2-{name}", "--progress=none")
        check(support.results_below(folder / f"run2-{name}") == files, f"{name}: the store was not mended")
        say(f"{name}: {count} products damaged, results equal")


def flipped(packed):
    changed = bytearray(packed)
    changed[len(changed) // 2] ^= 0x10
    return bytes(changed)


def swap(paths):
    """Whole files of another product of the same store, which only the digest can tell."""
    first, rest = paths[0].read_bytes(), paths[1:]
    for path, other in zip(paths, rest):
        path.write_bytes(other.read_bytes())
    paths[-1].write_bytes(first)
    return paths


def main():
    check_damage(faults.project())
    support.finish()


if __name__ == "__main__":
    main()
