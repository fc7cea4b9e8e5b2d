/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a dataset of a netCDF-4 file of the reference data as doubles; Fortran needs no library of netCDF for it. */
#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** \return 1 if there is reference data, 0 if there is none, after a line that says so */
int has_test_data(void) {
  FILE* file = fopen(PARHELION_TEST_DATA "/rrtmg_lw/case_clear_a.nc", "rb");
  if (file != NULL) {
    fclose(file);
    return 1;
  }
  printf("skipped: there is no reference data in PARHELION_TEST_DATA ('%s')\n", PARHELION_TEST_DATA);
  return 0;
}

/** \brief The path of a file of the reference data.
 *  \param file_name in its folder; what begins with a slash is a path already
 *  \param path      set to it, ended by a 0 byte */
void path_of_case(const char* file_name, char* path, int size) {
  snprintf(path, (size_t)size, file_name[0] == '/' ? "%s%s" : "%s/%s", file_name[0] == '/' ? "" : PARHELION_TEST_DATA,
           file_name);
}

/** \return 1 if there is a file of the reference data, 0 after a line that says that there is none */
int has_case(const char* file_name) {
  char path[4096];
  path_of_case(file_name, path, sizeof path);
  FILE* file = fopen(path, "rb");
  if (file != NULL) {
    fclose(file);
    return 1;
  }
  printf("skipped: there is no %s\n", path);
  return 0;
}

/** \brief Sets `values` to the `count` entries of a dataset; ends the program where that is not possible.
 *  \param file_name in the folder of the reference data, such as rrtmg_lw/case_clear_a.nc, or a path */
void read_case(const char* file_name, const char* dataset, double* values, int count) {
  char path[4096];
  path_of_case(file_name, path, sizeof path);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t data = file < 0 ? -1 : H5Dopen2(file, dataset, H5P_DEFAULT);
  hid_t space = data < 0 ? -1 : H5Dget_space(data);
  int const good = space >= 0 && H5Sget_simple_extent_npoints(space) == count &&
                   H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (!good) {
    fprintf(stderr, "%s: cannot read %d values of %s\n", path, count, dataset);
    exit(1);
  }
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
}

/** \brief Adds a dataset of doubles to a file, which is made where it is missing; ends the program where that is not
 *         possible.
 *  \param path    of the file
 *  \param dataset its name
 *  \param units   its attribute
 *  \param values  in row-major order
 *  \param rows    the first extent
 *  \param row     the second extent; 0: there is one dimension */
void write_case(const char* path, const char* dataset, const char* units, const double* values, int rows, int row) {
  FILE* known = fopen(path, "rb");
  if (known != NULL) fclose(known);
  hid_t file = known != NULL ? H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT)
                             : H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  hsize_t const extents[2] = {(hsize_t)rows, (hsize_t)row};
  hid_t space = H5Screate_simple(row > 0 ? 2 : 1, extents, NULL);
  hid_t data = file < 0 ? -1
                        : H5Dcreate2(file, dataset, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, strlen(units));
  hid_t one = H5Screate(H5S_SCALAR);
  hid_t attribute = data < 0 ? -1 : H5Acreate2(data, "units", text, one, H5P_DEFAULT, H5P_DEFAULT);
  int const good = attribute >= 0 && H5Awrite(attribute, text, units) >= 0 &&
                   H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (!good) {
    fprintf(stderr, "%s: cannot write %s\n", path, dataset);
    exit(1);
  }
  H5Aclose(attribute);
  H5Sclose(one);
  H5Tclose(text);
  H5Dclose(data);
  H5Sclose(space);
  H5Fclose(file);
}
