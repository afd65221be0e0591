// Running a pipeline: the caller's space makes the streams and the spaces of all replicas, is the sink itself, and
// collects everybody. A job belongs to the call of run() that made it.
#include <malloc.h>

#include <cstring>
#include <exception>

#include <chan/chan.h>
#include <chan/stream.h>
#include <space/space.h>
#include <base/control.hpp>
#include <base/cores.hpp>
#include <base/sys.hpp>
#include <base/wait.hpp>
#include <dmr/pipeline.hpp>

#include "gid.hpp"
#include "pipeline_streams.hpp"

namespace dmr {
namespace {

std::string described(const space_exit_info& info) {
  if (info.signal != 0) return "ended by signal " + std::to_string(info.signal) + " (" + strsignal(info.signal) + ")";
  if (info.violation != 0) return "stopped because it broke a rule of SPMC memory";
  return "ended with exit status " + std::to_string(info.exit_code) + " before it was done";
}

struct End {
  bool well;
  std::string how;
};

// Waits for the space.
End end_of(int sid) {
  space_exit_info info{};
  if (space_join(sid) != 0 || space_status(sid, &info) != 0) return {false, space_last_error()};
  return {info.exit_code == 0, described(info)};
}

// Where there are more spaces than cores: a stage waits for as long as another one works on an item, so it does not
// poll where that one may need the core; and when there is an item for it, it does not push another one off its core,
// which would cost a switch for every item.
class SharedCores {
 public:
  explicit SharedCores(size_t spaces)
      : waits_before_(spmc::base::g_wait_policy), batch_before_(spmc::base::has_batch_scheduling()) {
    if (spaces <= spmc::base::usable_cores()) return;
    spmc::base::set_wait_policy({.spins = 1, .yields = 0});
    spmc::base::set_batch_scheduling(true);
  }
  SharedCores(const SharedCores&) = delete;
  ~SharedCores() {
    spmc::base::set_wait_policy(waits_before_);
    if (!batch_before_) spmc::base::set_batch_scheduling(false);
  }

 private:
  spmc::base::WaitPolicy waits_before_;
  bool batch_before_;
};

// For the life of a stage: what an item needs the next one will need, too. The C library would give long pieces back to
// the system, and each of their pages would be found missing, and cleared, anew.
void keep_freed_memory() {
  constexpr int kKept = 32 << 20;  // the most that it takes for the first of them
  mallopt(M_MMAP_THRESHOLD, kKept);
  mallopt(M_TRIM_THRESHOLD, kKept);
}

std::string reason_of(const std::exception& error) { return *error.what() != '\0' ? error.what() : "an exception"; }

}  // namespace

std::string Failure::message() const {
  return "stage '" + stage + "', replica " + std::to_string(replica) + ", item " + std::to_string(item) + ": " + reason;
}

BytePipeline::BytePipeline(std::string name, Source source, const PipelineOptions& options)
    : source_(std::move(source)), options_(options) {
  stages_.push_back({std::move(name), 1, {}});
}

void BytePipeline::add_stage(std::string name, int replicas, Body body) {
  if (replicas < 1) throw std::invalid_argument("a stage needs a replica");
  stages_.push_back({std::move(name), replicas, std::move(body)});
}

// The streams and spaces of one run. Its destructor leaves neither behind.
class PipelineJob {
 public:
  explicit PipelineJob(const BytePipeline& pipeline) : pipeline_(pipeline) {}
  PipelineJob(const PipelineJob&) = delete;
  ~PipelineJob();

  std::optional<Failure> run(const BytePipeline::Sink& sink);

 private:
  struct Replica {
    PipelineJob* job;
    size_t position;
    int number;
    int sid = -1;
    stream_id out = -1;
  };
  using Replicas = std::vector<Replica>;

  std::optional<Failure> set_up();
  // The steps of that. Null, or why it cannot be done.
  const char* allocate(Replica& replica);
  const char* connect(Replica& replica);
  const char* start(Replica& replica);
  std::optional<Failure> collect(StreamsIn& in, const BytePipeline::Sink& sink);
  Failure complete(Failure failure);
  size_t spaces() const;  // that run at once
  bool is_last(const Replica& replica) const { return replica.position + 1 == stages_.size(); }
  StreamsIn input_of(size_t position, uint64_t share, uint64_t of) const;

  int act(const Replica& replica);
  int act_as_source(const Replica& replica);
  int act_as_stage(const Replica& replica);
  Failure failed(const Replica& replica, uint64_t item, std::string reason) const {
    return {replica.position, pipeline_.stages_[replica.position].name, replica.number, item, std::move(reason)};
  }

  const BytePipeline& pipeline_;
  std::vector<Replicas> stages_;
};

// --- in the caller's space ---

PipelineJob::~PipelineJob() {
  for (Replicas& replicas : stages_) {
    for (Replica& replica : replicas) {
      if (replica.sid > 0) space_kill(replica.sid);
      if (replica.out > 0) (void)stream_free(replica.out);
    }
  }
}

const char* PipelineJob::allocate(Replica& replica) {
  replica.sid = space_alloc(next_gid());
  if (replica.sid < 0) return space_last_error();
  replica.out = stream_alloc_window(pipeline_.options_.window);
  return replica.out > 0 ? nullptr : chan_last_error();
}

// Who reads what the replica writes: the next stage, or this space.
const char* PipelineJob::connect(Replica& replica) {
  if (!is_last(replica)) {
    for (const Replica& reader : stages_[replica.position + 1]) {
      if (stream_setcons(replica.out, reader.sid) != 0) return chan_last_error();
    }
  }
  return stream_setprod(replica.out, replica.sid, is_last(replica)) == 0 ? nullptr : chan_last_error();
}

const char* PipelineJob::start(Replica& replica) {
  const auto body = [](void* arg) {
    const auto& self = *static_cast<const Replica*>(arg);
    return self.job->act(self);
  };
  if (space_start(replica.sid, body, &replica) != 0) return space_last_error();
  return nullptr;
}

// Every stream has all its readers before anybody runs.
std::optional<Failure> PipelineJob::set_up() {
  for (size_t position = 0; position < pipeline_.stages_.size(); ++position) {
    Replicas& replicas = stages_.emplace_back();
    for (int number = 0; number < pipeline_.stages_[position].replicas; ++number) {
      replicas.push_back({this, position, number});
    }
  }
  for (const auto step : {&PipelineJob::allocate, &PipelineJob::connect, &PipelineJob::start}) {
    for (Replicas& replicas : stages_) {
      for (Replica& replica : replicas) {
        const char* why = (this->*step)(replica);
        if (why != nullptr) return failed(replica, 0, std::string("cannot be started: ") + why);
      }
    }
  }
  return std::nullopt;
}

size_t PipelineJob::spaces() const {
  size_t count = 1;
  for (const Replicas& replicas : stages_) count += replicas.size();
  return count;
}

StreamsIn PipelineJob::input_of(size_t position, uint64_t share, uint64_t of) const {
  std::vector<stream_id> streams;
  for (const Replica& writer : stages_[position - 1]) streams.push_back(writer.out);
  return StreamsIn(std::move(streams), {position - 1, pipeline_.stages_[position - 1].name}, share, of);
}

// A failure without a reason: the space has died, and its parent knows how.
Failure PipelineJob::complete(Failure failure) {
  if (!failure.reason.empty()) return failure;
  const int sid = stages_[failure.position][static_cast<size_t>(failure.replica)].sid;
  failure.reason = end_of(sid).how;
  return failure;
}

std::optional<Failure> PipelineJob::collect(StreamsIn& in, const BytePipeline::Sink& sink) {
  for (;;) {
    switch (in.next()) {
      case StreamsIn::Next::kItem: sink(in.item()); break;
      case StreamsIn::Next::kFailure: return complete(in.failure());
      case StreamsIn::Next::kEnd: return std::nullopt;
    }
  }
}

std::optional<Failure> PipelineJob::run(const BytePipeline::Sink& sink) {
  if (auto failure = set_up()) return failure;
  const SharedCores shared(spaces());
  StreamsIn in = input_of(stages_.size(), 0, 1);
  std::optional<Failure> failure = collect(in, sink);
  if (failure) return failure;
  // Every stage has ended its stream, and has nothing left to do.
  for (Replicas& replicas : stages_) {
    for (Replica& replica : replicas) {
      const End end = end_of(replica.sid);
      if (!end.well && !failure) failure = failed(replica, 0, end.how);
    }
  }
  return failure;
}

// --- in the space of a replica ---

int PipelineJob::act(const Replica& replica) {
  keep_freed_memory();
  const SharedCores shared(spaces());
  return replica.position == 0 ? act_as_source(replica) : act_as_stage(replica);
}

int PipelineJob::act_as_source(const Replica& replica) {
  StreamOut out(replica.out, true);
  try {
    pipeline_.source_(out);
  } catch (const std::exception& error) {
    out.fail(failed(replica, out.emitted(), reason_of(error)));
    return 0;
  } catch (...) {
    out.fail(failed(replica, out.emitted(), "an exception"));
    return 0;
  }
  out.end();
  return 0;
}

int PipelineJob::act_as_stage(const Replica& replica) {
  const auto& stage = pipeline_.stages_[replica.position];
  StreamOut out(replica.out, false);
  StreamsIn in =
      input_of(replica.position, static_cast<uint64_t>(replica.number), static_cast<uint64_t>(stage.replicas));
  for (;;) {
    const StreamsIn::Next what = in.next();
    if (what == StreamsIn::Next::kFailure) out.fail(in.failure());
    if (what == StreamsIn::Next::kEnd) out.end();
    if (what != StreamsIn::Next::kItem) return 0;
    try {
      stage.body(in.item(), out);
    } catch (const std::exception& error) {
      out.fail(failed(replica, in.number(), reason_of(error)));
      return 0;
    } catch (...) {
      out.fail(failed(replica, in.number(), "an exception"));
      return 0;
    }
    out.done();
  }
}

std::optional<Failure> BytePipeline::run(const Sink& sink) const {
  PipelineJob job(*this);
  return job.run(sink);
}

}  // namespace dmr
