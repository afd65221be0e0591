// The stages of a search for similar images: of each image a vector of features is made, the clusters nearest to it are
// found in an index, and their members are ranked by distance. Images and collection are synthetic, from one seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <base/huge_pages.hpp>

namespace pipelines::similar {

inline constexpr size_t kPixels = 1024, kFeatures = 64, kNearest = 10;
inline constexpr size_t kClusters = 256, kProbes = 24;

using Features = std::array<float, kFeatures>;

struct Image {
  uint32_t number, unused;
  std::array<uint8_t, kPixels> pixels;
};

struct Query {
  uint32_t number, unused;
  Features features;
};

struct Probe {
  Query query;
  std::array<uint32_t, kProbes> clusters;  // the nearest first
};

struct Neighbour {
  uint32_t id;
  float distance;
};

struct Answer {
  uint32_t number, unused;
  std::array<Neighbour, kNearest> nearest;
};

// The collection in which is searched; made once, read by all.
class Collection {
 public:
  explicit Collection(size_t vectors);

  Query extract(const Image& image) const;
  Probe probe(const Query& query) const;
  Answer rank(const Probe& probe) const;

 private:
  void fill_clusters(const std::vector<Features>& vectors);

  std::vector<Features> projection_;  // kPixels of them
  std::vector<Features> centres_;
  // The members of a cluster lie one behind the other, from first_[cluster] on.
  std::vector<size_t> first_;
  std::vector<uint32_t> ids_;
  // In huge pages, so that starting a space does not copy a long page table.
  std::vector<Features, spmc::base::HugePages<Features>> members_;
};

// Image after image.
class Images {
 public:
  explicit Images(uint32_t count) : count_(count) {}
  std::optional<Image> operator()();

 private:
  uint32_t count_, next_ = 0;
};

}  // namespace pipelines::similar
