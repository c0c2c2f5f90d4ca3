#!/usr/bin/env python3
"""'tessera store du' and 'store gc': the totals are those of the files, what is chosen is what a second reading of the
tables chooses, what unfinished runs need stays, and what went comes out the same again.

SPDX-License-Identifier: Apache-2.0
test-label: slow
test-label: threads-elsewhere (e2e.demo, e2e.store_verify)
test-timeout: 300
"""
import json
import random
import shutil
import signal
import sqlite3
import subprocess

import _store
import _support as support
from _support import PROGRAM, call, call_json, check, equal, say

KILLS = 4
DAY_NS = 86400 * 10**9
OLD = "--older-than=30d"


def study(folder, *words, expect=0):
    return call_json("study", "-C", folder, *words, expect=expect)


def gc(folder, *words, expect=0):
    return call_json("store", "gc", "-C", folder, *words, expect=expect)


def results(folder):
    return {path.name: path.read_bytes() for path in (folder / "out/nuclei").glob("*.csv")}


# ---- a second reading of the tables, after docs/store.md ----

def parts(blob, tail):
    """Entries of a blob: texts, each ended by NUL, then bytes."""
    texts, size = tail
    found = []
    while blob:
        names = []
        for _ in range(texts):
            name, blob = blob.split(b"\0", 1)
            names.append(name)
        found.append((names, blob[:32]))
        blob = blob[size:]
    return found


class Tables:
    """Who uses what: products by run, with the bytes they take and the seconds they cost."""

    def __init__(self, store):
        database = sqlite3.connect(f"file:{store}/store.db?mode=ro", uri=True)
        self.products = {digest: size for digest, size in
                         database.execute("SELECT digest, packed_bytes FROM product WHERE is_there = 1")}
        self.records, self.seconds = {}, {}
        for key, run, inputs, outputs, seconds, alias in database.execute(
                "SELECT key, run, inputs, outputs, seconds, is_alias FROM record"):
            made = [digest for _, digest in parts(outputs, (2, 40)) if digest in self.products]
            self.records[key] = (run, [digest for _, digest in parts(inputs, (1, 32))], made)
            for digest in made:
                self.seconds[digest] = max(self.seconds.get(digest, (0, key)), (0 if alias else seconds, key))
        self.runs = [run for run, in database.execute("SELECT id FROM run ORDER BY number DESC")]
        self.used = {run: self.closure(database, run) for run in self.runs}
        database.close()

    def closure(self, database, run):
        todo = [key for key, in database.execute("SELECT key FROM task WHERE run = ?", (run,))]
        todo += [key for key, record in self.records.items() if record[0] == run]
        seen, used = set(), set()
        while todo:
            key = todo.pop()
            if key in seen or key not in self.records:
                continue
            seen.add(key)
            used.update(self.records[key][2])
            todo += self.records[key][1]
        return used

    def bytes_of(self, products):
        return sum(self.products[digest] for digest in products)

    def seconds_of(self, products):
        return sum(dict((self.seconds[digest][1], self.seconds[digest][0]) for digest in products).values())

    def without(self, *runs):
        """What goes if only these runs are kept."""
        kept = set().union(*(self.used[run] for run in runs)) if runs else set()
        return set().union(*self.used.values()) - kept


def disk(store):
    """Files and bytes of a store: of all of them, and of those below objects/."""
    files = [path for path in store.rglob("*") if path.is_file() and path.name != "store.db-shm"]
    files = [path for path in files if path.name != "store.db-wal" or path.stat().st_size > 0]
    objects = [path for path in files if "objects" in path.relative_to(store).parts]
    return tuple((len(some), sum(path.stat().st_size for path in some)) for some in (files, objects))


def check_du(folder):
    store = folder / ".tessera"
    reply, tables = call_json("store", "du", "-C", folder), Tables(store)
    everything, objects = disk(store)
    equal(reply["schema"], "tessera.store-du/1", "schema")
    # A log that is empty is there while the store is open.
    check(reply["files"] - everything[0] in (0, 1), f"files: {reply['files']}, on the disk {everything[0]}")
    equal(reply["bytes"], everything[1], "bytes of all files")
    equal((reply["objects"]["files"], reply["objects"]["bytes"], reply["objects"]["stray_bytes"]), (*objects, 0),
          "files below objects/")
    database = reply["database"]
    equal(database["bytes"], (store / "store.db").stat().st_size, "bytes of the database")
    equal(database["products"] + objects[1], sum(tables.products.values()), "bytes of products")
    equal(database["products"] + database["free"] + database["rows"], database["bytes"], "parts of the database")
    equal(reply["products"]["count"], len(tables.products), "products")
    equal(reply["records"], len(tables.records), "records")
    by_stage = sum(stage["bytes"] for stage in reply["stages"])
    equal(by_stage + reply["orders"]["bytes"], reply["products"]["bytes"], "bytes by stage, and of work orders")
    check({"normalise", "segment", "compare"} <= {stage["stage"] for stage in reply["stages"]}, "names of stages")
    for run in reply["runs"]:
        mine = tables.used[run["run"]]
        others = set().union(*(used for other, used in tables.used.items() if other != run["run"]))
        equal((run["products"], run["bytes"], run["own_bytes"]),
              (len(mine), tables.bytes_of(mine), tables.bytes_of(mine - others)), f"what run {run['run']} uses")
    text = call("store", "du", "-C", folder).stdout
    check("stage" in text and "it alone" in text and "No run uses 0 products" in text, f"text: {text}")
    say(f"du: {reply['bytes']} bytes, {len(tables.products)} products, {len(reply['runs'])} runs")


def check_choice(folder):
    """What is chosen for two ways to say it, and that nothing goes without --yes."""
    store = folder / ".tessera"
    tables, before = Tables(store), support.files_below(store / "objects")
    newest, oldest = tables.runs[0], tables.runs[-1]
    equal(gc(folder)["remove"]["products"], 0, "without a word nothing that a run uses is meant")
    reply, gone = gc(folder, "--keep-runs=1"), tables.without(newest)
    check(len(gone) > 20, f"the runs differ in {len(gone)} products")
    equal((reply["remove"]["products"], reply["remove"]["bytes"]), (len(gone), tables.bytes_of(gone)), "--keep-runs 1")
    check(abs(reply["remove"]["seconds"] - tables.seconds_of(gone)) < 1e-6,
          f"seconds: {reply['remove']['seconds']}, not {tables.seconds_of(gone)}")
    equal([run["because"] for run in reply["runs"]], ["newest"] + [""] * (len(tables.runs) - 1), "why runs are kept")
    for run in reply["runs"]:
        mine = tables.used[run["run"]] & gone
        equal((run["remove"]["products"], run["remove"]["bytes"]), (len(mine), tables.bytes_of(mine)), "by run")
    equal(sum(stage["products"] for stage in reply["stages"]), len(gone), "by stage")
    check("removed" not in reply and support.files_below(store / "objects") == before, "files went without --yes")
    aged = shutil.copytree(folder, folder.parent / "aged")
    _store.change(aged / ".tessera",
                  (f"UPDATE run SET started_unix_ns = started_unix_ns - {60 * DAY_NS}, finished_unix_ns = "
                   f"finished_unix_ns - {60 * DAY_NS} WHERE id = '{oldest}'"))
    gone = Tables(aged / ".tessera").without(*[run for run in tables.runs if run != oldest])
    equal(gc(aged, OLD)["remove"]["products"], len(gone), "--older-than 30d")
    equal(gc(aged, "--older-than=100d")["remove"]["products"], 0, "--older-than 100d")
    equal(gc(aged, OLD, f"--keep-runs={len(tables.runs)}")["remove"]["products"], 0, "both")


def check_removal(folder, wanted):
    """What goes is gone, the rest is sound, and the runs come out the same; the records stay."""
    copy = shutil.copytree(folder, folder.parent / "removed")
    store, before = copy / ".tessera", Tables(folder / ".tessera")
    gone = before.without(before.runs[0])
    (store / "objects/ab").mkdir(exist_ok=True)
    (store / "objects/ab/stray").write_bytes(bytes(12345))
    equal(call_json("store", "du", "-C", copy)["objects"]["stray_bytes"], 12345, "a file that belongs to nothing")
    reply, after = gc(copy, "--keep-runs=1", "--yes"), Tables(store)
    equal(reply["removed"]["products"], len(gone), "removed")
    equal(reply["removed"]["stray_files"], 1, "files that belonged to nothing")
    equal(set(after.products), set(before.products) - gone, "products that are left")
    equal(set(after.records), set(before.records), "records that are left")
    equal(reply["removed"]["bytes_after"], disk(store)[0][1], "bytes afterwards")
    check(reply["removed"]["bytes_after"] < reply["bytes"], "the store did not get smaller")
    verified = call_json("store", "verify", "-C", copy)
    equal((verified["damaged"], verified["removed"]["files"]), ({"rows": 0, "products": 0}, 0), "verify")
    equal(call_json("run", "-C", copy, "-p", "G1=60")["reuse"]["executed"], 0, "the run that was kept computes nothing")
    again = study(copy)
    check(again["reuse"]["executed"] > 0, "the study that was not kept computes nothing")
    equal(results(copy), wanted, "results after products went")
    equal(gc(copy, "--keep-runs=2", "--yes")["remove"]["products"], 0, "a second time")


def check_cutoff(folder):
    """What is computed again has the digest that its record kept: what follows it is still found by content. Large
    products of the first stages go, tables stay; a study with more sets then repeats only calls of what went."""
    counts, found = {}, []
    for name in ("whole", "evicted", "empty"):
        copy = shutil.copytree(folder, folder.parent / f"cutoff-{name}")
        store, gone = copy / ".tessera", 0
        if name == "evicted":
            gone = gc(copy, f"--to={disk(store)[0][1] - 6_000_000}", "--yes")["remove"]["products"]
        elif name == "empty":
            shutil.rmtree(store)
        counts[name] = support.executed(study(copy, "--trajectories=14"))
        found.append(results(copy))
        say(f"cutoff, {name}: {gone} products were removed, {sum(counts[name].values())} tasks executed")
    late = [task for task in counts["whole"] if task.split(".")[0] in ("overlap", "compare")]
    check(len(late) > 1, f"tasks behind what went: {late}")
    for task in late:
        equal(counts["evicted"][task], counts["whole"][task], f"{task}, executed after its inputs went")
    check(0 < sum(counts["evicted"].values()) - sum(counts["whole"].values()) <= 20, "tasks that are executed again")
    check(2 * sum(counts["evicted"].values()) < sum(counts["empty"].values()), "nothing is reused")
    check(found[0] == found[1] == found[2], "results differ")


def check_target(folder):
    copy = shutil.copytree(folder, folder.parent / "target")
    store = copy / ".tessera"
    size = disk(store)[0][1]
    target = size - 3_000_000
    reply = gc(copy, f"--to={target}", "--yes")
    check(reply["target_met"] and disk(store)[0][1] <= target, f"--to {target}: {disk(store)[0][1]} are left")
    check(0 < reply["remove"]["products"] < len(Tables(folder / ".tessera").products), "a part goes")
    equal(gc(copy, f"--to={10 * size}")["remove"]["products"], 0, "a target that is met")
    equal(gc(copy, "--to=1M", expect=4)["target_met"], False, "a target that cannot be met")
    call_json("store", "gc", "-C", copy, "--to=1M", "--keep-runs=9", expect=4)


# ---- runs that are not finished ----

def start_study(folder, trajectories):
    """A study that has been running for a while: the process, after some lines of progress."""
    process = subprocess.Popen([PROGRAM, "study", "-C", folder, "--progress=json", f"--trajectories={trajectories}",
                                "--seed=9", "-j", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=support.environment())
    for _ in range(400):
        if not process.stderr.readline():
            break
    return process


def check_unfinished(folder):
    copy = shutil.copytree(folder, folder.parent / "unfinished")
    shutil.copy(copy / "study.json", copy / "other.json")
    call_json("run", "other.json", "-C", copy, "-p", "G1=33")
    process = start_study(copy, 12)
    run = call("store", "gc", "-C", copy, "--keep-runs=0", "--yes", expect=5)
    check("error[T602]" in run.stderr and "being written by process" in run.stderr, f"a store in use: {run.stderr}")
    reply = gc(copy, "--keep-runs=0")
    equal(reply["runs"][0]["state"], "running", "state")
    call("store", "du", "-C", copy)
    run = call("store", "gc", "-C", copy, f"--drop={reply['runs'][0]['run']}", expect=2)
    check("is running" in run.stderr, f"dropping a running run: {run.stderr}")
    process.send_signal(signal.SIGINT)
    process.stderr.read()
    equal(process.wait(), 130, "a study that is paused")
    reply = gc(copy, "--keep-runs=0")
    tables = Tables(copy / ".tessera")
    paused = reply["runs"][0]["run"]
    equal([(run["state"], run["because"]) for run in reply["runs"][:2]], [("paused", "unfinished"), ("done", "")],
          "a paused run, and one of another file")
    equal({run["because"] for run in reply["runs"][2:]}, {"needed"}, "other runs of the paused one's file")
    gone = tables.used[reply["runs"][1]["run"]] - set().union(
        *(tables.used[run["run"]] for run in reply["runs"] if run["because"]))
    check(len(gone) > 0, "the other file's run has nothing of its own")
    equal(reply["remove"]["products"], len(gone), "what goes beside a paused run")
    text = call("store", "gc", "-C", copy, "--keep-runs=0").stdout
    check(f"study --resume {paused}" in text and f"--drop {paused}" in text, f"no way on: {text}")
    whole = shutil.copytree(copy, copy.parent / "unfinished-whole")
    gc(copy, "--keep-runs=0", "--yes")
    ends = [study(place, f"--resume={paused}", "-j", "1") for place in (copy, whole)]
    equal(ends[0]["reuse"]["executed"], ends[1]["reuse"]["executed"], "tasks of a run that goes on, with and without gc")
    equal(results(copy), results(whole), "results of a run that goes on")
    check_failed(whole, paused)


def check_failed(folder, run):
    """A failed run keeps what it uses, and nothing else; dropped, it keeps nothing."""
    _store.change(folder / ".tessera", f"UPDATE run SET state = 'failed' WHERE id = '{run}'")
    tables = Tables(folder / ".tessera")
    reply = gc(folder, "--keep-runs=0")
    equal(reply["remove"]["products"], len(tables.without(run)), "beside a failed run")
    equal(gc(folder, "--keep-runs=0", f"--drop={run}")["remove"]["products"], len(tables.without()), "dropped")


def kill_at(copy, word, count):
    """Starts removing, and kills it once so many calls of the backend with this word have ended."""
    process = subprocess.Popen([PROGRAM, "store", "gc", "-C", copy, "--keep-runs=0", "--yes"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=support.environment(TESSERA_STORE_TRACE="1"))
    for line in process.stderr:
        count -= word in line
        if count == 0:
            break
    process.kill()
    process.stderr.close()
    equal(process.wait(), -signal.SIGKILL, f"{word}: the process was not killed")


def check_kills(folder, wanted):
    """Whenever it dies, the store is sound, and the next call does the rest."""
    random.seed(17)
    tables = Tables(folder / ".tessera")
    left, total = [], len(tables.products)
    copy = folder.parent / "killed"
    for word, count in [("forget", random.randrange(1, total - 100)) for _ in range(KILLS)] + [("sweep", 1)] * 2:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        kill_at(copy, word, count)
        left.append(len(Tables(copy / ".tessera").products))
        reply = call_json("store", "verify", "-C", copy)
        equal(reply["damaged"], {"rows": 0, "products": 0}, f"after a kill at {word} {count}")
        check(reply["removed"]["files"] <= 1, f"after a kill at {word} {count}: {reply['removed']}")
    check(max(left) > 100, f"left after kills: {left}")
    equal(left[KILLS:], [total - len(tables.without())] * 2, "left where only stray files were still to go: work orders")
    say(f"killed {len(left)} times: {left} of {total} products were left")
    gc(copy, "--keep-runs=0", "--yes")
    study(copy)
    equal(results(copy), wanted, "results after kills")


def check_errors(folder):
    for words, code, text in (
            (("gc", "--older-than=soon"), 2, "'soon' is not an age"),
            (("gc", "--older-than=30"), 2, "such as 30d"),
            (("gc", "--drop=12345678"), 3, "there is no run '12345678' in the store"),
            (("gc", "--to=many"), 2, "'many' is not a size"),
            (("gd",), 2, "did you mean"),
            (("du", "--store=nowhere"), 3, "there is no store in"),
            (("gc", "--store=memory"), 3, "there is no store in")):
        run = call("store", *words, "-C", folder, expect=code)
        check(text in run.stderr, f"store {' '.join(words)}: {run.stderr}")


def main():
    support.need_program()
    folder = support.scratch() / "project"
    call("init", "--demo", "nuclei", folder)
    study(folder)
    wanted = results(folder)
    study(folder, "--trajectories=2", "--seed=3", "-o", "out/other")
    call_json("run", "-C", folder, "-p", "G1=60")
    check_du(folder)
    check_choice(folder)
    check_removal(folder, wanted)
    check_cutoff(folder)
    check_target(folder)
    check_unfinished(folder)
    check_kills(folder, wanted)
    check_errors(folder)
    support.finish()


if __name__ == "__main__":
    main()
