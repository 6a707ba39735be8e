# SPDX-License-Identifier: Apache-2.0
"""A local S3 server with one bucket, and the command line pointed at it."""
import json
import os
import subprocess
import urllib.request

import boto3
import pytest
from moto.server import ThreadedMotoServer

from tests.fixtures.builder import Field, Table, part

BUCKET = "lake"
ID, V, P = Field(1, "id", "int"), Field(2, "v", "string"), Field(3, "p", "string")
TIMEOUT_S = 60


class Server:
    def __init__(self):
        self.moto = ThreadedMotoServer(port=0, verbose=False)
        self.moto.start()
        host, port = self.moto.get_host_and_port()
        self.url = f"http://127.0.0.1:{port}" if host == "0.0.0.0" else f"http://{host}:{port}"
        self.client = boto3.client("s3", endpoint_url=self.url, region_name="us-east-1", aws_access_key_id="test",
                                   aws_secret_access_key="test")

    def upload(self, folder, key):
        for path in folder.rglob("*"):
            if path.is_file():
                self.client.upload_file(str(path), BUCKET, f"{key}/{path.relative_to(folder)}")

    def require_permission(self, required):
        """From now on every request needs an identity that may make it (nobody has one), or none does."""
        request = urllib.request.Request(self.url + "/moto-api/reset-auth", b"0" if required else b"inf", method="POST",
                                         headers={"Content-Type": "text/plain"})
        urllib.request.urlopen(request).read()


@pytest.fixture(scope="session")
def server():
    running = Server()
    running.client.create_bucket(Bucket=BUCKET)
    yield running
    running.moto.stop()


def build(warehouse, scheme):
    """Every kind of delete, with locations of one scheme; the rows left are 0, 3, 4, 6, 7, 8, 10, 13."""
    place = lambda name: f"{scheme}://{BUCKET}/{scheme}/db/{name}"
    t = Table(warehouse, "db.v2", [ID, V, P], spec=[part("p")], location=place("v2"))
    with t.commit() as c:
        a = c.data([(i, f"v{i}", "x y/z") for i in range(8)], partition=("x y/z",),
                   path=f"{t.location}/data/p=x%20y%2Fz/a b+c.parquet")
        c.data([(i, f"v{i}", "q") for i in range(8, 14)], partition=("q",))
    with t.commit() as c:
        c.position_delete([(a, 1), (a, 2), (a, 5)], partition=("x y/z",))
        c.equality_delete(["id"], [(9,), (11,), (12,)], partition=("q",))
    t.write()
    t = Table(warehouse, "db.v3", [ID, V], 3, location=place("v3"))
    with t.commit() as c:
        files = [c.data([(i, f"v{i}") for i in ids]) for ids in (range(8), range(8, 14))]
    with t.commit() as c:
        c.deletion_vectors([(files[0], [1, 2, 5]), (files[1], [1, 3, 4])])
    t.write(gz=True)


@pytest.fixture(scope="session")
def lake(server, tmp_path_factory):
    """{scheme: local copy of the warehouse at SCHEME://lake/SCHEME}"""
    out = {}
    for scheme in ("s3", "s3a"):
        out[scheme] = tmp_path_factory.mktemp(scheme)
        build(out[scheme], scheme)
        server.upload(out[scheme], scheme)
    return out


class Query:
    def __init__(self, cli, server):
        self.cli, self.server = cli, server

    def __call__(self, warehouse, sql, *arguments, **environment):
        """(exit code, rows, stderr)"""
        env = {**os.environ, "AWS_ENDPOINT_URL": self.server.url, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test",
               "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true", **environment}
        command = [str(self.cli), "query", "--format", "json", *arguments, sql]
        if warehouse:
            command[2:2] = ["--warehouse", str(warehouse)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.fixture
def query(cli, server):
    return Query(cli, server)
