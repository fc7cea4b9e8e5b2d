#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a program in Fortran by its makefile, which asks pkg-config about the installation, and runs it; then the same
# with the libraries that the installed command compiles.
#
#   make_fortran.sh FOLDER_OF_PC COMMAND FOLDER_OF_SOURCE COMPILER [OPTION...]
set -euo pipefail
for tool in pkg-config make; do
  command -v "$tool" > /dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
export PKG_CONFIG_PATH=$1
command=$2
folder=$3
shift 3
FFLAGS=-O2 make --always-make --directory "$folder" FC="$*"
"$folder/consumer"

own=$folder/own
rm -rf "$own"
compiled=$("$command" --compiler "$*" --flags -O1 --output "$own" rrtmg_lw_r4 rrtmg_sw_r4)
echo "$compiled"
# What it says about both, without the lines about the module alone.
options_of() { sed -n "/For rrtmg_lw_r4/,\$s/^ *$1 with *//p" <<< "$compiled" | tr '\n' ' '; }
# As a user would paste it, so that the shell runs pkg-config.
eval "$* $(options_of compile) '$folder/consumer.f90' -o '$own/consumer' $(options_of link)"
"$own/consumer"
for library in rrtmg_lw rrtmg_sw; do
  [ ! -e "$own/lib$library.a" ] || { echo "a library was compiled that nobody asked for"; exit 1; }
done
