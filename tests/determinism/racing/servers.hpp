// Every fourth rank is a server, the others are clients that send their requests to servers by lot.
#pragma once

#include "racing.hpp"

namespace racing {

inline bool is_server(int rank) { return rank % 4 == 0; }

inline int server_of(int client, uint64_t request) {
  const auto servers = static_cast<uint64_t>((g_size + 3) / 4);
  return static_cast<int>(draw(static_cast<uint64_t>(client), request) % servers) * 4;
}

inline std::vector<int> clients() {
  std::vector<int> all;
  for (int rank = 0; rank < g_size; ++rank) {
    if (!is_server(rank)) all.push_back(rank);
  }
  return all;
}

}  // namespace racing
