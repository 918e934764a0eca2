// Boost.JSON's own sources, compiled here once.
#include <boost/json/src.hpp>
