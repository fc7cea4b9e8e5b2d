#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a program that has to stop with a message and a status that is not 0.
#
#   stops.sh MESSAGE PROGRAM [ARGUMENT...]
message=$1
shift
output=$("$@" 2>&1)
status=$?
echo "$output"
[ $status -ne 77 ] || exit 77
[ $status -ne 0 ] || { echo "the program did not stop"; exit 1; }
[ $status -lt 128 ] || { echo "the program was killed by signal $((status - 128))"; exit 1; }
case $output in
  *"$message"*) exit 0 ;;
esac
echo "the message does not contain: $message"
exit 1
