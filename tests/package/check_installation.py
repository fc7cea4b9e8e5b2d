#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that nothing in an installation refers to where it was made.

    check_installation.py PREFIX FOLDER...

Looks at the loader and the search paths of every program and shared library, at the libraries that programs really
load, and at the text of every other file but archives, for the FOLDERs. Prints what it finds and exits with 1.
"""
import os
import pathlib
import re
import subprocess
import sys


def of_program(path):
    """What an ELF file says of other files."""
    text = subprocess.run(["readelf", "--wide", "--program-headers", "--dynamic", path], capture_output=True, text=True,
                          check=True).stdout
    found = re.findall(r"interpreter: (.*)\]", text) + re.findall(r"\((?:RPATH|RUNPATH|NEEDED)\).*\[(.*)\]", text)
    if "interpreter:" in text:
        loaded = subprocess.run([path], env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True,
                                text=True, check=True).stdout
        if "not found" in loaded:
            found.append("missing: " + loaded)
        found += re.findall(r"(/\S+) \(0x", loaded)
    return "\n".join(found)


def main(arguments):
    prefix, folders = pathlib.Path(arguments[0]), arguments[1:]
    findings = []
    files = [path for path in sorted(prefix.rglob("*")) if path.is_file() and path.suffix != ".a"]
    for path in files:
        content = path.read_bytes()
        # What lies in the prefix is no reference out of it, wherever the prefix is.
        is_elf = content.startswith(b"\x7fELF")
        text = (of_program(path) if is_elf else content.decode("utf-8", "replace")).replace(str(prefix), "PREFIX")
        findings += [f"{path.relative_to(prefix)}: {line.strip()}" for line in text.splitlines()
                     if line.startswith("missing") or any(folder in line for folder in folders)]
    print("\n".join(findings) if findings else f"{len(files)} files refer to nothing of {', '.join(folders)}")
    return 1 if findings or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
