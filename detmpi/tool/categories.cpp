// Categories of variables. There are no categories within categories, and none ever changes.
#include <algorithm>

#include "impl.hpp"
#include "tool.hpp"

namespace detmpi {
namespace tool {
namespace {

struct Described {
  const char* name;
  const char* text;
};

// By Category.
constexpr Described kCategories[] = {
    {"job", "Settings of the job that decide in which order messages are matched, and what clocks tell."},
    {"rank", "The rank's clock and objects."},
    {"transport", "How messages travel, which makes no difference to what the program is told."},
};

int count(std::span<const Category> variables, int category) {
  return static_cast<int>(std::ranges::count(variables, static_cast<Category>(category)));
}

// The indices of a category's variables, as many as there is room for.
int list(std::span<const Category> variables, int category, int room, int indices[]) {
  if (!has(kCategories, category)) return MPI_T_ERR_INVALID_INDEX;
  int found = 0;
  for (size_t i = 0; i < variables.size() && found < room && indices != nullptr; ++i) {
    if (variables[i] == static_cast<Category>(category)) indices[found++] = static_cast<int>(i);
  }
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace tool

namespace impl {

using tool::give;
using tool::kCategories;

int t_category_get_num(int* num_cat) {
  give(num_cat, static_cast<int>(std::size(kCategories)));
  return MPI_SUCCESS;
}

int t_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars,
                        int* num_pvars, int* num_categories) {
  if (!tool::has(kCategories, cat_index)) return MPI_T_ERR_INVALID_INDEX;
  tool::give_text(kCategories[cat_index].name, name, name_len);
  tool::give_text(kCategories[cat_index].text, desc, desc_len);
  give(num_cvars, tool::count(tool::control_categories(), cat_index));
  give(num_pvars, tool::count(tool::performance_categories(), cat_index));
  give(num_categories, 0);
  return MPI_SUCCESS;
}

int t_category_get_index(const char* name, int* cat_index) {
  const int found = name == nullptr ? -1 : tool::find_named(kCategories, name);
  if (found < 0) return MPI_T_ERR_INVALID_NAME;
  give(cat_index, found);
  return MPI_SUCCESS;
}

int t_category_get_cvars(int cat_index, int len, int indices[]) {
  return tool::list(tool::control_categories(), cat_index, len, indices);
}

int t_category_get_pvars(int cat_index, int len, int indices[]) {
  return tool::list(tool::performance_categories(), cat_index, len, indices);
}

int t_category_get_categories(int cat_index, int, int[]) {
  return tool::has(kCategories, cat_index) ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

int t_category_get_num_events(int cat_index, int* num_events) {
  if (!tool::has(kCategories, cat_index)) return MPI_T_ERR_INVALID_INDEX;
  give(num_events, 0);
  return MPI_SUCCESS;
}

int t_category_get_events(int cat_index, int, int[]) {
  return tool::has(kCategories, cat_index) ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

int t_category_changed(int* update_number) {
  give(update_number, 0);
  return MPI_SUCCESS;
}

}  // namespace impl
}  // namespace detmpi
