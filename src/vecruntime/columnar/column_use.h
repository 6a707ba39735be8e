// SPDX-License-Identifier: Apache-2.0
// What the reader of a column looks at, besides how many rows there are. Who produces the column may put other values in place, as long as
// all that is looked at stays.
#pragma once

namespace vecruntime::columnar {

struct ColumnUse {
  bool values = false;      // every value at its row
  bool extremes = false;    // the least and the greatest of all its values
  bool null_count = false;  // how many of all its values are NULL

  bool nothing() const { return !values && !extremes && !null_count; }
};

}  // namespace vecruntime::columnar
