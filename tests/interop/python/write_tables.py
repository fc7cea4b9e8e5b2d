#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of the reference of the Python module: parhelion-python write_tables.py"""
import pathlib

from parhelion import _docs

page = pathlib.Path(__file__).resolve().parents[3] / "docs/reference/python.md"
page.write_text(_docs.with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
