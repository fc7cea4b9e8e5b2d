// SPDX-License-Identifier: BSD-3-Clause
// Objects of the C interface in tests, and what is expected of their calls.
#ifndef PARHELION_TESTS_INTEROP_C_EXPECTATIONS_HPP
#define PARHELION_TESTS_INTEROP_C_EXPECTATIONS_HPP

#include "c_cases.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace parhelion::Testing {

inline Style const plain{};
inline Style const fortran{.first_fastest = true, .padding = 3};
inline Style const strange{.first_fastest = false, .padding = 5, .backwards = true};
inline std::vector<Style> const styles{plain, fortran, strange};

/// Works with the status of a call.
#define EXPECT_STATUS(EXPECTED, CALL, MESSAGE)                                \
  do {                                                                        \
    EXPECT_EQ(CALL, EXPECTED) << last_error();                                \
    EXPECT_NE(last_error().find(MESSAGE), std::string::npos) << last_error(); \
  } while (false)
#define EXPECT_GOOD(CALL) EXPECT_EQ(CALL, PARHELION_SUCCESS) << last_error()
#define ASSERT_GOOD(CALL) ASSERT_EQ(CALL, PARHELION_SUCCESS) << last_error()

/// An object for the options of a case, which is destroyed in the end.
template <class Case>
class Made {
 public:
  explicit Made(Case const& c) { m_status = c_create(&c.options, &m_handle); }
  ~Made() { EXPECT_EQ(c_destroy(m_handle), PARHELION_SUCCESS) << last_error(); }
  Made(Made const&) = delete;
  Made& operator=(Made const&) = delete;

  int status() const { return m_status; }
  operator typename Case::Handle *() const { return m_handle; }

  int solve(Case& c) const {
    c.describe();
    int const status = c_solve(m_handle, &c.input, &c.output);
    EXPECT_TRUE(c.guards_are_untouched());
    return status;
  }

 private:
  typename Case::Handle* m_handle = nullptr;
  int m_status = 0;
};

/// Makes an object, computes, and destroys it.
template <class Case>
int compute(Case& c) {
  Made<Case> const made(c);
  return made.status() != PARHELION_SUCCESS ? made.status() : made.solve(c);
}

template <KokkosView View>
void expect_same(std::string const& name, CallerArray const& found, View const& expected, bool upside_down = false) {
  ASSERT_EQ(found.rank(), static_cast<int>(View::rank())) << name;
  for (std::size_t d = 0; d < View::rank(); ++d)
    ASSERT_EQ(found.extent(static_cast<int>(d)), static_cast<std::int64_t>(expected.extent(d))) << name;
  std::size_t different = 0;
  found.for_each([&](Index const& i) {
    auto j = i;
    if (upside_down) j[1] = found.extent(1) - 1 - i[1];
    auto const value = static_cast<double>(CallerArray::at(expected, j));
    if (found.value(i) != value) ++different;
  });
  EXPECT_EQ(different, 0U) << name;
}

/// Results of a case and of C++, whose descriptions may have other names.
template <class Set>
void expect_same(std::map<std::string, CallerArray> const& found, Set const& expected,
                 std::map<std::string, std::string> const& names = {}, bool upside_down = false) {
  std::size_t compared = 0;
  Set::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        std::string name(description.name);
        if (auto const other = names.find(name); other != names.end()) name = other->second;
        auto const here = found.find(name);
        if (here == found.end()) return;
        expect_same(name, here->second, view, upside_down && description.vertical() == 1);
        ++compared;
      },
      expected);
  EXPECT_EQ(compared, found.size());
}

/// An array with its second index reversed.
inline CallerArray turned(CallerArray const& array) {
  auto result = array;
  array.for_each([&](Index const& i) {
    auto j = i;
    j[1] = array.extent(1) - 1 - i[1];
    result.set(j, array.value(i));
  });
  return result;
}

/// All results of both cases are the same.
template <class Case>
void expect_same_results(Case const& found, Case const& expected) {
  for (auto const& result : found.out) {
    // No structured binding: where there is OpenMP, clang 16 lets no lambda capture one.
    auto const& name = result.first;
    auto const& array = result.second;
    array.for_each([&](Index const& i) { ASSERT_EQ(array.value(i), expected.out.at(name).value(i)) << name; });
  }
}

}  // namespace parhelion::Testing

#endif
