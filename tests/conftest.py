# SPDX-License-Identifier: Apache-2.0
"""What the suites that run the command line share: its path."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="session")
def cli():
    """$VECRUNTIME_CLI, else the release build's."""
    path = pathlib.Path(os.environ.get("VECRUNTIME_CLI") or ROOT / "build/release/bin/vecruntime").resolve()
    if not path.is_file():
        pytest.fail(f"no vecruntime binary at {path}: build it, or name it by VECRUNTIME_CLI")
    return path
