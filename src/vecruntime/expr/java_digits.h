// SPDX-License-Identifier: Apache-2.0
// The decimal digits that Double.toString and Float.toString of Java 17 choose. They are not always the shortest (JDK-4511638, mended in
// Java 19): 2147483648f is 2.14748365E9. Spark 4.1 runs on Java 17, so its answers have these digits.
#pragma once

#include <string>

namespace vecruntime::expr {

/// digits[0].digits[1..] * 10^exponent, without trailing zeros.
struct JavaDigits {
  std::string digits;
  int exponent = 0;
};

/// REQUIRES: finite and positive.
JavaDigits DigitsOf(double value);
JavaDigits DigitsOf(float value);

}  // namespace vecruntime::expr
