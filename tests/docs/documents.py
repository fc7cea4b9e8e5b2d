# SPDX-License-Identifier: BSD-3-Clause
"""What the documents show: commands, Python, C++ and synopses, in their order.

Commands stand in fenced blocks of the language `sh`, after `$ ` in indented blocks, or as lines of indented blocks that
begin with a known program. What looks like a command and begins with an unknown one is a command, too, so that it gets
noticed. All else in indented blocks is output, a message or a formula.
"""

import dataclasses
import pathlib
import re
import shlex
import sys

# What commands begin with, beside scripts of the clone and programs of the build.
PROGRAMS = {
    "apt-get", "cat", "cd", "cmake", "ctest", "export", "g++", "git", "head", "man", "mkdir", "module", "mpirun",
    "nccopy", "ncdump", "nvidia-smi", "parhelion", "parhelion-python", "patchelf", "pip", "pkg-config", "python3",
    "source", "spack", "sudo",
}
IN_CLONE = re.compile(r"(\./)?(scripts|examples|perf|tests|build[\w-]*)/")
BUILT = re.compile(r"(perf|example|test)_\w+$")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
OPTION = re.compile(r"--?[A-Za-z][\w-]*")
PLACEHOLDER = re.compile(r"[A-Z]{2,}(\.\.\.)?$")


@dataclasses.dataclass
class Item:
    kind: str  # "shell", "python", "cpp", "fortran", "synopsis" or "heading"
    line: int
    text: str
    output: list = dataclasses.field(default_factory=list)  # lines that the document shows behind a command


def first_program(command):
    """The word that a command begins with, after assignments; "" where there are only these, None for no command."""
    try:
        words = shlex.split(command.replace("\\\n", " "), comments=True)
    except ValueError:
        return None
    for word in words:
        if not ASSIGNMENT.match(word):
            return word
    return "" if words else None


def is_known(command):
    program = first_program(command)
    if program is None or program.endswith("/"):  # a folder
        return False
    return program == "" or program in PROGRAMS or bool(IN_CLONE.match(program) or BUILT.match(program))


def looks_like_command(line):
    """Whether a line has options and begins with what may be the name of a program."""
    program = first_program(line)
    return bool(program and re.fullmatch(r"[a-z/~.][\w./+-]*", program) and
                any(OPTION.fullmatch(word) for word in line.split()[1:]))


def is_synopsis(line):
    return line.startswith("parhelion ") and ("[-" in line or "|" in line or
                                              any(PLACEHOLDER.fullmatch(word) for word in line.split()))


def items_of_block(first_line, lines):
    """Commands and synopses of an indented block."""
    number = first_line
    pending, begin = [], first_line
    logical = []  # (line number, text), with continuations joined
    for line in lines:
        if logical and not pending and line.startswith(" ") and is_synopsis(logical[-1][1]):
            logical[-1] = (logical[-1][0], f"{logical[-1][1]} {line.strip()}")
        else:
            if not pending:
                begin = number
            pending.append(line)
            if not line.endswith("\\"):
                logical.append((begin, "\n".join(pending)))
                pending = []
        number += 1
    prompts = any(text.startswith("$ ") for _, text in logical)
    found = []
    for line, text in logical:
        if prompts and not text.startswith("$ "):
            if found and text.strip():
                found[-1].output.append(text)
        elif is_synopsis(text.removeprefix("$ ")):
            found.append(Item("synopsis", line, text.removeprefix("$ ")))
        elif prompts or is_known(text) or looks_like_command(text):
            found.append(Item("shell", line, text.removeprefix("$ ")))
    return found


def indented_block(lines, begin):
    """Where a block ends, and its lines."""
    end = begin
    while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
        end += 1
    return end, [each[4:] for each in lines[begin:end]]


def items(text):
    """All items of a document in Markdown."""
    lines = text.splitlines()
    i = 0
    before = None  # Python that was the last block
    while i < len(lines):
        line = lines[i]
        if fence := re.match(r"```(\w*)", line):
            end = next(j for j in range(i + 1, len(lines)) if lines[j].startswith("```"))
            kind = {"sh": "shell", "bash": "shell", "python": "python", "cpp": "cpp", "fortran": "fortran"}.get(fence[1])
            block = lines[i + 1:end]
            if kind:
                item = Item(kind, i + 2, "\n".join(block))
                yield item
                before = item if kind == "python" else None
            elif not fence[1]:
                yield from items_of_block(i + 2, block)
            i = end + 1
        elif line.startswith("    ") and (i == 0 or not lines[i - 1].strip()):
            end, block = indented_block(lines, i)
            found = items_of_block(i + 1, block)
            if before and not found:
                before.output = [each for each in block if each.strip()]
            yield from found
            before, i = None, end
        else:
            before = before if not line.strip() else None
            if heading := re.match(r"#+ (.*)", line):
                yield Item("heading", i + 1, heading[1])
            i += 1


def anchors(text):
    """The places in a document that links may name, as GitHub makes them of headings."""
    headings = [item.text for item in items(text) if item.kind == "heading"]
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def links(text):
    """Targets of links in a document that are not addresses."""
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", prose) + re.findall(r"^\[[^\]]+\]: (\S+)", prose, re.MULTILINE)
    return [target for target in targets if not re.match(r"\w+:", target)]


def fragments(text):
    """C++ that is not a whole program."""
    return [item for item in items(text) if item.kind == "cpp" and "int main(" not in item.text]


if __name__ == "__main__":
    # documents.py DOCUMENT PREFIX: writes the fragments of a document to PREFIX_1.inc and so on.
    source, prefix = map(pathlib.Path, sys.argv[1:])
    for count, fragment in enumerate(fragments(source.read_text(encoding="utf-8")), 1):
        place = f'#line {fragment.line} "{source}"\n'
        prefix.with_name(f"{prefix.name}_{count}.inc").write_text(place + fragment.text + "\n", encoding="utf-8")
