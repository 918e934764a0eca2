#include "apps/common/nearest.h"

#include <algorithm>
#include <cctype>

namespace reprise::apps {
namespace {

std::string plain(std::string_view word) {
  std::string out;
  for (const char c : word)
    if (c != '-' && c != '_' && c != ' ') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::size_t letters_apart(std::string_view left, std::string_view right) {
  const std::string a = plain(left);
  const std::string b = plain(right);
  std::vector<std::vector<std::size_t>> cells(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cells[i][j] = i + j;
        continue;
      }
      const std::size_t changed = cells[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cells[i][j] = std::min({cells[i - 1][j] + 1, cells[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cells[i][j] = std::min(cells[i][j], cells[i - 2][j - 2] + 1);
    }
  }
  return cells[a.size()][b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  const std::size_t most = word.size() < 4 ? 1 : word.size() < 8 ? 2 : 3;
  std::optional<std::string> found;
  std::size_t best = most + 1;
  for (const std::string& each : known) {
    const std::size_t apart = letters_apart(word, each);
    if (apart == best) found.reset();
    if (apart < best) {
      best = apart;
      found = each;
    }
  }
  return best <= most ? found : std::nullopt;
}

}  // namespace reprise::apps
