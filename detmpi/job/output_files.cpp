#include "output_files.hpp"

#include <base/sys.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "job.hpp"

namespace detmpi {

using spmc::base::Result;
using spmc::base::Status;

Result<OutputFiles> OutputFiles::try_create() {
  OutputFiles files;
  if (g_job->order_output == 0 && g_job->label_output == 0) return files;
  if (g_job->with_errors != 0) {
    if (auto limit = spmc::base::allow_descriptors(g_job->ranks * 2)) {
      files.kinds_ = 2;
      files.descriptor_limit_ = limit.value();
    }
  }
  if (!files.captured()) {  // or the job is so large that there are descriptors for one file each
    files.descriptor_limit_ = DL_TRY(spmc::base::allow_descriptors(g_job->ranks));
    files.kinds_ = 1;
  }
  files.marks_ = DL_TRY(spmc::base::create_append_file("output-marks"));
  return files;
}

Status OutputFiles::try_add() {
  constexpr const char* kNames[] = {"standard-output", "standard-error"};
  for (uint32_t i = 0; i < kinds_; ++i) {
    files_.push_back(DL_TRY(spmc::base::create_append_file(kNames[i])));
    DL_TRY_STATUS(spmc::base::append(files_.back().get(), "", kOutputStart));
  }
  return {};
}

Result<RankOutputFiles> OutputFiles::try_enter() {
  RankOutputFiles own;
  if (!captured()) return own;
  spmc::base::set_descriptor_limit(descriptor_limit_);
  spmc::base::UniqueFd* const last = &files_[files_.size() - kinds_];
  DL_TRY_STATUS(spmc::base::make_standard_output(last[kOutput].get()));
  if (captured(kErrors)) DL_TRY_STATUS(spmc::base::make_standard_error(last[kErrors].get()));
  for (uint32_t i = 0; i < kinds_; ++i) own.printed[i] = spmc::base::move_high(std::move(last[i])).release();
  own.marks = spmc::base::move_high(std::move(marks_)).release();
  files_.clear();
  return own;
}

void hand_on_output(RankOutputFiles files) {
  std::string text;
  for (const int fd : {files.printed[kOutput], files.printed[kErrors], files.marks}) {
    if (fd >= 0) (void)spmc::base::keep_across_exec(fd);
    text += (text.empty() ? "" : ",") + std::to_string(fd);
  }
  ::setenv(kEnvOutput, text.c_str(), 1);
}

RankOutputFiles find_output() {
  RankOutputFiles files;
  const char* text = std::getenv(kEnvOutput);
  int& output = files.printed[kOutput];
  int& errors = files.printed[kErrors];
  if (text == nullptr || std::sscanf(text, "%d,%d,%d", &output, &errors, &files.marks) != 3) return {};
  for (const int fd : {output, errors, files.marks}) {
    if (fd >= 0) spmc::base::close_on_exec(fd);
  }
  ::unsetenv(kEnvOutput);  // programs that this one starts are not ranks of the job
  return files;
}

}  // namespace detmpi
