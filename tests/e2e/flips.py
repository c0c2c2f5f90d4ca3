#!/usr/bin/env python3
"""Flipped bits in a store: in its database, its indexes and its products. Results are right or an error says why not.

SPDX-License-Identifier: Apache-2.0
test-timeout: 300
test-label: long

After each flip the study is run with the store: its results.csv must have the right bytes, or the program must exit with an
error of the store; then 'store verify' must make the study work again, or say that the store cannot be repaired.
'flips.py long' is the form for 'make soak': 1,000 flips of each kind on decay, 100 on nuclei.
"""
import collections
import random
import shutil
import sqlite3
import struct
import subprocess
import sys

import _support as support
from _support import ROOT, call, check, equal, say

SHORT = {"decay": {"database": 14, "index": 12, "rowid": 12, "product": 10}, "nuclei": {"index": 4, "product": 8}}
LONG = {"decay": {"database": 1000, "index": 1000, "rowid": 300, "product": 1000},
        "nuclei": {"database": 100, "index": 100, "rowid": 30, "product": 100}}


def varint(data, at):
    """A number as SQLite writes it, and where it ends."""
    value = 0
    for i in range(9):
        byte = data[at + i]
        if i == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + i + 1
    raise AssertionError("no varint")


class Database:
    """The bytes of a database, and where its b-trees are."""

    def __init__(self, path):
        self.data = path.read_bytes()
        self.page_bytes = struct.unpack(">H", self.data[16:18])[0]
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.roots = {name: root for name, root in connection.execute("SELECT name, rootpage FROM sqlite_master")}
        self.score_keys = [key for key, in connection.execute(
            "SELECT key FROM record WHERE operation IN ('decay.score', 'nuclei.compare')")]
        self.inline = [bytes(packed) for packed, in connection.execute(
            "SELECT packed FROM product WHERE packed IS NOT NULL")]
        connection.close()

    def pages(self, name):
        """Offsets of the pages of a b-tree."""
        found, waiting = [], [self.roots[name]]
        while waiting:
            start = (waiting.pop() - 1) * self.page_bytes
            found.append(start)
            head = start + (100 if start == 0 else 0)
            if self.data[head] not in (2, 5):
                continue
            count = struct.unpack(">H", self.data[head + 3:head + 5])[0]
            waiting.append(struct.unpack(">I", self.data[head + 8:head + 12])[0])
            for i in range(count):
                cell = struct.unpack(">H", self.data[head + 12 + 2 * i:head + 14 + 2 * i])[0]
                waiting.append(struct.unpack(">I", self.data[start + cell:start + cell + 4])[0])
        return found

    def rowids(self, name):
        """Key -> where the last byte of the row's number lies, for the entries of an index."""
        found = {}
        for start in self.pages(name):
            leaf = self.data[start] == 10
            count = struct.unpack(">H", self.data[start + 3:start + 5])[0]
            for i in range(count):
                pointer = start + (8 if leaf else 12) + 2 * i
                at = start + struct.unpack(">H", self.data[pointer:pointer + 2])[0] + (0 if leaf else 4)
                payload, at = varint(self.data, at)
                head, kinds_at = varint(self.data, at)
                kinds = []
                while kinds_at < at + head:
                    kind, kinds_at = varint(self.data, kinds_at)
                    kinds.append(kind)
                check(kinds[0] == 76, "the first column of the index has 32 bytes")
                if kinds[-1] in (1, 2, 3, 4, 5, 6):
                    found[self.data[at + head:at + head + 32]] = at + payload - 1
        return found


class Case:
    """A project whose study has been run, and its store as it then was."""

    def __init__(self, name, random_):
        self.name, self.random = name, random_
        self.folder = support.scratch() / name
        if name == "decay":
            shutil.copytree(ROOT / "workflows/decay", self.folder,
                            ignore=shutil.ignore_patterns("*.so", ".tessera", "out"))
            subprocess.run(["make", "-s", "-C", self.folder / "plugin", f"TESSERA_INCLUDE={ROOT / 'include'}"],
                           check=True)
        else:
            support.init_nuclei(self.folder)
        self.words = () if name == "decay" else ("--trajectories", 2)
        self.whole = self.folder.parent / f"{name}-whole"
        self.store = self.folder / ".tessera"
        self.study(expect=0)
        self.study(expect=0)  # so that the store has what a study with it adds, too
        self.results = (self.folder / "out/results.csv").read_bytes()
        shutil.copytree(self.store, self.whole)
        self.database = Database(self.whole / "store.db")
        self.files = [path for path in sorted((self.whole / "objects").glob("??/*")) if path.is_file()]
        self.counts = collections.Counter()
        indexes = ("sqlite_autoindex_record_1", "record_content", "sqlite_autoindex_product_1")
        self.index_pages = [page for index in indexes for page in self.database.pages(index)]
        self.rowids = [at for index in indexes for at in self.database.rowids(index).values()]
        scores = self.database.rowids("sqlite_autoindex_record_1")
        self.score_rowids = [scores[key] for key in self.database.score_keys if key in scores]

    def study(self, expect):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        return call("study", "-C", self.folder, "-o", "out", "--progress=none", *self.words, expect=expect)

    def flip(self, kind):
        """A flip of this kind: the file, the byte and the bit."""
        random_, data = self.random, self.database.data
        path, size = self.whole / "store.db", len(data)
        if kind == "database":
            at = random_.randrange(size)
        elif kind == "index":
            at = random_.choice(self.index_pages) + random_.randrange(self.database.page_bytes)
        elif kind == "rowid":  # the lowest bits of a row's number: the index leads to another row
            at = random_.choice(self.score_rowids if random_.random() < 0.5 else self.rowids)
            return path, at, random_.randrange(3)
        else:
            choice = random_.randrange(len(self.database.inline) + len(self.files))
            if choice >= len(self.database.inline):
                path = self.files[choice - len(self.database.inline)]
                at = random_.randrange(path.stat().st_size)
            else:
                packed = self.database.inline[choice]
                part = random_.randrange(len(packed) - 15)
                at = data.find(packed[part:part + 16]) + random_.randrange(16)
        return path, at, random_.randrange(8)

    def try_one(self, kind):
        path, at, bit = self.flip(kind)
        shutil.rmtree(self.store)
        shutil.copytree(self.whole, self.store)
        damaged = self.store / path.relative_to(self.whole)
        data = bytearray(damaged.read_bytes())
        data[at] ^= 1 << bit
        damaged.chmod(0o600)
        damaged.write_bytes(data)
        what = f"{self.name}, {kind}: bit {bit} of byte {at} of {path.relative_to(self.whole)}"
        run = self.study(expect=None)
        if run.returncode == 0:
            equal((self.folder / "out/results.csv").read_bytes() == self.results, True, f"results after {what}")
            self.counts[f"{kind}: right" + (", damage reported" if "damaged" in run.stderr else "")] += 1
            return
        check(run.returncode == 5 and "error[T" in run.stderr and "help: " in run.stderr,
              f"{what}: exit {run.returncode}\n{run.stderr}")
        self.counts[f"{kind}: error"] += 1
        self.repair(kind, what)

    def repair(self, kind, what):
        verify = call("store", "verify", "-C", self.folder, "--progress=none", expect=None)
        if verify.returncode != 0:
            check(verify.returncode == 5 and "move the" in verify.stderr,
                  f"verify after {what}: exit {verify.returncode}\n{verify.stderr}")
            self.counts[f"{kind}: cannot be repaired"] += 1
            return
        self.study(expect=0)
        equal((self.folder / "out/results.csv").read_bytes() == self.results, True, f"results after repair of {what}")
        self.counts[f"{kind}: repaired"] += 1


def main():
    support.need_program()
    wanted = LONG if "long" in sys.argv else SHORT
    only = [word for word in sys.argv[1:] if word in wanted]
    seed = next((int(word) for word in sys.argv[1:] if word.isdigit()), 1)
    for name, kinds in wanted.items():
        if only and name not in only:
            continue
        case = Case(name, random.Random(f"{name} {seed}"))
        for kind, count in kinds.items():
            for _ in range(count):
                case.try_one(kind)
        say(f"{name}: {sum(kinds.values())} flips: " + "; ".join(f"{key} {n}" for key, n in sorted(case.counts.items())))
    support.finish()


if __name__ == "__main__":
    main()
