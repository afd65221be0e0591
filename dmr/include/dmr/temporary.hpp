// Temporary files: without a name, so that they are gone with their last user, however it ends.
#pragma once

#include <string>

#include <base/unique_fd.hpp>

namespace dmr {

// `wanted`; if it is "": $TMPDIR, or /tmp.
std::string temporary_folder(const std::string& wanted);

// For reading and writing; its number is none of a standard file's. Throws JobError, which names the folder.
spmc::base::UniqueFd temporary_file(const std::string& folder);

}  // namespace dmr
