// Info objects.
#include "info.hpp"

#include <algorithm>
#include <cstring>

#include "errors.hpp"
#include "impl.hpp"

namespace detmpi {
namespace {

HandleTable<Info, HandleKind::kInfo> g_infos;
Info g_environment{MPI_INFO_ENV, {}};

// MPI_MAX_INFO_KEY and MPI_MAX_INFO_VAL are the room for a string, with its end.
constexpr size_t kLongestKey = MPI_MAX_INFO_KEY - 1;
constexpr size_t kLongestValue = MPI_MAX_INFO_VAL - 1;

void store(char* to, const std::string& text, size_t most) {
  const size_t length = std::min(text.size(), most);
  memcpy(to, text.data(), length);
  to[length] = '\0';
}

// Arguments of main: the program, and the rest with blanks in between.
void describe_start(Info& info, int argc, char* argv[]) {
  if (argc <= 0 || argv == nullptr || argv[0] == nullptr) return;
  info.set("command", std::string(argv[0]).substr(0, kLongestValue));
  std::string rest;
  for (int i = 1; i < argc && argv[i] != nullptr; ++i) rest += (i > 1 ? " " : "") + std::string(argv[i]);
  if (!rest.empty()) info.set("argv", rest.substr(0, kLongestValue));
}

}  // namespace

const std::string* Info::find(const std::string& key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Info::set(const std::string& key, const std::string& value) {
  for (auto& entry : entries) {
    if (entry.first == key) {
      entry.second = value;
      return;
    }
  }
  entries.emplace_back(key, value);
}

bool Info::erase(const std::string& key) {
  return std::erase_if(entries, [&](const auto& entry) { return entry.first == key; }) > 0;
}

Info* info_from(MPI_Info handle) { return handle == MPI_INFO_ENV ? &g_environment : g_infos.get(handle); }

void info_describe_job(int argc, char* argv[], int ranks, const char* thread_level) {
  describe_start(g_environment, argc, argv);
  g_environment.set("maxprocs", std::to_string(ranks));
  g_environment.set("thread_level", thread_level);
}

MPI_Info info_make(const Info* source) {
  auto* info = new Info;
  if (source != nullptr) info->entries = source->entries;
  info->handle = g_infos.insert(info);
  return info->handle;
}

namespace impl {

int info_create(MPI_Info* info) {
  *info = info_make(nullptr);
  return MPI_SUCCESS;
}

int info_dup(Info& info, MPI_Info* newinfo) {
  *newinfo = info_make(&info);
  return MPI_SUCCESS;
}

int info_set(Info& info, const char* key, const char* value) {
  if (value[0] == '\0' || strlen(value) > kLongestValue) {
    return make_error(MPI_ERR_INFO_VALUE, "the value of key '%s' is empty or longer than %zu characters", key,
                      kLongestValue);
  }
  info.set(key, value);
  return MPI_SUCCESS;
}

int info_get(Info& info, const char* key, int valuelen, char* value, int* flag) {
  const std::string* found = info.find(key);
  *flag = found != nullptr;
  if (found != nullptr) store(value, *found, static_cast<size_t>(valuelen));
  return MPI_SUCCESS;
}

int info_get_string(Info& info, const char* key, int* buflen, char* value, int* flag) {
  const int room = *buflen;
  if (room < 0) return make_error(MPI_ERR_ARG, "buflen is %d (must not be negative)", room);
  if (room > 0 && value == nullptr) return make_error(MPI_ERR_ARG, "value is null, but buflen is %d", room);
  const std::string* found = info.find(key);
  *flag = found != nullptr;
  if (found == nullptr) return MPI_SUCCESS;
  *buflen = static_cast<int>(found->size()) + 1;
  if (room > 0) store(value, *found, static_cast<size_t>(room) - 1);
  return MPI_SUCCESS;
}

int info_create_env(int argc, char* argv[], MPI_Info* info) {
  *info = info_make(nullptr);
  describe_start(*info_from(*info), argc, argv);
  return MPI_SUCCESS;
}

int info_get_nkeys(Info& info, int* nkeys) {
  *nkeys = static_cast<int>(info.entries.size());
  return MPI_SUCCESS;
}

int info_get_nthkey(Info& info, int n, char* key) {
  if (n < 0 || static_cast<size_t>(n) >= info.entries.size()) {
    return make_error(MPI_ERR_ARG, "there is no key number %d (keys are 0 to %d)", n,
                      static_cast<int>(info.entries.size()) - 1);
  }
  store(key, info.entries[static_cast<size_t>(n)].first, kLongestKey);
  return MPI_SUCCESS;
}

int info_get_valuelen(Info& info, const char* key, int* valuelen, int* flag) {
  const std::string* found = info.find(key);
  *flag = found != nullptr;
  if (found != nullptr) *valuelen = static_cast<int>(found->size());
  return MPI_SUCCESS;
}

int info_delete(Info& info, const char* key) {
  if (!info.erase(key)) return make_error(MPI_ERR_INFO_NOKEY, "the info object has no key '%s'", key);
  return MPI_SUCCESS;
}

int info_free(MPI_Info* info) {
  if (*info == MPI_INFO_ENV) return make_error(MPI_ERR_INFO, "MPI_INFO_ENV cannot be freed");
  Info* object = info_from(*info);
  g_infos.erase(object->handle);
  delete object;
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
