// dmr index: links and words of files against what was written into them.
#include <map>
#include <set>

#include "../../../dmr/command/links.hpp"
#include "running.hpp"
#include "support/leak_check.hpp"
#include "support/sanitized.hpp"

using namespace dmr_jobs_test;
using dmr::command::html_border;

namespace {

using Index = std::map<std::string, std::vector<std::string>>;

std::string lines_of(const Index& index) {
  std::string lines;
  for (const auto& [target, files] : index) {
    lines += target;
    for (const std::string& file : files) lines += '\t' + file;
    lines += '\n';
  }
  return lines;
}

void enter(Index& index, const std::string& target, const std::string& file) {
  auto& files = index[target];
  if (files.empty() || files.back() != file) files.push_back(file);
}

// A page with links written in several ways; they are entered.
std::string make_page(uint64_t seed, size_t bytes, const std::string& file, Index& index) {
  Random random(seed);
  std::string page = "<html>";
  while (page.size() < bytes) {
    const std::string target =
        "http://site" + std::to_string(random.below(300)) + "/p" + std::to_string(random.below(9));
    const char* const forms[] = {"<a href=\"%\">", "<A class='x'\nHREF = '%' >", "<link rel=\"a\"href=\n\"%\"/>",
                                 "<a title=\"1 > 0\" hRef=\"%\">"};
    std::string form = forms[random.below(4)];
    page += form.replace(form.find('%'), 1, target);
    page += "some text = more, \"quoted\" and href</a>\n";
    enter(index, target, file);
  }
  return page;
}

}  // namespace

TEST_CASE("index: links") {
  const Folder folder;
  Index index;
  Arguments arguments = {"index"};
  const size_t sizes[] = {3'000'000, 100, 1'500'000, 0, 40'000};
  for (size_t i = 0; i < std::size(sizes); ++i) {
    const std::string name = "page" + std::to_string(9 - i);  // the order of names is another than that given
    arguments.push_back(folder.path(name));
    folder.file(name, make_page(i, sizes[i], folder.path(name), index));
  }
  CHECK((same_output(arguments) == lines_of(index)));
}

TEST_CASE("index: links across the borders of pieces") {
  const Folder folder;
  const std::string link = "<a\nhref = \"across\">";
  for (size_t before = 0; before <= link.size(); before += 3) {
    const std::string file = folder.file("page", std::string((1 << 20) - before, 'x') + link + "behind");
    CHECK(same_output({"index", file}) == "across\t" + file + '\n');
  }
}

TEST_CASE("index: what is a link and what is not") {
  const Folder folder;
  const std::string page =
      "<a href=\"one\"><a href=one><a data-href=\"no\"><a hrefs=\"no\"><a href=''><a href=\"t\two\nlines\">"
      "<a href=\"cut <b href='in b'><a href= \"a b&amp;c\"><a x=\"href\"=\"no\"><a href \"no\"><a/href='slash'>"
      "<a href=\"one\"> href=\"in text\" <a href=\"open";
  const std::string file = folder.file("page", page);
  Index index;
  for (const char* target : {"one", "twolines", "in b", "a b&amp;c", "slash", "in text"}) {
    index[target] = {file};
  }
  CHECK(same_output({"index", file}) == lines_of(index));
}

TEST_CASE("index: a long text without a link is not looked through again for every piece") {
  const std::string first = "<a href='first'>", last = "<a href='last'>";
  const std::string text = first + std::string(64 << 20, 'x') + last + std::string(1 << 20, 'y');
  const size_t begin_of_last = text.size() - (1 << 20) - last.size();
  // Each time to the end it would be 2 TB.
  for (int round = 0; round < 2; ++round) {
    bool right = true;
    for (size_t at = 1; at <= begin_of_last; at += 1000) right &= html_border(text, at) == begin_of_last;
    for (size_t at = begin_of_last + 1; at < text.size(); at += 1000) right &= html_border(text, at) == text.size();
    CHECK(right);
    CHECK(html_border(text, 0) == 0);
    CHECK(html_border(text, begin_of_last) == begin_of_last);
  }
  CHECK(html_border("a<b<c<", 2) == 3);
  CHECK(html_border("a<b<c<", 4) == 5);
  CHECK(html_border("a<b<c<", 1) == 1);
}

TEST_CASE("index: words") {
  const Folder folder;
  const std::string a = folder.file("a", "The end. the END, don't\n"), b = folder.file("b", "an end"),
                    c = folder.file("c", "nothing");
  const Index index = {{"the", {a}}, {"end", {a, b}}, {"don't", {a}}, {"an", {b}}, {"nothing", {c}}};
  CHECK(same_output({"index", "--words", a, b, c}) == lines_of(index));
  std::string same(2'500'000, ' ');
  for (size_t at = 0; at + 8 < same.size(); at += 8) same.replace(at, 4, "word");
  const std::string large = folder.file("large", same), other = folder.file("other", "word");
  CHECK(same_output({"index", "--words", large, other}) == "word\t" + large + '\t' + other + '\n');
}

TEST_CASE("index: the folder that cannot be read is named") {
  if (test_support::kAddressSanitizer) {
    test_support::skip_test("AddressSanitizer needs descriptors of its own");
    return;
  }
  const Folder folder;
  std::string deep = "site";
  for (int i = 0; i < 30; ++i) deep += "/d";
  folder.file(deep + "/page", "");
  const auto run = dmr_test::run_dmr_in("ulimit -n 24; exec \"$@\"", {"index", "--recursive", folder.path("site")});
  CHECK(run.exit_code == 1);
  CHECK(run.err.starts_with("dmr: " + folder.path("site/d/d/d/")));
  CHECK(run.err.ends_with("/d: reading the folder: Too many open files\n"));
}

TEST_CASE("index: folders, in the order of paths") {
  const Folder folder;
  const auto page = [](const std::string& target) { return "<a href=\"" + target + "\"> <a href=\"all\">"; };
  const Arguments names = {"site/a/z", "site/a.b", "site/c", "site/d/e/f"};
  Index index;
  for (const std::string& name : names) folder.file(name, page(name));
  Arguments sorted = {"site/a.b", "site/a/z", "site/c", "site/d/e/f"};  // by bytes: '.' is less than '/'
  for (const std::string& name : sorted) {
    enter(index, name, folder.path(name));
    enter(index, "all", folder.path(name));
  }
  std::filesystem::create_symlink(folder.path("site/c"), folder.path("site/link"));
  std::filesystem::create_directory_symlink(folder.path("site"), folder.path("site/loop"));
  CHECK(same_output({"index", "--recursive", folder.path("site")}) == lines_of(index));

  const std::string first = folder.file("zero", page("zero"));
  Index with_first = index;
  with_first["zero"] = {first};
  with_first["all"].insert(with_first["all"].begin(), first);
  CHECK(same_output({"index", "--recursive", first, folder.path("site")}) == lines_of(with_first));

  std::filesystem::create_directory(folder.path("empty"));
  CHECK(same_output({"index", "--recursive", folder.path("empty")}).empty());
  CHECK(failure({"index", folder.path("site")}) == "dmr: " + folder.path("site") + ": reading: Is a directory\n");
  CHECK(failure({"index", "--recursive", folder.path("none")}) ==
        "dmr: " + folder.path("none") + ": opening: No such file or directory\n");
}
