#include "similar_stages.hpp"

#include <algorithm>

namespace pipelines::similar {
namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e37'79b9'7f4a'7c15u + 1) {}
  uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  // -1 to 1
  float real() { return static_cast<float>(next() & 0xffff) / 32768.0f - 1.0f; }
  Features features() {
    Features features;
    for (float& feature : features) feature = real();
    return features;
  }

 private:
  uint64_t state_;
};

// Eight sums, in an order that is written down: the same bits however it is compiled into vectors.
float distance(const Features& a, const Features& b) {
  float sums[8] = {};
  for (size_t i = 0; i < kFeatures; i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) {
      const float difference = a[i + lane] - b[i + lane];
      sums[lane] += difference * difference;
    }
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Equal distances go by number.
bool is_nearer(const Neighbour& a, const Neighbour& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
}

}  // namespace

Collection::Collection(size_t vectors) {
  Random random(1);
  for (size_t i = 0; i < kPixels; ++i) projection_.push_back(random.features());
  for (size_t i = 0; i < kClusters; ++i) centres_.push_back(random.features());
  std::vector<Features> all(vectors);
  for (Features& one : all) {
    one = centres_[random.next() % kClusters];
    for (float& feature : one) feature += random.real() * 0.7f;
  }
  fill_clusters(all);
}

void Collection::fill_clusters(const std::vector<Features>& vectors) {
  std::vector<std::vector<uint32_t>> clusters(kClusters);
  for (uint32_t id = 0; id < vectors.size(); ++id) {
    Neighbour best{0, distance(vectors[id], centres_[0])};
    for (uint32_t cluster = 1; cluster < kClusters; ++cluster) {
      const Neighbour other{cluster, distance(vectors[id], centres_[cluster])};
      if (is_nearer(other, best)) best = other;
    }
    clusters[best.id].push_back(id);
  }
  for (const auto& cluster : clusters) {
    first_.push_back(ids_.size());
    for (const uint32_t id : cluster) {
      ids_.push_back(id);
      members_.push_back(vectors[id]);
    }
  }
  first_.push_back(ids_.size());
}

std::optional<Image> Images::operator()() {
  if (next_ == count_) return std::nullopt;
  Image image{next_, 0, {}};
  Random random(next_ + 1000);
  for (uint8_t& pixel : image.pixels) pixel = static_cast<uint8_t>(random.next());
  next_ += 1;
  return image;
}

Query Collection::extract(const Image& image) const {
  Query query{image.number, 0, {}};
  for (size_t pixel = 0; pixel < kPixels; ++pixel) {
    const float value = static_cast<float>(image.pixels[pixel]) / 128.0f - 1.0f;
    for (size_t i = 0; i < kFeatures; ++i) query.features[i] += value * projection_[pixel][i];
  }
  for (float& feature : query.features) feature /= 16.0f;
  return query;
}

Probe Collection::probe(const Query& query) const {
  std::array<Neighbour, kClusters> centres;
  for (uint32_t i = 0; i < kClusters; ++i) centres[i] = {i, distance(query.features, centres_[i])};
  std::partial_sort(centres.begin(), centres.begin() + kProbes, centres.end(), is_nearer);
  Probe probe{query, {}};
  for (size_t i = 0; i < kProbes; ++i) probe.clusters[i] = centres[i].id;
  return probe;
}

Answer Collection::rank(const Probe& probe) const {
  std::vector<Neighbour> found;
  for (const uint32_t cluster : probe.clusters) {
    for (size_t at = first_[cluster]; at < first_[cluster + 1]; ++at) {
      found.push_back({ids_[at], distance(probe.query.features, members_[at])});
    }
  }
  found.resize(std::max(found.size(), kNearest), {UINT32_MAX, 1e30f});
  std::partial_sort(found.begin(), found.begin() + kNearest, found.end(), is_nearer);
  Answer answer{probe.query.number, 0, {}};
  std::copy_n(found.begin(), kNearest, answer.nearest.begin());
  return answer;
}

}  // namespace pipelines::similar
