#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the manual page of the program from what it says for --help, so that the page has all of it.

    man_page.py PROGRAM PAGE

Where the program cannot be run (it was built for another machine, say) there is no page, and a note.
"""
import pathlib
import re
import subprocess
import sys


def help_of(program, words):
    """What `program WORDS --help` says: the description, and {heading: lines}, where the heading is "" for free text."""
    text = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout
    description, *lines = text.splitlines()
    sections = {}
    heading = ""
    for line in lines:
        if re.fullmatch(r"\S.*:", line):
            heading = line[:-1]
        elif line.startswith("Usage: "):
            heading = ""
            sections["Usage"] = [line[len("Usage: "):]]
        elif line.startswith(" "):
            sections.setdefault(heading, []).append(line)
        else:
            heading = ""
            if line:
                sections.setdefault("", []).append(line)
    return description, sections


def entries(lines):
    """(name, description) of lines as "  NAME   description", where the description may begin or go on below."""
    result = []
    for line in lines:
        match = re.fullmatch(r"  (\S.*?)(?: {2,}(\S.*))?", line)
        if match:
            result.append([match[1], match[2] or ""])
        elif result:
            result[-1][1] = (result[-1][1] + " " + line.strip()).strip()
    return result


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def section(heading, lines):
    """The text of a section, without its heading."""
    if heading.startswith("Example"):
        return [".nf", *(roff(line.strip()) for line in lines), ".fi"]
    if not heading:
        return [line for text in lines for line in (".PP", roff(text))]
    return [line for name, text in entries(lines) for line in (".TP", f"\\fB{roff(name)}\\fR", roff(text))]


def subcommands(sections):
    return [name for name, _ in entries(sections.get("Subcommands", []))]


def command_sections(program, words, common):
    """The subsections of a subcommand and of those below it; what is common to all is left out."""
    description, sections = help_of(program, words)
    page = [f'.SS "parhelion {" ".join(roff(word) for word in words)}"', roff(description) + ".", ".PP"]
    page += [f"\\fB{roff(line)}\\fR" for line in sections["Usage"]]
    for heading, lines in sections.items():
        if heading not in ("Usage", "Subcommands") and common.get(heading) != lines:
            page += [".PP", f"\\fI{heading}\\fR", *section(heading, lines)] if heading else section(heading, lines)
    for name in subcommands(sections):
        page += command_sections(program, [*words, name], common)
    return page


def main(arguments):
    program, target = arguments[0], pathlib.Path(arguments[1])
    try:
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        target.unlink(missing_ok=True)
        print(f"man_page.py: no manual page, as the program does not run here: {error}")
        return
    description, sections = help_of(program, [])
    page = ['.\\" SPDX-License-Identifier: BSD-3-Clause', f'.TH PARHELION 1 "" "{version}" "User Commands"', ".SH NAME",
            f"parhelion \\- {roff(description[0].lower() + description[1:])}", ".SH SYNOPSIS",
            *(f"\\fB{roff(line)}\\fR" for line in sections["Usage"]), ".SH OPTIONS",
            *section("Options", sections["Options"]), ".SH SUBCOMMANDS", *section("Subcommands", sections["Subcommands"]),
            ".PP", "\\fBparhelion help\\fR \\fINAME\\fR says what \\fBparhelion\\fR \\fINAME\\fR \\fB\\-\\-help\\fR does."]
    for name in subcommands(sections):
        page += command_sections(program, [name], sections)
    for heading, lines in sections.items():
        if heading not in ("Usage", "Options", "Subcommands"):
            page += [f".SH {heading.upper() or 'NOTES'}", *section(heading, lines)]
    target.write_text("\n".join(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
