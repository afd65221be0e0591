// The sequential parts of the matrix multiplication: the operands, the product and its check.
// Matrices are dense, row by row. No communication here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace npb::mm {

// Operands hold integers of this magnitude at most, so that with n <= kMaxOrder every product, every sum
// and hence every bit of C is exact: the result depends neither on the number of ranks nor on the order of
// summation.
inline constexpr int kMaxEntry = 8;
inline constexpr int kMaxOrder = 16384;

enum class Operand { kA, kB };

// The n x n operand, a fixed function of n and of which one it is.
std::vector<double> make_operand(Operand which, int n);

// c = a b, with a and c of rows x n and b of n x n.
void multiply(const double* a, const double* b, double* c, int rows, int n);

// Freivalds' check in exact integer arithmetic: C x = A (B x) for a few fixed pseudo-random x. A wrong C
// passes with a probability below 2^-32.
bool is_product(std::span<const double> a, std::span<const double> b, std::span<const double> c, int n);

// FNV-1a, 64 bits, of the bytes of the values in memory order.
std::uint64_t hash_bytes(std::span<const double> values);

}  // namespace npb::mm
