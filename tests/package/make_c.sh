#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a program in C by its makefile, which asks pkg-config about the installation, and runs it.
#
#   make_c.sh FOLDER_OF_PC FOLDER_OF_SOURCE COMPILER [OPTION...]
set -euo pipefail
for tool in pkg-config make; do
  command -v "$tool" > /dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
export PKG_CONFIG_PATH=$1
folder=$2
shift 2
CFLAGS=-O2 make --always-make --directory "$folder" CC="$*"
"$folder/consumer"
