#!/usr/bin/env python3
"""'tessera store verify': says what is damaged and repairs it; with --recompute, finds records that are wrong.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import os
import pwd
import shutil
import sqlite3
import subprocess

import _faults as faults
import _store
import _support as support
from _faults import results, same, says, study
from _support import PROGRAM, call, call_json, check, equal, say


def damage(store, *statements):
    """Changes the database as another program would, so that the rows are damaged."""
    database = sqlite3.connect(store / "store.db")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def verify(folder, store, *words, expect=0):
    return call_json("store", "verify", "-C", folder, "--store", store, *words, expect=expect)


def check_whole(folder):
    reply = verify(folder, "whole")
    equal((reply["schema"], reply["rebuilt"]), ("tessera.store-verify/1", False), "schema and rebuilt")
    check(reply["checked"]["rows"] > 100 and reply["checked"]["products"] > 10, f"checked: {reply['checked']}")
    equal((reply["damaged"], reply["removed"]), ({"rows": 0, "products": 0}, {"rows": 0, "products": 0, "files": 0}),
          "damage of a whole store")
    text = call("store", "verify", "-C", folder, "--store", "whole").stdout
    check("Everything is as it was written." in text, f"text: {text}")
    equal(call("store", "verify", "-C", folder, "--store", "nowhere", expect=3).stderr[:11], "error[T610]", "no store")


def check_damage(folder, wanted):
    """A study says that it passed damage over; verifying removes it; after that nothing is said any more."""
    faults.copy_store(folder, "whole", "damaged")
    damage(folder / "damaged", "UPDATE record SET outputs = (SELECT outputs FROM record WHERE id = 1) WHERE id % 3 = 0",
           "UPDATE product SET packed = x'00' WHERE number = 5")
    (folder / "damaged/objects/ab").mkdir(exist_ok=True)
    (folder / "damaged/objects/ab/stray").write_text("x", encoding="utf-8")
    run = study(folder, store="damaged", out="out-damaged")
    same(folder, wanted, "with damaged rows", "out-damaged")
    check("is damaged" in run.stderr and "tessera store verify" in run.stderr, f"no word of damage: {run.stderr}")
    reply = verify(folder, "damaged")
    check(reply["damaged"]["rows"] > 10 and reply["rebuilt"], f"damage found: {reply}")
    equal((reply["removed"]["rows"], reply["removed"]["files"]), (reply["damaged"]["rows"], 1), "removed")
    equal(verify(folder, "damaged")["damaged"], {"rows": 0, "products": 0}, "damage after repair")
    for again in range(2):
        run = study(folder, store="damaged", out="out-damaged")
        same(folder, wanted, f"after repair, {again}", "out-damaged")
        check("damaged" not in run.stderr, f"damage after repair: {run.stderr}")


def check_hopeless(folder):
    faults.copy_store(folder, "whole", "hopeless")
    data = bytearray((folder / "hopeless/store.db").read_bytes())
    data[200:] = bytes(len(data) - 200)
    (folder / "hopeless/store.db").write_bytes(data)
    run = call("store", "verify", "-C", folder, "--store", "hopeless", expect=5)
    says(run, "a store beyond repair", "error[T6", "move the")


def check_recompute(folder, wanted):
    """Whoever may write a store can give any key any product. Only computing again finds that."""
    reply = verify(folder, "whole", "--recompute")
    equal((reply["differs"], reply["recomputed"]["runs"], reply["recomputed"]["runs_left_out"]), ([], 1, 0),
          "a right store")
    check(reply["recomputed"]["records"] > 30, f"records compared: {reply['recomputed']}")
    faults.copy_store(folder, "whole", "wrong")
    _store.change(folder / "wrong", "UPDATE record SET outputs = (SELECT outputs FROM record WHERE operation = "
                  "'faulty.sum' LIMIT 1) WHERE operation = 'faulty.sum'")
    study(folder, store="wrong", out="out-wrong")
    check(results(folder, "out-wrong") != wanted, "the store was not made wrong")
    equal(verify(folder, "wrong")["damaged"], {"rows": 0, "products": 0}, "rows are sound")
    reply = verify(folder, "wrong", "--recompute", expect=1)
    operations = {row["operation"] for row in reply["differs"]}
    check("faulty.sum" in operations and "faulty.make" not in operations, f"what differs: {operations}")
    check(not (folder / "wrong/recompute").exists(), "the folder for computing again was left")
    study(folder, store="wrong", out="out-wrong")
    same(folder, wanted, "after what was wrong was removed", "out-wrong")
    text = call("store", "verify", "--recompute", "study.json", "-C", folder, "--store", "wrong",
                "--progress=none").stdout
    check("all the same." in text, f"text: {text}")
    say(f"{len(reply['differs'])} wrong records were found")


def check_lost_study(folder):
    """A run is repeated without its study file; one whose data is gone is named."""
    faults.copy_store(folder, "whole", "lost")
    _store.change(folder / "lost", "UPDATE run SET file = '/nonexistent/study.json'")
    reply = verify(folder, "lost", "--recompute")
    equal((reply["recomputed"]["runs"], reply["recomputed"]["runs_left_out"]), (1, 0), "runs without their file")
    equal(reply["recomputed"]["records"], reply["recomputed"]["of"], "records of runs without their file")
    (folder / "data").rename(folder / "gone")
    reply = verify(folder, "lost", "--recompute")
    (folder / "gone").rename(folder / "data")
    equal((reply["recomputed"]["runs_left_out"], reply["recomputed"]["records"]), (1, 0), "runs that are left out")
    check(any("was not computed again" in text and "north.csv" in text for text in reply["warnings"]),
          f"warnings: {reply['warnings']}")


def check_owner(folder):
    """Files of a store are private, whatever the folder allows; who else comes is told whose it is."""
    if os.geteuid() != 0:
        say("not root: the store of somebody else is not tried")
        return
    nobody = pwd.getpwnam("nobody")
    shared = support.scratch() / "shared"
    for path in (shared.parent, shared):
        path.mkdir(exist_ok=True)
        os.chown(path, 0, nobody.pw_gid)
        path.chmod(0o2775)
    os.umask(0o002)
    study(folder, store=shared, out="out-shared")
    os.umask(0o022)
    equal((shared / "store.db").stat().st_mode & 0o777, 0o600, "mode of store.db")
    other = support.scratch() / "other"
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("out*", "whole", "damaged", "wrong", "lost"))
    other.parent.chmod(0o755)
    for path in (other, *other.rglob("*")):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    run = subprocess.run([PROGRAM, "study", "-C", other, "--store", shared, "--progress=none"], capture_output=True,
                         text=True, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], check=False,
                         env=support.environment(HOME="/nonexistent"))
    equal(run.returncode, 5, f"exit of another user: {run.stderr}")
    says(run, "the store of somebody else", "error[T601]", "/lock", "belongs to root")


def main():
    folder = faults.project()
    wanted = faults.calm(folder)
    study(folder, store="whole")
    check_whole(folder)
    check_damage(folder, wanted)
    check_hopeless(folder)
    check_recompute(folder, wanted)
    check_lost_study(folder)
    check_owner(folder)
    support.finish()


if __name__ == "__main__":
    main()
