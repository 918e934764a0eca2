// Makes the data set that ships with the trainer: trainer-data ROWS SEED > points.csv
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

// splitmix64: the same numbers everywhere.
double uniform(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1.0p-53;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: trainer-data ROWS SEED\n", stderr);
    return 2;
  }
  std::printf("# Made by: trainer-data %s %s\n# x1,x2,x3,x4,label\n", argv[1], argv[2]);
  std::uint64_t state = std::strtoull(argv[2], nullptr, 10);
  for (long row = std::strtol(argv[1], nullptr, 10); row > 0; --row) {
    double sum = 0.3;
    double sign = 1;
    for (int i = 1; i <= 4; ++i) {
      const double x = 2 * uniform(state) - 1;
      sum += sign * i * x;
      sign = -sign;
      std::printf("%.6f,", x);
    }
    std::printf("%d\n", sum + (uniform(state) - 0.5) > 0 ? 1 : 0);  // noise: no perfect separation
  }
  return 0;
}
