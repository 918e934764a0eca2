// Makes the data set that ships with the trainer: trainer-data ROWS SEED > points.csv
#include <boost/program_options.hpp>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace {

namespace po = boost::program_options;

struct Wanted {
  std::int64_t rows = 0;
  std::uint64_t seed = 0;
};

Wanted read_arguments(int argc, char** argv) {
  Wanted wanted;
  po::options_description known;
  known.add_options()("rows", po::value(&wanted.rows)->required())("seed", po::value(&wanted.seed)->required());
  po::positional_options_description in_order;
  in_order.add("rows", 1).add("seed", 1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(known).positional(in_order).run(), given);
  po::notify(given);
  return wanted;
}

// splitmix64: the same numbers everywhere.
double uniform(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1.0p-53;
}

void write(Wanted wanted) {
  std::printf("# Made by: trainer-data %" PRId64 " %" PRIu64 "\n# x1,x2,x3,x4,label\n", wanted.rows, wanted.seed);
  std::uint64_t state = wanted.seed;
  for (std::int64_t row = wanted.rows; row > 0; --row) {
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
}

}  // namespace

int main(int argc, char** argv) {
  try {
    write(read_arguments(argc, argv));
    return 0;
  } catch (const po::error& wrong) {
    std::fprintf(stderr, "trainer-data: %s\nusage: trainer-data ROWS SEED\n", wrong.what());
    return 2;
  }
}
