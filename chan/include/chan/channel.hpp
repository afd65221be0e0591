// Channels with a type: chan.h for C++. A Channel<T> carries messages of one or more T, or strings.
//
// Values of these classes are plain names of a channel's end: they own nothing, may be copied, and keep their
// meaning in a child that the end was handed to. What blocks, who may call, and determinism: as in chan.h. An
// error carries the errno of chan.h and the name of the call; chan_last_error() has the sentence.
#pragma once

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sys/types.h>

#include <chan/chan.h>
#include <base/result.hpp>

namespace chan {

using spmc::base::Error;
using spmc::base::Result;
using spmc::base::Status;

enum class Policy { kEager = CHAN_EAGER, kLazy = CHAN_LAZY };
// What the giver of the producer's end keeps.
enum class Keep { kConsumer, kNothing };

namespace detail {

template <typename T>
inline constexpr bool kIsView = false;
template <typename T, size_t N>
inline constexpr bool kIsView<std::span<T, N>> = true;
template <typename Char>
inline constexpr bool kIsView<std::basic_string_view<Char>> = true;

inline Status status(int result, const char* call) { return result == 0 ? Status() : Status(Error{errno, call}); }
inline Result<size_t> size(ssize_t result, const char* call) {
  if (result < 0) return Error{errno, call};
  return static_cast<size_t>(result);
}
inline Result<bool> answer(int result, const char* call) {
  if (result < 0) return Error{errno, call};
  return result == 1;
}

}  // namespace detail

// What can be sent as its bytes. A pointer means nothing in another space, nor does a view, which has one.
template <typename T>
concept Sendable =
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_const_v<T> && !detail::kIsView<T>;

// What the ends have in common.
class End {
 public:
  explicit End(chan_id id) : id_(id) {}
  chan_id id() const { return id_; }
  // Gives this space's end up.
  Status close() const { return detail::status(chan_free(id_), "chan_free"); }

 private:
  chan_id id_;
};

// The producer's end, without a type.
class SendingEnd : public End {
 public:
  using End::End;
  Status set_policy(Policy policy) const {
    return detail::status(chan_set_policy(id(), static_cast<int>(policy)), "chan_set_policy");
  }

 protected:
  Status send_bytes(const void* data, size_t size) const {
    return detail::status(chan_send(id(), data, size), "chan_send");
  }
  Status send_last_bytes(const void* data, size_t size) const {
    return detail::status(chan_sendLast(id(), data, size), "chan_sendLast");
  }
};

// A consumer's end, without a type.
class ReceivingEnd : public End {
 public:
  using End::End;
  // Has the next message begun to arrive? Depends on timing.
  Result<bool> ready() const { return detail::answer(chan_test(id()), "chan_test"); }

 protected:
  Result<size_t> size_in_bytes() const { return detail::size(chan_next_size(id()), "chan_next_size"); }
  Result<size_t> receive_bytes(void* to, size_t capacity) const {
    return detail::size(chan_recv(id(), to, capacity), "chan_recv");
  }
};

// The ends of a Channel<T>.
template <typename T>
class Sender;
template <typename T>
class Receiver;

template <Sendable T>
class Sender<T> : public SendingEnd {
 public:
  using SendingEnd::SendingEnd;
  Status send(const T& value) const { return send_bytes(&value, sizeof(T)); }
  Status send(std::span<const T> values) const { return send_bytes(values.data(), values.size_bytes()); }
  Status send_last(const T& value) const { return send_last_bytes(&value, sizeof(T)); }
  Status send_last(std::span<const T> values) const { return send_last_bytes(values.data(), values.size_bytes()); }
};

template <Sendable T>
class Receiver<T> : public ReceivingEnd {
 public:
  using ReceivingEnd::ReceivingEnd;

  // The next message, which must be one T. Error EMSGSIZE when it is not; it then stays the next message.
  Result<T> receive() const requires std::default_initializable<T> {
    const size_t size = DL_TRY(size_in_bytes());
    if (size != sizeof(T)) return Error{EMSGSIZE, "Receiver::receive: the message is not one value"};
    T value;
    (void)DL_TRY(receive_bytes(&value, sizeof(T)));
    return value;
  }
  // The next message into the front of `values`; the number of values it had. Error EMSGSIZE when there are
  // more, or when it is no whole number of them; it then stays the next message.
  Result<size_t> receive(std::span<T> values) const {
    const size_t count = DL_TRY(next_count());
    if (count > values.size()) return Error{EMSGSIZE, "Receiver::receive: more values than the buffer holds"};
    (void)DL_TRY(receive_bytes(values.data(), values.size_bytes()));
    return count;
  }
  // The next message, however long. Error EMSGSIZE when it is no whole number of values.
  Result<std::vector<T>> receive_all() const requires std::default_initializable<T> {
    std::vector<T> values(DL_TRY(next_count()));
    (void)DL_TRY(receive_bytes(values.data(), values.size() * sizeof(T)));
    return values;
  }
  // The number of values in the next message, which stays where it is. Blocks until it is known.
  Result<size_t> next_count() const {
    const size_t size = DL_TRY(size_in_bytes());
    if (size % sizeof(T) != 0) return Error{EMSGSIZE, "Receiver: the message is no whole number of values"};
    return size / sizeof(T);
  }
};

template <>
class Sender<std::string> : public SendingEnd {
 public:
  using SendingEnd::SendingEnd;
  Status send(std::string_view text) const { return send_bytes(text.data(), text.size()); }
  Status send_last(std::string_view text) const { return send_last_bytes(text.data(), text.size()); }
};

template <>
class Receiver<std::string> : public ReceivingEnd {
 public:
  using ReceivingEnd::ReceivingEnd;
  Result<std::string> receive() const {
    std::string text(DL_TRY(size_in_bytes()), '\0');
    (void)DL_TRY(receive_bytes(text.data(), text.size()));
    return text;
  }
};

// A channel that this space has allocated or was handed, for setting it up.
template <typename T>
class Channel {
 public:
  // The caller is its producer. `window` as for chan_alloc_window. Errors EINVAL, ENOMEM, ENXIO.
  static Result<Channel> try_create() { return named(chan_alloc(), "chan_alloc"); }
  static Result<Channel> try_create(size_t window) { return named(chan_alloc_window(window), "chan_alloc_window"); }

  chan_id id() const { return id_; }
  // `child` is a child of the caller that has not been started.
  Status give_sender(int child, Keep keep) const {
    return detail::status(chan_setprod(id_, child, keep == Keep::kConsumer), "chan_setprod");
  }
  Status give_receiver(int child) const { return detail::status(chan_setcons(id_, child), "chan_setcons"); }

  Sender<T> sender() const { return Sender<T>(id_); }
  Receiver<T> receiver() const { return Receiver<T>(id_); }

 private:
  explicit Channel(chan_id id) : id_(id) {}
  static Result<Channel> named(chan_id id, const char* call) {
    if (id < 0) return Error{errno, call};
    return Channel(id);
  }
  chan_id id_;
};

}  // namespace chan
