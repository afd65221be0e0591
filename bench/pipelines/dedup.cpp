// Packs a file tree: content-defined chunks, each once, compressed.
#include <cstdio>
#include <exception>

#include "archive.hpp"
#include "arguments.hpp"
#include "dedup_stages.hpp"
#include "run.hpp"

namespace {

constexpr const char* kUsage =
    "usage: dedup pack TREE [ARCHIVE] [--engine=spaces|threads|tbb] [--replicas=N]\n"
    "       dedup restore ARCHIVE FOLDER\n"
    "\n"
    "pack cuts the files of a folder into chunks, keeps each chunk once, compresses it, and writes an archive, or\n"
    "none when no name is given. It prints the archive's size and digest, which depend on the tree alone, and on\n"
    "standard error the seconds that it took. restore makes the tree again.\n"
    "\n"
    "  --engine=E    what the pipeline runs on (tbb: where oneTBB was found); spaces\n"
    "  --replicas=N  workers of each stage that may have several; 2\n";

using namespace pipelines;

int pack(const Arguments& arguments) {
  const Engine engine = arguments.engine();
  const int replicas = arguments.replicas();
  set_up_spaces(engine);
  const dedup::Tree tree = dedup::Tree::open(arguments.words()[1]);
  dedup::ArchiveWriter archive(tree, arguments.words().size() > 2 ? arguments.words()[2] : "");
  const bool well = run(
      engine, replicas, dedup::Pieces(tree), [&](std::span<const std::byte> part) { archive.append(part); },
      parallel("cut", [&tree](const dedup::Piece& piece) { return dedup::cut(tree, piece); }),
      serial("known", dedup::Known()),
      parallel("pack", [&tree](std::span<const dedup::Entry> entries) { return dedup::pack(tree, entries); }));
  if (!well) return 1;
  archive.close();
  std::printf("files %zu\nbytes %llu\ndigest %s\n", tree.files().size(),
              static_cast<unsigned long long>(archive.size()), archive.digest().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv, kUsage, {"--engine=", "--replicas="});
  const auto& words = arguments.words();
  try {
    if ((words.size() == 2 || words.size() == 3) && words[0] == "pack") return pack(arguments);
    if (words.size() == 3 && words[0] == "restore") {
      dedup::restore(words[1], words[2]);
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dedup: %s\n", error.what());
    return 1;
  }
  arguments.wrong("pack or restore?");
}
