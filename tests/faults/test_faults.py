# SPDX-License-Identifier: Apache-2.0
"""One damaged file at a time: an error that names it and not one row, or exactly the undamaged answer."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from tests.faults import damage, run, tables
from tests.reexpress import thrift_compact

FLIPS_PER_KIND = int(os.environ.get("VECRUNTIME_FAULT_FLIPS", "60"))
WORKERS = os.cpu_count() or 2


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    warehouse = tmp_path_factory.mktemp("faults")
    return warehouse, {make.__name__: make(warehouse) for make in tables.TABLES}


def kinds():
    with tempfile.TemporaryDirectory() as folder:
        for make in tables.TABLES:
            for kind in tables.files_by_kind(make(pathlib.Path(folder))):
                yield make.__name__, kind


ALL = list(kinds())


@pytest.mark.parametrize("name", [make.__name__ for make in tables.TABLES])
def test_undamaged(cli, made, name, tmp_path):
    warehouse, all_tables = made
    space = run.Workspace(cli, all_tables[name], warehouse, tmp_path)
    for kind, file in tables.files_by_kind(all_tables[name]).items():
        content = (space.dir / file).read_bytes()
        assert not space.judge(file, damage.Damage("none", content, False, True)), kind
        break


@pytest.mark.parametrize("name,kind", ALL)
def test_damaged(cli, made, name, kind, tmp_path):
    warehouse, all_tables = made
    damaged = all_tables[name]
    file = tables.files_by_kind(damaged)[kind]
    content = damaged.table.local(f"{damaged.table.location}/{file}")
    content = pathlib.Path(content).read_bytes()
    share = -(-FLIPS_PER_KIND // sum(k == kind for _, k in ALL))
    seed = f"{name} {kind}"
    todo = [*damage.structural(content, kind), *damage.zeroed(content, kind, seed), *damage.lengths(content, kind, seed),
            *damage.flips(content, kind, seed, share)]
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        spaces = [run.Workspace(cli, damaged, warehouse, tmp_path / str(i)) for i in range(WORKERS)]
        parts = [pool.submit(judge_all, spaces[i], file, todo[i::WORKERS]) for i in range(WORKERS)]
        for part in parts:
            wrong += part.result()
    assert not wrong, f"{len(wrong)} of {len(todo)}:\n" + "\n".join(wrong)


def judge_all(space, file, todo):
    return [f"{file} {one.name}: {fault}" for one in todo for fault in space.judge(file, one)]


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may read everything")
@pytest.mark.parametrize("name,kind", ALL)
def test_unreadable(cli, made, name, kind, tmp_path):
    warehouse, all_tables = made
    damaged = all_tables[name]
    shutil.copytree(warehouse, tmp_path / "copy")
    file = tables.files_by_kind(damaged)[kind]
    (tmp_path / "copy" / damaged.name.replace(".", "/") / file).chmod(0)
    # Root without the right to read everything.
    powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    done = subprocess.run([*powerless, cli, "query", "--warehouse", tmp_path / "copy", f"SELECT id, v FROM {damaged.name}"],
                          capture_output=True, timeout=run.TIMEOUT_S, check=False)
    assert done.returncode == run.EXIT_CODES["PermissionDenied"], done.stderr
    assert done.stdout == b"" and pathlib.Path(file).name in done.stderr.decode()


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("groups", [1, 8000])
def test_absurd_row_counts(cli, tmp_path, groups, threads):
    """Row groups that claim 2^44 rows each: these are not cut up one by one, and no worker waits for one that failed."""
    table = tmp_path / "vcase" / "v5runs"
    shutil.copytree(pathlib.Path(__file__).parents[1] / "fixtures" / "warehouse" / "vcase" / "v5runs", table)
    file = table / "data" / "data-00000.parquet"
    content = file.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    metadata = thrift_compact.Reader(content[start:-8]).struct()  # FileMetaData: 3 num_rows, 4 row_groups (3 num_rows)
    kind, (of, row_groups) = metadata[4]
    row_groups = row_groups[:-1] + [row_groups[-1] | {3: (thrift_compact.I64, 1 << 44)}] * groups
    metadata |= {3: (thrift_compact.I64, sum(group[3][1] for group in row_groups)), 4: (kind, (of, row_groups))}
    footer = thrift_compact.encode_struct(metadata)
    file.write_bytes(content[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    code, out, err = run.run_cli(cli, tmp_path, "--threads", threads, "SELECT max(id) FROM vcase.v5runs")
    assert code == run.EXIT_CODES["CorruptData"] and file.name in err and not out, (code, err)
