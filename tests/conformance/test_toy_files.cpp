// SPDX-License-Identifier: BSD-3-Clause
// What io/ gives to a solver that keeps the contract: files.
#include "toy_host.hpp"

#include <parhelion/io/array_files.hpp>

#include <string>
#include <vector>

namespace parhelion::Testing {
// The suite itself runs in test_toy.cpp.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Conformance);
}  // namespace parhelion::Testing

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Pair>
struct ConformanceToyFiles : testing::Test {};
TYPED_TEST_SUITE(ConformanceToyFiles, SpacesAndReals, PairName);

TYPED_TEST(ConformanceToyFiles, ResultsBecomeFiles) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const host = host_arrays<Real>(11, 5);
  solve<Space, Real>(host);
  std::string const path = scratch_folder() + "/grey.nc";
  auto const result = descriptions_of<GreyFluxes<Space, Real>>();
  {
    io::NetcdfWriter file(path);
    for (std::size_t i = 0; i < result.size(); ++i) io::add_array(file, result[i], host.result()[i]);
    file.commit();
  }
  io::Hdf5File const file(path);
  EXPECT_EQ(file.text_attribute("flux_up", "units"), "W m-2");
  EXPECT_EQ(file.text_attribute("flux_up", "standard_name"), "upwelling_longwave_flux_in_air");
  EXPECT_EQ(file.shape("flux_dn"), (std::vector<std::size_t>{11, 6}));
  auto const back = host_arrays<double, Kokkos::LayoutLeft>(11, 5);
  io::read_array(file, result[0], array_ref(back.flux_up));
  EXPECT_EQ(largest_difference(back.flux_up, host.flux_up), 0);
}

}  // namespace
