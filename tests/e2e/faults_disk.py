#!/usr/bin/env python3
"""Disks that are full or read-only, for the store and for the results: told, and continued once there is space.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import os
import shutil
import sqlite3
import subprocess
import time

import _faults as faults
import _support as support
from _faults import results, same, says, study
from _support import check, equal, say

# Files whose tasks are shared out; a file for a worker; buckets of stages, which pass products on through the store.
WORKERS = {"shared": ("--workers", 2), "whole": ("--workers", 1), "stages": ("--workers", 2, "--merge", "rtma")}


def fill(folder, leave):
    """Fills a disk up to so many bytes."""
    with open(folder / "filler", "wb") as file:
        while (free := shutil.disk_usage(folder).free) > leave:
            try:
                os.posix_fallocate(file.fileno(), file.tell(), free - leave)
            except OSError:  # somebody took some of it meanwhile
                continue
            file.seek(0, os.SEEK_END)


def check_full_store(folder, wanted, name, leaves, *words):
    """Whatever space is left: results or a clear error, and with space the run is continued."""
    for index, leave in enumerate(leaves):
        disk = faults.small_disk(folder.parent / f"disk-{name}{index}", "8m" if words else "3m")
        fill(disk, leave)
        out = f"out-{name}{index}"
        run = study(folder, *words, store=disk / "store", out=out, expect=None)
        say(f"{name}, {leave} bytes left for the store: exit {run.returncode}: {(run.stderr.splitlines() or [''])[0][:150]}")
        check(run.returncode in (0, 5), f"{leave} bytes left: exit {run.returncode}\n{run.stderr}")
        if run.returncode == 5:
            says(run, f"{leave} bytes left", "error[T", "help:")
            check("space" in run.stderr, f"{leave} bytes left: space is not named\n{run.stderr}")
        if leave >= 600000 or results(folder, out) is not None:  # so much is enough for a store without products
            same(folder, wanted, f"{leave} bytes left", out)
        check((disk / "filler").exists() or run.returncode == 0, "the disk was never full")
        (disk / "filler").unlink(missing_ok=True)
        again = study(folder, "--resume", store=disk / "store", out=out, expect=None)
        if again.returncode != 0:  # the run was not even recorded, or was finished
            study(folder, *words, store=disk / "store", out=out)
        same(folder, wanted, f"{leave} bytes left, continued", out)


def check_full_output(folder, wanted):
    disk = faults.small_disk(folder.parent / "disk-out", "1m")
    fill(disk, 4096)
    run = study(folder, store="store-out", out=disk / "out", expect=5)
    says(run, "full output", "error[T102]", str(disk))
    check("space" in run.stderr.lower(), f"full output: space is not named\n{run.stderr}")
    shutil.rmtree(disk / "out")
    fill(disk, 4096)
    run = study(folder, store="memory", out=disk / "out", expect=5)
    check("factor" in run.stdout, f"full output, nothing kept: the answer is not printed\n{run.stdout}")
    check("Report:" not in run.stdout, f"full output: a report is named that is not there\n{run.stdout}")
    (disk / "filler").unlink()
    study(folder, "--resume", store="store-out", out=disk / "out")
    check((disk / "out/results.csv").read_bytes() == wanted, "full output, continued: other results")
    left = [path.name for path in (disk / "out").iterdir() if "tmp" in path.name or path.name.startswith(".")]
    check(not left, f"full output: left behind {left}")
    fill(disk, 4096)
    run = support.call("run", "-C", folder, "--store", "store-out", "-o", disk / "run", "--progress=none", expect=5)
    says(run, "full output of a run", "error[T")
    equal(run.stderr.count("error["), 1, f"full output of a run: faults\n{run.stderr}")


def check_read_only(folder, wanted):
    """Root may write where the permissions say no, so the disk itself is made read-only."""
    disk = faults.small_disk(folder.parent / "disk-ro", "4m")
    study(folder, store=disk / "store", out="out-ro")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    run = study(folder, "--seed", "2", store=disk / "store", out="out-ro2", expect=5)
    says(run, "read-only store", "error[T6", str(disk))
    run = study(folder, store=disk / "new", out="out-ro2", expect=5)
    says(run, "no place for a new store", "error[T", str(disk))
    support.call("status", "-C", folder, "--store", disk / "store")
    run = study(folder, store="store-ro-out", out=disk / "out", expect=3)
    says(run, "read-only output", "error[T316]", str(disk))
    runs = support.call_json("status", "-C", folder, "--store", "store-ro-out")["runs"]
    equal(runs, [], "read-only output: runs that were recorded")
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    study(folder, store=disk / "store", out="out-ro")
    same(folder, wanted, "a store that was read-only for a while", "out-ro")


def wait_for_records(store):
    """What is finished is written a moment later."""
    deadline = time.monotonic() + 20
    database = sqlite3.connect(f"file:{store}/store.db?mode=ro", uri=True)
    while database.execute("SELECT count(*) FROM record").fetchone()[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.005)
    database.close()


def check_full_meanwhile(folder, wanted, name, *words):
    """The disk is filled by somebody else while the study runs: its results are there all the same."""
    disk = faults.small_disk(folder.parent / f"disk-{name}", "8m")
    other = faults.mounted(folder.parent / f"bound-{name}", "--bind", str(disk))
    out = f"out-{name}"
    run = faults.start_at_gate(folder, other / "store", out, words=words)
    wait_for_records(other / "store")
    fill(disk, 0)
    faults.open_gate(folder)
    text = run.stderr.read()
    check(run.wait(60) == 5, f"{name}: exit {run.returncode}\n{text[-2000:]}")
    check("error[T601]" in text and "space" in text, f"{name}: what is said\n{text[-2000:]}")
    same(folder, wanted, name, out)
    check(not list((other / "store").rglob("*.tmp*")), f"{name}: something half written is left")
    check("interrupted" in faults.status(folder, other / "store"), f"{name}: the run is not told as interrupted")
    (disk / "filler").unlink()
    again = support.call_json("study", "-C", folder, "--resume", "--store", other / "store", "-o", out)
    check(again["reuse"]["store"] > 0, f"{name}: nothing was kept from before the disk was full")
    same(folder, wanted, f"{name}, continued", out)
    again = support.call_json("study", "-C", folder, *words, "--store", other / "store", "-o", out)
    equal(again["reuse"]["executed"], 0, f"{name}: executed when everything is kept")


def main():
    folder = faults.project()
    wanted = faults.calm(folder)
    check_full_store(folder, wanted, "full", (0, 4096, 40960, 131072, 300000, 600000, 1200000))
    for name, words in WORKERS.items():
        check_full_store(folder, wanted, f"full-{name}", (600000, 1000000), *words)
    check_full_output(folder, wanted)
    check_read_only(folder, wanted)
    check_full_meanwhile(folder, wanted, "turns")
    for name, words in WORKERS.items():
        check_full_meanwhile(folder, wanted, f"turns-{name}", *words)
    support.finish()


if __name__ == "__main__":
    main()
