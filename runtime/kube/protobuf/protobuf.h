// Reads Kubernetes' protobuf wire format field by field into types of one's own: no generated classes, only the fields
// that are asked for, nothing copied but them. The field numbers are those of the .proto files that Kubernetes
// publishes (k8s.io/api/core/v1/generated.proto and its neighbours).
//
//   struct Job {
//     ObjectMeta meta;
//     std::int32_t succeeded = 0;
//   };
//   std::expected<Job, DecodeError> KindOf<Job>::decode_protobuf(std::string_view bytes) {
//     return protobuf::decode<Job>(bytes, [](protobuf::Message& object, Job& job) {
//       while (object.next()) {
//         if (object.field() == 1) protobuf::read(object, job.meta);
//         if (object.field() != 3) continue;
//         for (auto status = object.message(); status.next();) {
//           if (status.field() == 5) job.succeeded = status.int32();
//         }
//       }
//     });
//   }
//
// Reading stays inside the bytes, whatever they are. Malformed input (cut off, a field of another wire type, more than
// 8 MiB) ends decode() with an error whose path is made of field numbers: "1.11.2".
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/kube/meta.h"

namespace reprise::kube::protobuf {

// One message, a view into bytes that outlive it. Only inside decode(): the accessors leave it when something is wrong.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  // Moves to the next field; one that is not read is skipped. False at the end.
  [[nodiscard]] bool next();
  [[nodiscard]] std::uint32_t field() const { return field_; }

  // The value of the field at hand; each may be called more than once.
  [[nodiscard]] std::string_view bytes() const;
  // Text is valid UTF-8: each byte that is not becomes U+FFFD, as it does in the API server's JSON.
  [[nodiscard]] std::string text() const;
  void text(std::string& out) const;
  void text(Text& out) const;
  [[nodiscard]] bool is(std::string_view value) const { return bytes() == value; }
  [[nodiscard]] std::int64_t int64() const;
  [[nodiscard]] std::int32_t int32() const;
  [[nodiscard]] bool boolean() const;
  // metav1.Time and metav1.MicroTime; nothing when it is unset.
  [[nodiscard]] std::optional<Time> time() const;
  [[nodiscard]] std::string quantity() const;
  // An entry of a map<string, string>, or of a map<string, Quantity>.
  void entry(StringMap& map) const;
  void quantity_entry(StringMap& map) const;
  [[nodiscard]] std::pair<std::string, std::string> quantity_entry() const;
  // A message inside this one, which outlives it.
  [[nodiscard]] Message message() const;

  // Leaves decode() with this error at the field at hand.
  [[noreturn]] void fail(std::string message) const;

 private:
  enum class Wire : std::uint8_t { Number, Bytes, Other };
  Message(std::string_view bytes, const Message& parent) : rest_(bytes), parent_(&parent) {}
  [[nodiscard]] std::string path() const;

  std::string_view rest_;
  std::string_view value_;
  std::uint64_t number_ = 0;
  std::uint32_t field_ = 0;
  Wire wire_ = Wire::Other;
  const Message* parent_ = nullptr;
};

// Reads metav1.ObjectMeta and metav1.OwnerReference from the field at hand, and adds to what is there already.
void read(const Message& object, ObjectMeta& meta);
void read(const Message& list, OwnerReference& owner);

// Objects and lists travel in an envelope that names their type (runtime.Unknown behind four bytes of magic); events of
// a watch carry such objects.
struct Envelope {
  std::string_view api_version, kind;
  std::string_view object;  // the input of decode_protobuf()
};
[[nodiscard]] bool is_envelope(std::string_view bytes);
[[nodiscard]] std::expected<Envelope, DecodeError> open_envelope(std::string_view bytes);

inline constexpr std::size_t kMaxObjectBytes = std::size_t{8} << 20;  // the API server's own limit is 3 MiB

namespace detail {
using Step = void (*)(Message& object, void* context);
[[nodiscard]] std::optional<DecodeError> run(std::string_view bytes, std::size_t limit, Step step, void* context);
}  // namespace detail

// Runs read(Message&, T&) over `bytes`; returns the T that it filled in, or the first error.
template <class T, class Read>
[[nodiscard]] std::expected<T, DecodeError> decode(std::string_view bytes, Read read,
                                                   std::size_t limit = kMaxObjectBytes) {
  struct Context {
    T value{};
    Read& read;
  } context{.read = read};
  auto error = detail::run(
      bytes, limit,
      [](Message& object, void* here) {
        auto& into = *static_cast<Context*>(here);
        into.read(object, into.value);
      },
      &context);
  if (error) return std::unexpected(*std::move(error));
  return std::move(context.value);
}

}  // namespace reprise::kube::protobuf
