#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a program with what pkg-config says of the installation, and nothing else, and runs it.
#
#   pkg_config.sh FOLDER_OF_PC SOURCE PROGRAM COMPILER [OPTION...]
set -euo pipefail
command -v pkg-config > /dev/null || { echo "skipped: there is no pkg-config"; exit 77; }
export PKG_CONFIG_PATH=$1
source=$2
program=$3
shift 3
read -r -a flags <<< "$(pkg-config --cflags --libs parhelion)"
"$@" "$source" -o "$program" "${flags[@]}"
"$program"
