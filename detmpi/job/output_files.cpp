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
  files.captured_ = g_job->order_output != 0 || g_job->label_output != 0;
  if (!files.captured_) return files;
  files.descriptor_limit_ = DL_TRY(spmc::base::allow_descriptors(g_job->ranks));
  files.marks_ = DL_TRY(spmc::base::create_append_file("output-marks"));
  return files;
}

Status OutputFiles::try_add() {
  if (!captured_) return {};
  outputs_.push_back(DL_TRY(spmc::base::create_append_file("standard-output")));
  return spmc::base::append(outputs_.back().get(), "", kOutputStart);
}

Result<RankOutputFiles> OutputFiles::try_enter() {
  RankOutputFiles own;
  if (!captured_) return own;
  spmc::base::set_descriptor_limit(descriptor_limit_);
  DL_TRY_STATUS(spmc::base::make_standard_output(outputs_.back().get()));
  own.output = spmc::base::move_high(std::move(outputs_.back())).release();
  own.marks = spmc::base::move_high(std::move(marks_)).release();
  outputs_.clear();
  return own;
}

void hand_on_output(RankOutputFiles files) {
  (void)spmc::base::keep_across_exec(files.output);
  (void)spmc::base::keep_across_exec(files.marks);
  ::setenv(kEnvOutput, (std::to_string(files.output) + "," + std::to_string(files.marks)).c_str(), 1);
}

RankOutputFiles find_output() {
  RankOutputFiles files;
  const char* text = std::getenv(kEnvOutput);
  if (text == nullptr || std::sscanf(text, "%d,%d", &files.output, &files.marks) != 2) return {};
  spmc::base::close_on_exec(files.output);
  spmc::base::close_on_exec(files.marks);
  ::unsetenv(kEnvOutput);  // programs that this one starts are not ranks of the job
  return files;
}

}  // namespace detmpi
