"""What the tests of sample and analyse share: spaces, tables, test functions with known indices.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import math

PI = math.pi


def real(name, low, high, **more):
    return {"name": name, "type": "real", "range": [low, high], **more}


def write_space(path, parameters, **more):
    path.write_text(json.dumps({"parameters": parameters, **more}), encoding="utf-8")
    return path


def ishigami_space(path, **groups):
    """x1, x2 and x3 in (-pi, pi); x1="a" puts x1 into group a."""
    names = ("x1", "x2", "x3")
    return write_space(path, [real(n, -PI, PI, **({"group": groups[n]} if n in groups else {})) for n in names])


def ishigami(row):
    x1, x2, x3 = (float(row[name]) for name in ("x1", "x2", "x3"))
    return math.sin(x1) + 7 * math.sin(x2) ** 2 + 0.1 * x3 ** 4 * math.sin(x1)


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def read_dicts(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return path


def write_column(path, values, name="y"):
    """Values as texts, None as an empty cell. A row of one empty cell is quoted: it must not be an empty line."""
    cells = ['""' if value is None else value if isinstance(value, str) else repr(value) for value in values]
    path.write_text("\n".join([name, *cells]) + "\n", encoding="utf-8")
    return path


def named(reply, column):
    """An index by name of the parameter."""
    return {item["name"]: item[column] for item in reply.get("indices", [])}


def close(found, wanted, tolerance=1e-10):
    """As the vectors say: within the tolerance times the value, or the tolerance itself below one."""
    return found is not None and abs(found - wanted) <= tolerance * max(1.0, abs(wanted))
