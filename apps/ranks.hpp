// SPDX-License-Identifier: BSD-3-Clause
// The processes that a launcher such as mpiexec has started together, which share the work of a subcommand. All that is
// known of MPI is in ranks_mpi.cpp; a build without MPI has ranks_single.cpp instead, and one rank.
#ifndef PARHELION_APPS_RANKS_HPP
#define PARHELION_APPS_RANKS_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/io/file_sharing.hpp>
#include <parhelion/io/item_range.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace parhelion::Apps {

/// What another rank has thrown, with its message.
class OtherRankFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \brief The message of an exception for users, in one place for all.
std::string message_of(std::exception const& error);

/// \brief The ranks of this run, and this one of them. Ranks are counted from 0.
///
/// Functions that say so are collective: all ranks call them in the same order. Only the first rank prints.
class Ranks {
 public:
  /// \brief Joins the other ranks where a launcher has started the program; otherwise this is the only one.
  ///
  /// MPI is started only where the environment shows a launcher, as it takes a third of a second.
  /// \throws parhelion::Error where a launcher has started several processes of a build without MPI
  Ranks();
  ~Ranks();
  Ranks(Ranks const&) = delete;
  Ranks& operator=(Ranks const&) = delete;

  int rank() const { return m_rank; }
  int size() const { return m_size; }
  bool first() const { return m_rank == 0; }
  bool several() const { return m_size > 1; }

  /// Number of this rank among those of this machine, and how many these are.
  int local_rank() const { return m_local_rank; }
  int local_size() const { return m_local_size; }

  /// The part of this rank, for readers.
  io::Part part() const { return {m_rank, m_size}; }

  /// The ranges of n items that the ranks have.
  std::vector<io::ItemRange> ranges(std::size_t n) const;

  /// \brief Runs an action; collective. If it throws on any rank, all throw: those that did, what they have thrown, the
  ///        others OtherRankFailed with the message of the first of them.
  ///
  /// The first rank always gets the message of the first rank that failed. The action itself must not call collective
  /// functions that only some ranks reach.
  void collectively(std::function<void()> const& action) const;

  /// Whether what is thrown now has been thrown by all ranks.
  bool all_failed() const { return m_all_failed; }

  /// Ends all ranks, where one of them fails alone.
  [[noreturn]] void abort(int status) const;

  /// Gives all ranks a text of one of them; collective.
  void broadcast(std::string& text, int from) const;

  /// \brief How ranks write a file together; nullptr where the first one writes what it has gathered: where there is
  ///        one rank, where HDF5 is not parallel, and where PARHELION_PARALLEL_HDF5 says no.
  /// \throws parhelion::Error as use_parallel_hdf5(), on all ranks
  io::FileSharing const* file_sharing() const;

  /// \brief Runs the action of writing a file; collective.
  /// \param sharing of file_sharing(); without it the first rank acts alone, as collectively()
  void write(io::FileSharing const* sharing, std::function<void()> const& action) const;

  /// Sums over all ranks, on all of them; collective.
  std::vector<double> sums(std::vector<double> const& numbers) const;

  /// The largest values of all ranks, on all of them; collective.
  std::vector<double> largest(std::vector<double> const& numbers) const;

  bool any(bool here) const { return largest({here ? 1. : 0.}).front() > 0; }

  /// The sum over the ranks of this machine; collective.
  double sum_on_machine(double number) const;

  /// Cores that the ranks of this machine may use together; collective.
  int cores_of_machine() const;

  /// \brief Completes an array on the first rank by the items of the others. Called by the ranks that have items.
  /// \param array  the items of this rank, row-major; on the first rank replaced by those of all
  /// \param ranges of all ranks
  /// \param blocks the first extent of the array is that of so many blocks, each of the items of the rank
  template <KokkosView View>
  void gather(View& array, std::vector<io::ItemRange> const& ranges, std::size_t blocks = 1) const {
    if (!several() || array.size() == 0) return;
    std::size_t const here = ranges[static_cast<std::size_t>(m_rank)].count * blocks;
    std::size_t const bytes = array.size() / here * sizeof(typename View::value_type);
    if (!first()) {
      send_items(array.data(), here * bytes);
      return;
    }
    auto layout = array.layout();
    layout.dimension[0] = ranges.back().end() * blocks;
    View const all(Kokkos::view_alloc("parhelion::gathered", Kokkos::WithoutInitializing), layout);
    receive_items(array.data(), all.data(), bytes, ranges, blocks);
    array = all;
  }

 private:
  // What the two versions differ in.
  void start();
  void finish();
  int smallest(int number) const;
  void send(void const* bytes, std::size_t size, int to) const;
  void receive(void* bytes, std::size_t size, int from) const;

  void send_items(void const* items, std::size_t size) const;
  void receive_items(void const* own, void* all, std::size_t bytes, std::vector<io::ItemRange> const& ranges,
                     std::size_t blocks) const;

  int m_rank = 0, m_size = 1, m_local_rank = 0, m_local_size = 1;
  mutable bool m_all_failed = false;
  bool m_started = false;
};

/// The ranks of this run; started by the first call, which main() makes.
Ranks const& ranks();

}  // namespace parhelion::Apps

#endif
