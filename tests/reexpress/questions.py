# SPDX-License-Identifier: Apache-2.0
"""The records of the committed .test files that can be asked of re-expressed tables."""
import dataclasses
import re

METADATA_TABLES = ("snapshots|history|refs|manifests|files|data_files|delete_files|entries|partitions|metadata_log_entries|"
                   "position_deletes|all_\\w+")


@dataclasses.dataclass
class Record:
    number: int
    lines: list  # the head, the statement, the answer

    @property
    def kind(self):
        return self.lines[0].split()[0]

    @property
    def sql(self):
        end = self.lines.index("----") if "----" in self.lines else len(self.lines)
        return "\n".join(self.lines[1:end])


def read_records(path):
    out, current = [], []
    for line in [*path.read_text().splitlines(), ""]:
        if line.strip() and not line.startswith("#"):
            current.append(line)
        elif not line.strip() and current:
            out.append(Record(len(out) + 1, current))
            current = []
    return out


def tables_of(sql):
    return {".".join(m) for m in re.findall(r"(?:FROM|JOIN)\s+`?([A-Za-z_]\w*)`?\.`?([A-Za-z_]\w*)`?", sql, re.I)}


def reason_to_leave_out(record, tables, lineage):
    """None, or why the record says nothing about another form of the deletes. `tables`: those re-expressed; `lineage`: those of
    them that had row lineage before."""
    asked = tables_of(record.sql)
    if record.kind == "error":
        return "expects an error"
    if not asked:
        return "asks no table"
    if not asked <= tables:
        return "its table has no deletes, or is skipped"
    if re.search(rf"\.`?({METADATA_TABLES})`?(\s|$|;|\))", record.sql, re.I):
        return "asks a metadata table"
    if re.search(r"_row_id|_last_updated_sequence_number", record.sql) and not asked <= lineage:
        return "row lineage comes with version 3"
    return None


def write_questions(source, target, tables, lineage):
    """Returns {reason: records left out}; the reason None counts those kept."""
    counts = {}
    for path in sorted(source.rglob("*.test")):
        kept = []
        for record in read_records(path):
            reason = reason_to_leave_out(record, tables, lineage)
            counts[reason] = counts.get(reason, 0) + 1
            if reason is None:
                kept.append("\n".join([f"# record {record.number}", *record.lines]))
        if kept:
            out = target / path.relative_to(source)
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text("\n\n".join(kept) + "\n")
    return counts
