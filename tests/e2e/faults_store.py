#!/usr/bin/env python3
"""Stores with a foreign or torn database, in use, in a wrong place or gone: told, nothing lost, same results.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import os
import shutil
import sqlite3
import time

import _faults as faults
import _support as support
from _faults import results, same, says, study
from _support import call, check, equal, say


def check_database(folder, wanted):
    """Databases that are foreign, no databases, or torn: exit 5, a way out, and the file is left as it was."""
    def foreign(path):
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE dogs(name TEXT)")
        database.close()

    def newer(path):
        shutil.copy(folder / "whole/store.db", path)
        with sqlite3.connect(path) as database:
            database.execute("UPDATE meta SET value = '999' WHERE name = 'schema'")
        database.close()

    def torn(path):
        data = bytearray((folder / "whole/store.db").read_bytes())
        data[200:] = os.urandom(len(data) - 200)
        path.write_bytes(data)

    def cut(path):
        path.write_bytes((folder / "whole/store.db").read_bytes()[:5000])

    makers = {"foreign": foreign, "newer": newer, "torn": torn, "cut": cut,
              "text": lambda path: path.write_text("this is no database at all\n" * 500, encoding="utf-8"),
              "folder": lambda path: path.mkdir()}
    for name, make in makers.items():
        store = folder / f"database-{name}"
        store.mkdir()
        make(store / "store.db")
        before = (store / "store.db").read_bytes() if name != "folder" else b""
        run = study(folder, store=store.name, out=f"out-{name}", expect=5)
        says(run, f"database {name}", "error[T6", store.name)
        check(name == "folder" or (store / "store.db").read_bytes() == before, f"database {name} was changed")
        say(f"database {name}: {run.stderr.splitlines()[0][:160]}")
        shutil.move(store, f"{store}.away")
        study(folder, store=store.name, out=f"out-{name}")
        same(folder, wanted, f"after database {name} was moved away", f"out-{name}")


def check_torn_middle(folder, wanted):
    """Pages lost behind the first ones are seen when they are read: an error or the right results, never others."""
    size = (folder / "whole/store.db").stat().st_size
    for at in range(4096, size, max(4096, size // 4096 // 12 * 4096)):
        faults.copy_store(folder, "whole", "holes")
        data = bytearray((folder / "holes/store.db").read_bytes())
        data[at:at + 4096] = bytes(4096)
        (folder / "holes/store.db").write_bytes(data)
        shutil.rmtree(folder / "out-holes", ignore_errors=True)
        run = study(folder, store="holes", out="out-holes", expect=None)
        check(run.returncode in (0, 5), f"page {at // 4096} lost: exit {run.returncode}\n{run.stderr}")
        if run.returncode == 5:
            says(run, f"page {at // 4096} lost", "error[T6")
        if results(folder, "out-holes") is not None:
            same(folder, wanted, f"page {at // 4096} lost", "out-holes")


def check_two(folder, wanted):
    """The second study is told who writes, and the first goes on unharmed."""
    first = faults.start_at_gate(folder, "shared", "out-first")
    second = study(folder, store="shared", out="out-second", expect=5)
    says(second, "two studies", "error[T602]", f"process {first.pid}")
    check(results(folder, "out-second") is None, "two studies: the second wrote results")
    check(call("status", "-C", folder, "--store", "shared").returncode == 0, "status while a study runs")
    faults.open_gate(folder)
    first.stderr.read()
    equal(first.wait(60), 0, "exit of the first study")
    same(folder, wanted, "two studies", "out-first")
    study(folder, store="shared", out="out-second")
    same(folder, wanted, "two studies, one after the other", "out-second")


def check_places(folder, wanted):
    """A store that is a file, below a file, or in a read-only place."""
    (folder / "occupied").write_text("not a folder", encoding="utf-8")
    for store in ("occupied", "occupied/below"):
        run = study(folder, store=store, out="out-occupied", expect=None)
        check(run.returncode in (3, 5), f"{store}: exit {run.returncode}")
        says(run, store, "error[T", "occupied")
    run = study(folder, store="/proc/tessera-store", out="out-proc", expect=None)
    check(run.returncode in (3, 5), f"/proc: exit {run.returncode}")
    says(run, "a store in /proc", "error[T")
    (folder / "out-file").write_text("not a folder", encoding="utf-8")
    run = study(folder, store="store-out", out="out-file", expect=3)
    says(run, "an output folder that is a file", "error[T316]", "out-file")
    study(folder, store="store-out", out="out-other")
    same(folder, wanted, "an output folder that is a file", "out-other")


def check_vanished(folder, wanted):
    """The store is taken away while the study runs: the results of the study are written, and the loss is told."""
    for name, words in (("removed", ()), ("replaced", ()), ("removed-shared", ("--workers", 2)),
                        ("removed-stages", ("--workers", 2, "--merge", "rtma"))):
        store, out = folder / f"vanishing-{name}", f"out-vanishing-{name}"
        run = faults.start_at_gate(folder, store.name, out, words=words)
        shutil.move(store, f"{store}.away")
        if name == "replaced":
            store.write_text("a file", encoding="utf-8")
        faults.open_gate(folder)
        text = run.stderr.read()
        run.wait(60)
        say(f"{name}: exit {run.returncode}: {[line for line in text.splitlines() if line.startswith('error')][:1]}")
        equal(run.returncode, 5, f"{name}: exit\n{text[-2000:]}\n")
        check("error[T601]" in text and "was removed or replaced while it was in use" in text and "help:" in text,
              f"{name}: what is said:\n{text[-2000:]}")
        same(folder, wanted, f"store {name}", out)
        if store.is_file():
            store.unlink()
        study(folder, store=store.name, out=f"{out}-again")
        same(folder, wanted, f"store {name}, again", f"{out}-again")
        shutil.rmtree(store)
        shutil.move(f"{store}.away", store)  # the old one is whole, as far as it was written
        study(folder, "--resume", store=store.name, out=f"{out}-back")
        same(folder, wanted, f"store {name} and put back", f"{out}-back")


def main():
    folder = faults.project()
    wanted = faults.calm(folder)
    study(folder, store="whole")
    for part in (lambda: check_database(folder, wanted), lambda: check_torn_middle(folder, wanted),
                 lambda: check_two(folder, wanted), lambda: check_places(folder, wanted),
                 lambda: check_vanished(folder, wanted)):
        start = time.monotonic()
        part()
        say(f"  {time.monotonic() - start:.1f} s")
    support.finish()


if __name__ == "__main__":
    main()
