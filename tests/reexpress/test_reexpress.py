# SPDX-License-Identifier: Apache-2.0
"""Every committed answer holds when the deletes are re-expressed as position files, deletion vectors or equality deletes."""
import os
import subprocess

import pytest

from tests.reexpress import make
from tests.reexpress.forms import FORMS


@pytest.fixture(scope="session")
def runner(cli):
    """$VECRUNTIME_SQL_RUNNER, else the one beside the command line."""
    path = os.environ.get("VECRUNTIME_SQL_RUNNER") or cli.with_name("vecruntime_sql_runner")
    if not os.path.isfile(path):
        pytest.fail(f"no vecruntime_sql_runner at {path}: build it")
    return path


@pytest.fixture(scope="session")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reexpressed")
    make.make(folder)
    return folder


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [(), ("--batch-rows", "3"), ("--no-pushdown", "--no-pruning")], ids=" ".join)
def test_answers_do_not_change(runner, out, form, options):
    command = [str(runner), str(out / form / "sql"), "--warehouse", str(out / form / "warehouse"), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, "\n".join((done.stdout + done.stderr).splitlines()[-60:])
