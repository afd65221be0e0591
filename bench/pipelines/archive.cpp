#include "archive.hpp"

#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "dedup_stages.hpp"

namespace pipelines::dedup {
namespace {

constexpr char kMagic[9] = "DLDEDUP1";

using OpenFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

OpenFile open_file(const std::string& path, const char* how) {
  OpenFile file(std::fopen(path.c_str(), how), std::fclose);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

void write(std::FILE* file, const void* bytes, size_t size) {
  if (std::fwrite(bytes, 1, size, file) != size) throw std::system_error(errno, std::generic_category(), "writing");
}

void read(std::FILE* file, void* bytes, size_t size) {
  if (std::fread(bytes, 1, size, file) != size) throw std::runtime_error("the archive is cut off");
}

template <typename T>
T read(std::FILE* file) {
  T value;
  read(file, &value, sizeof(value));
  return value;
}

// The next chunk; `known` holds all that differ, by number.
const std::string& next_chunk(std::FILE* archive, std::vector<std::string>* known) {
  const auto record = read<RecordOfChunk>(archive);
  if (record.number > known->size() || (record.number == known->size()) != (record.packed_bytes != 0)) {
    throw std::runtime_error("the archive names a chunk that is not there");
  }
  if (record.packed_bytes != 0) {
    std::string packed(record.packed_bytes, '\0'), chunk(record.bytes, '\0');
    read(archive, packed.data(), packed.size());
    if (ZSTD_decompress(chunk.data(), chunk.size(), packed.data(), packed.size()) != chunk.size()) {
      throw std::runtime_error("a chunk of the archive is broken");
    }
    known->push_back(std::move(chunk));
  }
  return (*known)[record.number];
}

}  // namespace

ArchiveWriter::ArchiveWriter(const Tree& tree, const std::string& path)
    : file_(nullptr, std::fclose), state_(XXH3_createState(), XXH3_freeState) {
  if (!path.empty()) file_ = open_file(path, "wb");
  XXH3_128bits_reset(state_.get());
  Head head{{}, tree.files().size()};
  std::copy_n(kMagic, sizeof(head.magic), head.magic);
  append(std::as_bytes(std::span(&head, 1)));
  for (const Tree::File& file : tree.files()) {
    const PathHead path_head{file.size, file.path.size()};
    append(std::as_bytes(std::span(&path_head, 1)));
    append(std::as_bytes(std::span(file.path)));
  }
}

void ArchiveWriter::append(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  if (file_) write(file_.get(), bytes.data(), bytes.size());
  size_ += bytes.size();
}

void ArchiveWriter::close() {
  if (file_ && std::fclose(file_.release()) != 0) throw std::system_error(errno, std::generic_category(), "closing");
}

std::string ArchiveWriter::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

void restore(const std::string& archive, const std::string& folder) {
  const OpenFile file = open_file(archive, "rb");
  const auto head = read<Head>(file.get());
  if (std::string(head.magic, sizeof(head.magic)) != kMagic) throw std::runtime_error("this is no archive");
  std::vector<std::pair<std::string, uint64_t>> files;
  for (uint64_t i = 0; i < head.files; ++i) {
    const auto path_head = read<PathHead>(file.get());
    std::string path(path_head.path_bytes, '\0');
    read(file.get(), path.data(), path.size());
    files.emplace_back(std::move(path), path_head.size);
  }
  std::vector<std::string> known;
  for (const auto& [path, size] : files) {
    const std::filesystem::path target = std::filesystem::path(folder) / path;
    std::filesystem::create_directories(target.parent_path());
    const OpenFile out = open_file(target.string(), "wb");
    for (uint64_t done = 0; done < size;) {
      const std::string& chunk = next_chunk(file.get(), &known);
      write(out.get(), chunk.data(), chunk.size());
      done += chunk.size();
    }
  }
}

}  // namespace pipelines::dedup
