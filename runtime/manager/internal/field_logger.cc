#include "runtime/manager/internal/field_logger.h"

namespace reprise::runtime {
namespace {

constexpr std::size_t most_fields = 12;

}  // namespace

void FieldLogger::log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!enabled(level)) return;
  // A list of a length known only at run time cannot be made: dispatch on the length.
  const LogField* field = fields.begin();
  const auto pass = [&]<std::size_t... At>(std::index_sequence<At...>) {
    inner_.log(level, message,
               {{"controller", controller_},
                {"namespace", object_.namespace_},
                {"name", object_.name},
                {"reconcileID", reconcile_id_},
                field[At]...});
  };
  const auto dispatch = [&]<std::size_t... Length>(std::index_sequence<Length...>) {
    (void)((fields.size() == Length && (pass(std::make_index_sequence<Length>()), true)) || ...);
  };
  if (fields.size() > most_fields)
    pass(std::make_index_sequence<most_fields>());
  else
    dispatch(std::make_index_sequence<most_fields + 1>());
}

}  // namespace reprise::runtime
