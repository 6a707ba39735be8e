# SPDX-License-Identifier: Apache-2.0
"""Spark with Iceberg, and with Comet when its jar is named. usage: spark_peer.py WAREHOUSE THREADS ICEBERG_JAR [COMET_JAR]"""
import os
import re
import sys

import pyspark
from pyspark.sql import SparkSession

import protocol

WAREHOUSE, THREADS, ICEBERG_JAR = sys.argv[1:4]
COMET_JAR = sys.argv[4] if len(sys.argv) > 4 else None
EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"

settings = {
    "spark.driver.memory": "6g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.jars": ICEBERG_JAR,
    "spark.sql.shuffle.partitions": THREADS,
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.extensions": EXTENSIONS,
    "spark.sql.catalog.local": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.local.type": "hadoop",
    "spark.sql.catalog.local.warehouse": WAREHOUSE,
}
if COMET_JAR:
    settings |= {
        "spark.jars": f"{ICEBERG_JAR},{COMET_JAR}",
        # The plugin is loaded before spark.jars are.
        "spark.driver.extraClassPath": f"{COMET_JAR}:{ICEBERG_JAR}",
        "spark.plugins": "org.apache.spark.CometPlugin",
        "spark.sql.extensions": f"{EXTENSIONS},org.apache.comet.CometSparkSessionExtensions",
        "spark.comet.enabled": "true",
        "spark.comet.exec.enabled": "true",
        "spark.comet.scan.icebergNative.enabled": "true",
        "spark.comet.exec.shuffle.mode": "auto",
        "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
        "spark.memory.offHeap.enabled": "true",
        "spark.memory.offHeap.size": "4g",
    }
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
builder = SparkSession.builder.master(f"local[{THREADS}]").appName("bench")
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def run(request):
    return spark.sql(request["sql"].format(t=f"local.{request['table']}")).collect()


def version():
    names = [f"Spark {pyspark.__version__}"]
    for jar in filter(None, (ICEBERG_JAR, COMET_JAR)):
        found = re.match(r"(iceberg|comet)-.*-([\d.]+)\.jar$", os.path.basename(jar))
        names.append(f"{found[1].capitalize()} {found[2]}" if found else os.path.basename(jar))
    return ", ".join(names)


protocol.serve(version(), "table metadata in the catalog, delete files in the executor (their defaults)", run)
