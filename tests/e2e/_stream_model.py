"""An evaluator of schedules of streams, from the specification of the model alone: no code of src/sched is used.

SPDX-License-Identifier: Apache-2.0

A graph is {"tasks": [{"id", "time"}], "edges": [{"from", "to", "time"}]}; a schedule is the reply of 'schedule --json'.
Slots are searched by brute force over the ends of busy intervals, not by walking along lists.
"""
import heapq

SLACK = 1e-12  # a gap that is too short by rounding fits


class Levels:
    """Bottom levels, ranks and the static order of a graph."""

    def __init__(self, graph):
        self.ids = [str(task["id"]) for task in graph["tasks"]]
        self.time = {str(task["id"]): float(task["time"]) for task in graph["tasks"]}
        self.edges = [(str(e["from"]), str(e["to"]), float(e["time"])) for e in graph["edges"]]
        self.after = {i: [] for i in self.ids}
        self.before = {i: [] for i in self.ids}
        for a, b, wt in self.edges:
            self.after[a].append((b, wt))
            self.before[b].append((a, wt))
        self.number = {task: n for n, task in enumerate(self.ids)}
        self.bottom = {}
        for task in reversed(self.topological()):
            self.bottom[task] = self.time[task] + max((wt + self.bottom[b] for b, wt in self.after[task]), default=0.0)
        self.rank = self.ranks()
        keyed = [((-self.bottom[t], 2 * self.rank[t], 0), ("task", t)) for t in self.ids]
        keyed += [((-(wt + self.bottom[b]), 2 * self.rank[a] + 1, self.rank[b]), ("edge", (a, b, wt)))
                  for a, b, wt in self.edges]
        self.order = [item for _, item in sorted(keyed, key=lambda pair: pair[0])]

    def topological(self):
        waiting = {t: len(self.before[t]) for t in self.ids}
        ready, out = [t for t in self.ids if waiting[t] == 0], []
        while ready:
            task = ready.pop()
            out.append(task)
            for b, _ in self.after[task]:
                waiting[b] -= 1
                if waiting[b] == 0:
                    ready.append(b)
        return out

    def ranks(self):
        waiting = {t: len(self.before[t]) for t in self.ids}
        heap = [(-self.bottom[t], self.number[t], t) for t in self.ids if waiting[t] == 0]
        heapq.heapify(heap)
        rank = {}
        while heap:
            task = heapq.heappop(heap)[2]
            rank[task] = len(rank)
            for b, _ in self.after[task]:
                waiting[b] -= 1
                if waiting[b] == 0:
                    heapq.heappush(heap, (-self.bottom[b], self.number[b], b))
        return rank

    def longest_without_transfers(self):
        longest = {}
        for task in reversed(self.topological()):
            longest[task] = self.time[task] + max((longest[b] for b, _ in self.after[task]), default=0.0)
        return max(longest.values())


class Ports:
    """Channels of processors and links between them, each with its busy intervals."""

    def __init__(self, ports):
        self.ports = ports
        self.channels = {}  # processor -> list of lists of intervals
        self.links = {}

    @staticmethod
    def is_free(intervals, start, length):
        return all(start + length <= a * (1 + SLACK) or b <= start for a, b in intervals)

    def free_channel(self, processor, start, length):
        """The lowest-numbered channel that is free; None: there is none."""
        used = self.channels.setdefault(processor, [])
        for number, intervals in enumerate(used):
            if self.is_free(intervals, start, length):
                return number
        return len(used) if len(used) < self.ports else None

    def place(self, a, b, ready, length):
        link = self.links.setdefault(frozenset((a, b)), [])
        ends = {ready} | {end for _, end in link if end > ready}
        for processor in (a, b):
            ends |= {end for channel in self.channels.get(processor, []) for _, end in channel if end > ready}
        for start in sorted(ends):
            one, two = self.free_channel(a, start, length), self.free_channel(b, start, length)
            if one is None or two is None or not self.is_free(link, start, length):
                continue
            for processor, number in ((a, one), (b, two)):
                if number == len(self.channels[processor]):
                    self.channels[processor].append([])
                self.channels[processor][number].append((start, start + length))
            link.append((start, start + length))
            return start, (a, one), (b, two)
        raise AssertionError("no slot at all")


def transfers_of(levels, schedule):
    """(edge, home cluster, receiving cluster) in the static order; and who serves each task."""
    members = {c["id"]: set(c["tasks"]) for c in schedule["clusters"]}
    home = {}
    for cluster in schedule["clusters"]:
        for task, serves in zip(cluster["tasks"], cluster["serves"]):
            if serves:
                assert task not in home, f"task {task} has two homes"
                home[task] = cluster["id"]
    assert set(home) == set(levels.ids), "a task has no home"
    out = []
    for kind, item in levels.order:
        if kind == "task":
            out.append((kind, item))
            continue
        a, b, _ = item
        out += [("transfer", item, home[a], c) for c in sorted(members) if b in members[c] and a not in members[c]]
    return out, members, home


def pipelined(levels, schedule, ports):
    """(latency, throughput) of a mapping, sections 3 and 4 of the specification."""
    items, members, home = transfers_of(levels, schedule)
    replicas = {c["id"]: c["replicas"] for c in schedule["clusters"]}
    channels, free_at, slots = Ports(ports), {}, []
    finish, end, arrival = {}, {c: 0.0 for c in members}, {}
    for item in items:
        if item[0] == "task":
            for c in (c for c in members if item[1] in members[c]):
                start = max(end[c], arrival.get((item[1], c), 0.0))
                finish[item[1], c] = end[c] = start + levels.time[item[1]]
            continue
        _, (a, b, wt), source, target = item
        done = finish[a, home[a]]
        if wt > 0:
            slot, one, two = channels.place(source, target, 0.0, wt)
            link = frozenset((source, target))
            done = max([done] + [free_at.get(key, 0.0) for key in (one, two, link)]) + wt
            free_at[one] = free_at[two] = free_at[link] = done
            slots.append((source, target))
        arrival[b, target] = max(arrival.get((b, target), 0.0), done)
    rate = min((replicas[c] / t for c, t in ((c, sum(levels.time[x] for x in members[c])) for c in members) if t > 0),
               default=float("inf"))
    return max(finish.values()), min(rate, transfer_rate(channels, slots, replicas))


def transfer_rate(channels, slots, replicas):
    component = {c: c for c in replicas}

    def root(c):
        return c if component[c] == c else root(component[c])

    for a, b in slots:
        component[root(a)] = root(b)
    rate = float("inf")
    for r in {root(a) for a, _ in slots}:
        parallel = min(min(replicas[a], replicas[b]) for a, b in slots if root(a) == r)
        longest = max(max(e for _, e in ch) - min(s for s, _ in ch)
                      for c in replicas if root(c) == r for ch in channels.channels.get(c, []))
        rate = min(rate, parallel / longest)
    return rate


def one_by_one(levels, schedule, ports):
    """(latency, throughput) of a schedule of one item after the other, section 8, on its processors."""
    where = {task: c["id"] for c in schedule["clusters"] for task in c["tasks"]}
    channels, finish, end = Ports(ports), {}, {c["id"]: 0.0 for c in schedule["clusters"]}
    for kind, task in levels.order:
        if kind != "task":
            continue
        ready = 0.0
        for a, wt in sorted(levels.before[task], key=lambda p: (finish[p[0]], levels.rank[p[0]])):
            done = finish[a]
            if where[a] != where[task] and wt > 0:
                done = channels.place(where[a], where[task], done, wt)[0] + wt
            ready = max(ready, done)
        finish[task] = end[where[task]] = max(ready, end[where[task]]) + levels.time[task]
    latency = max(finish.values())
    return latency, 1 / latency if latency > 0 else float("inf")


def close(a, b, tolerance=1e-9):
    return a == b or abs(a - b) <= tolerance * max(abs(a), abs(b))


def with_texts(schedule):
    """The schedule with all ids as texts; replies have those of the graph, which may be numbers."""
    clusters = [{**c, "tasks": [str(task) for task in c["tasks"]]} for c in schedule["clusters"]]
    transfers = [{**t, "from_task": str(t["from_task"]), "to_task": str(t["to_task"])} for t in schedule["transfers"]]
    return {**schedule, "clusters": clusters, "transfers": transfers}


def faults_of(graph, schedule, ports):
    """What is wrong with the printed numbers; empty: nothing."""
    levels, out, schedule = Levels(graph), [], with_texts(schedule)
    latency, rate = (pipelined if schedule["pipelined"] else one_by_one)(levels, schedule, ports)
    printed = schedule["throughput"] if schedule["throughput"] is not None else float("inf")
    if not close(latency, schedule["latency"]):
        out.append(f"latency {schedule['latency']!r}, evaluated {latency!r}")
    if not close(rate, printed):
        out.append(f"throughput {printed!r}, evaluated {rate!r}")
    if sum(c["replicas"] for c in schedule["clusters"]) != schedule["processors"]:
        out.append("the replicas do not sum to the processors")
    if schedule["pipelined"]:
        wanted = sorted((a, b, x, y) for kind, *rest in transfers_of(levels, schedule)[0] if kind == "transfer"
                        for (a, b, _), x, y in [rest])
        found = sorted((t["from_task"], t["to_task"], t["from_cluster"], t["to_cluster"]) for t in schedule["transfers"])
        if wanted != found:
            out.append("the transfers are not those of the mapping")
    for cluster in schedule["clusters"]:
        order = [levels.order.index(("task", task)) for task in cluster["tasks"]]
        if order != sorted(order):
            out.append(f"cluster {cluster['id']} is not in the static order")
    return out
