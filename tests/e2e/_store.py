"""Changes the database of a store as a writer would: with the checksums of the changed rows.

SPDX-License-Identifier: Apache-2.0

The checksum is written here a second time, after docs/store.md and the head of src/store/sqlite/checksum.c.
"""
import ctypes
import ctypes.util
import sqlite3
import struct

XXHASH = ctypes.CDLL(ctypes.util.find_library("xxhash"))
XXHASH.XXH3_64bits.restype = ctypes.c_uint64
XXHASH.XXH3_64bits.argtypes = (ctypes.c_char_p, ctypes.c_size_t)
ROW_NUMBERS = {"record": "id", "run": "number"}


def value_bytes(value):
    """Kind (as SQLite numbers them), then the number, or the length and the bytes."""
    if value is None:
        return struct.pack("<qq", 5, 0)
    if isinstance(value, int):
        return struct.pack("<qq", 1, value)
    if isinstance(value, float):
        return struct.pack("<qd", 2, value)
    kind, content = (3, value.encode()) if isinstance(value, str) else (4, value)
    return struct.pack("<qq", kind, len(content)) + content


def row_checksum(*values):
    covered = b"".join(map(value_bytes, values))
    number = XXHASH.XXH3_64bits(covered, len(covered))
    return number - (1 << 64) if number >> 63 else number


def change(store, *statements):
    """Each statement is SQL, or SQL with its values."""
    database = sqlite3.connect(store / "store.db")
    database.create_function("row_checksum", -1, row_checksum, deterministic=True)
    for statement in statements:
        database.execute(*statement) if isinstance(statement, tuple) else database.execute(statement)
    for table in ("record", "run", "task", "file_digest", "cost"):
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        covered = ", ".join(name for name in columns if name not in ("checksum", ROW_NUMBERS.get(table)))
        database.execute(f"UPDATE {table} SET checksum = row_checksum({covered})")
    database.commit()
    database.close()
