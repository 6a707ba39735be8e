# SPDX-License-Identifier: Apache-2.0
"""Tables in a bucket answer as their local copies do; what is missing or denied is named, with its kind."""
import pytest

from tests.s3.conftest import BUCKET

NOT_FOUND, IO_ERROR, PERMISSION_DENIED = 3, 6, 10
ALIVE = [0, 3, 4, 6, 7, 8, 10, 13]
STATEMENTS = [
    "SELECT id, v FROM db.{t} ORDER BY id",
    "SELECT count(*) AS n, max(v) AS m FROM db.{t} WHERE id > 3",
    "SELECT id, _pos FROM db.{t} WHERE v = 'v6'",
]


@pytest.mark.parametrize("table", ["v2", "v3"])
@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_answers_as_the_local_copy(query, lake, scheme, table):
    for sql in STATEMENTS:
        local = query(lake[scheme], sql.format(t=table), "--allow-moved-paths")
        assert local[0] == 0, local[2]
        remote = query(f"{scheme}://{BUCKET}/{scheme}", sql.format(t=table))
        assert remote[0] == 0, remote[2]
        assert remote[1] == local[1]
    code, rows, err = query(f"{scheme}://{BUCKET}/{scheme}", f"SELECT id FROM db.{table} ORDER BY id")
    assert (code, [r["id"] for r in rows]) == (0, ALIVE), err


def test_alias_of_the_scheme(query, lake):
    """A warehouse named s3:// whose tables say s3a:// of their files, and the other way round."""
    for warehouse in ("s3://lake/s3a", "s3a://lake/s3"):
        code, rows, err = query(warehouse, "SELECT id FROM db.v3 ORDER BY id")
        assert (code, [r["id"] for r in rows]) == (0, ALIVE), err


def test_table_by_path(query, lake):
    code, rows, err = query(None, "SELECT count(*) AS n FROM 's3://lake/s3/db/v2'")
    assert (code, rows) == (0, [{"n": len(ALIVE)}]), err


def test_copied_table(query, lake, server):
    """A local table copied into a bucket, read where it now lies."""
    server.upload(lake["s3a"] / "db" / "v3", "copied/db/v3")
    code, rows, err = query("s3://lake/copied", "SELECT id FROM db.v3 ORDER BY id", "--allow-moved-paths")
    assert (code, [r["id"] for r in rows]) == (0, ALIVE), err


def test_missing_bucket(query, lake):
    code, rows, err = query("s3://no-such-bucket/s3", "SELECT * FROM db.v2")
    assert (code, rows) == (NOT_FOUND, []), err
    assert "db.v2" in err or "no-such-bucket" in err


def test_missing_table(query, lake):
    code, rows, err = query("s3://lake/s3", "SELECT * FROM db.v4")
    assert (code, rows) == (NOT_FOUND, []), err
    assert "db.v4" in err


@pytest.mark.parametrize("key", ["data/dv-00000.puffin", "data/data-00001.parquet", "metadata/m-00000.avro",
                                 "metadata/snap-1002.avro"])
def test_missing_key(query, lake, server, key):
    folder = f"missing-{key.split('/')[1].split('.')[0]}"
    server.upload(lake["s3"], folder)
    server.client.delete_object(Bucket=BUCKET, Key=f"{folder}/db/v3/{key}")
    code, rows, err = query(f"s3://lake/{folder}", "SELECT * FROM db.v3", "--allow-moved-paths")
    assert (code, rows) == (NOT_FOUND, []), err
    assert key.split("/")[1] in err


def test_cut_key(query, lake, server):
    server.upload(lake["s3"], "cut")
    key = "cut/db/v2/data/pos-00000.parquet"
    content = server.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    server.client.put_object(Bucket=BUCKET, Key=key, Body=content[:len(content) // 2])
    code, rows, err = query("s3://lake/cut", "SELECT * FROM db.v2", "--allow-moved-paths")
    assert code in (5, IO_ERROR) and not rows, err
    assert "pos-00000.parquet" in err


def test_denied(query, lake, server):
    server.require_permission(True)
    try:
        code, rows, err = query("s3://lake/s3", "SELECT * FROM db.v2")
        path_code, path_rows, path_err = query(None, "SELECT * FROM 's3://lake/s3/db/v2/metadata/v4.metadata.json'")
    finally:
        server.require_permission(False)
    assert (code, rows) == (PERMISSION_DENIED, []), err
    assert "s3://lake/s3" in err
    assert (path_code, path_rows) == (PERMISSION_DENIED, []), path_err
    assert "v4.metadata.json" in path_err


def test_no_server(query, lake):
    code, rows, err = query("s3://lake/s3", "SELECT * FROM db.v2", AWS_ENDPOINT_URL="http://127.0.0.1:9", AWS_MAX_ATTEMPTS="1")
    assert (code, rows) == (IO_ERROR, []), err
    assert "s3://lake/s3" in err
