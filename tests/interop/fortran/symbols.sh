#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whether all that the archives of the drop-in define belongs to its modules, by the names that GNU Fortran gives, and
# whether what objects of the original call is there.
#
#   symbols.sh ARCHIVE...
command -v nm > /dev/null || { echo "skipped: there is no nm"; exit 77; }
modules='parkind|parrrtm|rrlw_con|rrlw_wvn|rrtmg_lw_init|rrtmg_lw_rad|rrtmg_lw_rad_nomcica|mcica_subcol_gen_lw'
own='rrtmg_lw_parhelion|rrtmg_lw_parhelion_arrays'
status=0
for archive in "$@"; do
  names=$(nm --defined-only --extern-only "$archive" | awk 'NF == 3 { print $3 }')
  case $names in
    *__rrtmg_lw_rad_MOD_rrtmg_lw*) ;;
    *) echo "skipped: not the names of GNU Fortran"; exit 77 ;;
  esac
  if echo "$names" | grep -Ev "^__($modules|$own)_MOD_"; then
    echo "$archive defines these names, which are not of its modules"
    status=1
  fi
  for name in rrtmg_lw_rad_MOD_rrtmg_lw rrtmg_lw_rad_nomcica_MOD_rrtmg_lw rrtmg_lw_init_MOD_rrtmg_lw_ini \
              mcica_subcol_gen_lw_MOD_mcica_subcol_lw rrlw_con_MOD_grav rrlw_wvn_MOD_ngb; do
    echo "$names" | grep -qx "__$name" || { echo "$archive lacks __$name"; status=1; }
  done
done
exit $status
