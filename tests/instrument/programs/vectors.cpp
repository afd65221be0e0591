// Has functions of the standard library in itself that the library has, too.
#include <mpi.h>

#include <string>
#include <unordered_map>
#include <vector>

template <typename T>
size_t fill(size_t n) {
  std::vector<T> values;
  for (size_t i = 0; i < n; ++i) values.push_back(static_cast<T>(i));
  values.resize(2 * n);
  values.insert(values.begin(), values[n / 2]);
  return values.size();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto n = static_cast<size_t>(argc) * 100;
  std::string text;
  std::unordered_map<int, int> map;
  for (size_t i = 0; i < n; ++i) {
    text += std::to_string(i) + ", ";
    map[static_cast<int>(i)] += 1;
  }
  const size_t sum = fill<int>(n) + fill<unsigned long>(n) + fill<MPI_Request>(n) + text.size() + map.size();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == 0;
}
