// As tools/precompiled/standard.hpp, for test programs of Catch2.
#include <catch2/catch.hpp>

#include "../../../tools/precompiled/standard.hpp"
