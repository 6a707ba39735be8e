// SPDX-License-Identifier: Apache-2.0
// Reserved field ids (Iceberg spec, "Reserved Field IDs") of the columns that come from metadata, not from the schema.
#pragma once

#include "vecruntime/iceberg/type.h"

namespace vecruntime::iceberg {

inline constexpr FieldId kFileColumnId = 2147483646;          // _file string
inline constexpr FieldId kPosColumnId = 2147483645;           // _pos long
inline constexpr FieldId kDeletedColumnId = 2147483644;       // _deleted boolean
inline constexpr FieldId kSpecIdColumnId = 2147483643;        // _spec_id int
inline constexpr FieldId kPartitionColumnId = 2147483642;     // _partition struct
inline constexpr FieldId kDeleteFilePathId = 2147483546;      // file_path in position-delete files
inline constexpr FieldId kDeleteFilePosId = 2147483545;       // pos in position-delete files
inline constexpr FieldId kRowIdColumnId = 2147483540;         // _row_id long
inline constexpr FieldId kLastUpdatedSequenceNumberColumnId = 2147483539;  // _last_updated_sequence_number long

}  // namespace vecruntime::iceberg
