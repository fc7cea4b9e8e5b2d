# SPDX-License-Identifier: BSD-3-Clause
"""The reports of the benchmarks of one machine and one build, as perf/run_all.sh writes them."""
import json
import os
import re

RATES = ("columns/s", "profiles/s", "rays/s")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
# What Google Benchmark appends to a name.
APPENDED = re.compile(r"(/iterations:\d+)?/manual_time$")
SPACE = re.compile(r"[^/]+/(Cuda|HIP|SYCL|OpenMP|Threads|Serial)/")
# What is the same in all reports of a build.
CONTEXT = ("parhelion_revision", "kokkos_configuration", "processor", "compiler", "build_type", "cxx_flags")


class ReportError(Exception):
    """What is wrong with a report."""


class Reports:
    """The median of each benchmark over its repetitions, by its name, and the machine.

    path: a report, or a folder of which all reports are read
    """

    def __init__(self, path):
        self.path = path.rstrip("/")
        self.runs, self.context = {}, {}
        names = [path]
        if os.path.isdir(path):
            names = sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".json"))
            if not names:
                raise ReportError(f"{path}: no reports")
        for name in names:
            self._add(name)
        self.revision = self.context["parhelion_revision"]
        configuration = self.context["kokkos_configuration"]
        # A build for a device runs on hosts, too: the names of the benchmarks say where they ran.
        device = re.search(r"Kokkos::(Cuda|HIP|SYCL)\[ \d+ \] ([^:;]+) : Selected", configuration)
        threads = re.search(r"Kokkos::\w+ thread_pool_topology\[ \d+ x (\d+) x \d+ \]", configuration)
        spaces = {space[1] for space in map(SPACE.match, self.runs) if space}
        if len(spaces) != 1:
            raise ReportError(f"{path}: runs of {', '.join(sorted(spaces)) or 'no execution space'}, expected of one")
        self.space = spaces.pop()
        self.is_device = self.space in ("Cuda", "HIP", "SYCL")
        # Of the host, also beside a device, for which they convert the arrays of a caller.
        self.threads = int(threads[1]) if threads else 1
        self.one_thread = not self.is_device and self.threads == 1
        name = device[2] if self.is_device and device else self.context["processor"]
        # Without what a vendor says beside the name: NVIDIA H100 80GB HBM3, Intel(R) Xeon(R) Processor.
        self.machine = " ".join(re.sub(r"\((R|TM)\)| \d+GB\b.*| Processor\b", "", name).split())

    def _add(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        except (OSError, ValueError) as error:
            raise ReportError(f"{path}: {error}") from error
        for key in CONTEXT:
            value = report["context"].get(key, "unknown")
            if self.context.setdefault(key, value) != value:
                raise ReportError(f"{path}: {key} {value}, and {self.context[key]} in the reports beside it")
        of_name = {}
        for run in report["benchmarks"]:
            if run.get("error_occurred"):
                raise ReportError(f"{path}: {run['name']}: {run.get('error_message')}")
            of_name.setdefault(APPENDED.sub("", run["run_name"]), []).append(run)
        for name, runs in of_name.items():
            medians = [run for run in runs if run.get("aggregate_name") == "median"]
            if not medians and len(runs) > 1:
                raise ReportError(f"{path}: {name}: repetitions without their median")
            run = (medians or runs)[0]
            # A size that was measured twice counts with more repetitions.
            if name not in self.runs or run.get("repetitions", 1) > self.runs[name].get("repetitions", 1):
                self.runs[name] = run

    def value(self, name, key, **others):
        """A figure of a benchmark; nothing where it was not measured.

        name:   with {space} for the execution space, and others in braces
        key:    of a counter; `seconds` is the time of a call; `rate` columns, profiles or rays per second, of one
                thread by its own time, as the machine may have had other work
        others: what else stands in the name
        """
        run = self.runs.get(name.format(space=self.space, **others))
        if run is None:
            return None
        if key == "seconds":
            return run["real_time"] * SECONDS[run["time_unit"]]
        if key == "rate" and self.one_thread:
            items = re.search(r"/(?:ncol|nprofile|nray):(\d+)", run["run_name"])
            return int(items[1]) / (run["cpu_time"] * SECONDS[run["time_unit"]])
        if key == "rate":
            key = next((name for name in RATES if name in run), key)
        if key not in run:
            raise ReportError(f"{self.path}: {run['run_name']} has no {key}")
        return run[key]

    def limit(self, real, key):
        """The median over benchmarks of a rate of the machine in a precision; nothing where none has it."""
        values = sorted(run[key] for name, run in self.runs.items() if f"/{self.space}/{real}/" in name and key in run)
        return values[len(values) // 2] if values else None
