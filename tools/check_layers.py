#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the sources to the structure: includes against layers.toml, every source in a build target, README paths that exist."""
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "vecruntime"
BANNED_NAMES = re.compile(r"(^|_)(utils?|helpers?|common|misc|manager)(_|$|\.)")


def include_faults(allowed):
    for path in sorted(SOURCES.rglob("*.[ch]*")):
        layer = path.relative_to(SOURCES).parts[0]
        if layer not in allowed:
            yield f"{path.relative_to(ROOT)}: layer {layer} is not in tools/layers.toml"
            continue
        for line in path.read_text().splitlines():
            match = re.match(r'#include "vecruntime/([a-z]+)/', line)
            if match and match[1] != layer and match[1] not in allowed[layer]:
                yield f"{path.relative_to(ROOT)}: {layer} may not include {match[1]}"


def target_faults():
    for path in sorted(SOURCES.rglob("*.cc")):
        layer = SOURCES / path.relative_to(SOURCES).parts[0]
        name = path.relative_to(layer).as_posix()
        text = (layer / "CMakeLists.txt").read_text() if (layer / "CMakeLists.txt").exists() else ""
        if not re.search(rf"(^|[\s(]){re.escape(name)}([\s)]|$)", text):
            yield f"{path.relative_to(ROOT)}: in no build target"


def name_faults():
    for path in sorted(p for folder in ("src", "include", "cli", "bench", "tests", "fuzz", "tools") for p in (ROOT / folder).rglob("*")):
        if path.suffix in (".h", ".cc", ".py") and BANNED_NAMES.search(path.name):
            yield f"{path.relative_to(ROOT)}: name says nothing (utils, helper, common, misc, manager)"


def readme_faults():
    for layer in sorted(p for p in SOURCES.iterdir() if p.is_dir()):
        if not (layer / "README.md").exists():
            yield f"{layer.relative_to(ROOT)}: no README.md"


def main():
    allowed = tomllib.loads((ROOT / "tools" / "layers.toml").read_text())["layers"]
    faults = [*include_faults(allowed), *target_faults(), *name_faults(), *readme_faults()]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
