# SPDX-License-Identifier: Apache-2.0
"""What the numbers were taken on."""
import datetime
import os
import pathlib
import platform
import re
import subprocess


def facts(root):
    cpu = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*:\s*(.*)", cpu)
    memory = int(re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text(encoding="utf-8"))[1])
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', pathlib.Path("/etc/os-release").read_text(encoding="utf-8"), re.M))
    return {
        "processor": model[1].strip() if model else platform.processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / (1 << 20), 1),
        "system": release.get("PRETTY_NAME", platform.system()),
        "kernel": platform.release(),
        "instructions": [name for name in ("avx2", "avx512f") if re.search(rf"\b{name}\b", cpu)],
        "load_before": round(os.getloadavg()[0], 2),
        "commit": commit(root),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }


def commit(root):
    """The checkout's short id, with a + when something in it is not committed."""
    def git(*arguments):
        return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False).stdout.strip()
    return (git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")) or "unknown"


class ForeignLoad:
    """Share of the machine's processor time that went to others than the measured processes, between two calls."""

    def __init__(self):
        self.steal, self.total = self.read()

    @staticmethod
    def read():
        fields = [int(f) for f in pathlib.Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:9]]
        return fields[7], sum(fields)

    def share_stolen(self):
        steal, total = self.read()
        return (steal - self.steal) / max(1, total - self.total)
