# SPDX-License-Identifier: Apache-2.0
"""Starts Spark with Iceberg, the oracle of every answer, and wraps the parts of Iceberg's Java API that SQL cannot reach.

One process, one session: UTC, ANSI on, UI off, case-insensitive, a Hadoop catalog named `local`.
"""
import logging
import os
import pathlib
import subprocess
import time
import uuid

ICEBERG = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0"
CATALOG = "local"


def iceberg_jar(build_dir=None):
    """Path of the Iceberg runtime jar: $ICEBERG_JAR, or fetched once through Maven into build_dir."""
    return os.environ.get("ICEBERG_JAR") or maven_jar(ICEBERG, build_dir)


def maven_jar(coordinates, build_dir=None):
    """Path of the jar `group:artifact:version`, fetched once through Maven into build_dir."""
    build_dir = pathlib.Path(build_dir or os.environ.get("VECRUNTIME_ORACLE_DIR", "build/oracle"))
    _, artifact, version = coordinates.split(":")
    jar = build_dir.absolute() / f"{artifact}-{version}.jar"
    if not jar.exists():
        build_dir.mkdir(parents=True, exist_ok=True)
        plugin = "org.apache.maven.plugins:maven-dependency-plugin:2.8"
        # `get` resolves from any directory, but only `copy` places the file; its project-less form needs no pom.
        subprocess.run(["mvn", "-q", "-B", f"{plugin}:get", f"-Dartifact={coordinates}", "-Dtransitive=false"], check=True)
        subprocess.run(["mvn", "-q", "-B", f"{plugin}:copy", f"-Dartifact={coordinates}", f"-DoutputDirectory={jar.parent}"],
                       check=True)
    return str(jar)


# Tiny questions spend their time in compiling and in starting tasks: interpreted, one task a stage.
FAST_FOR_TINY = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
                 "spark.sql.shuffle.partitions": "1", "spark.default.parallelism": "1",
                 "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def start(warehouse, memory="2g", cores=2, build_dir=None, conf=None):
    """A Spark session whose catalog `local` is the Hadoop catalog under `warehouse` (a path or a file: URI)."""
    from pyspark.sql import SparkSession
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["TZ"] = "UTC"  # PySpark hands out timestamps in the process's own zone
    time.tzset()
    settings = {
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.jars": iceberg_jar(build_dir),
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.jsonGenerator.ignoreNullFields": "false",
        f"spark.sql.catalog.{CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{CATALOG}.type": "hadoop",
        f"spark.sql.catalog.{CATALOG}.warehouse": str(warehouse),
        f"spark.sql.catalog.{CATALOG}.cache-enabled": "false",
        # Tables here are tiny: what counts is the latency of a job, not its throughput.
        "spark.sql.iceberg.locality.enabled": "false",
        "spark.sql.adaptive.enabled": "false",
        **(conf or {}),
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("vecruntime-oracle")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    # Failed statements are answers here; PySpark would print the whole Java stack of each.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    return Oracle(spark)


class Oracle:
    """Spark plus Iceberg's Java API. Table names are `ns.table`, without the catalog."""

    def __init__(self, spark):
        self.spark = spark
        self.jvm = spark._jvm
        self.iceberg = spark._jvm.org.apache.iceberg

    def sql(self, text):
        return self.spark.sql(text)

    def use_catalog(self):
        """Makes `ns.table` in a statement mean the Iceberg table, as it does in VecRuntime."""
        self.spark.catalog.setCurrentCatalog(CATALOG)

    def table(self, name):
        """The Java table, freshly loaded."""
        return self.iceberg.spark.Spark3Util.loadIcebergTable(self.spark._jsparkSession, f"{CATALOG}.{name}")

    def drop(self, name):
        self.sql(f"DROP TABLE IF EXISTS {CATALOG}.{name} PURGE")

    def location(self, name):
        """The table's folder as a local path."""
        return local_path(self.table(name).location())

    def data_files(self, name):
        """Live data files of the current snapshot as Java DataFile objects (with partition and spec id)."""
        tasks = self.table(name).newScan().planFiles()
        try:
            return list({t.file().location(): t.file() for t in iterate(tasks)}.values())
        finally:
            tasks.close()

    # --- writing what SQL cannot write -------------------------------------------------------------------------

    def equality_delete_file(self, name, columns, rows, spec_id=None, partition_of=None, **write_options):
        """Writes one equality-delete file and returns the Java DeleteFile, not yet committed.

        columns: dotted names of the key columns in the current schema, in the order of equality_ids;
        rows: one tuple of Python values a key; partition_of: a Java DataFile whose (spec, partition) the delete takes,
        else the spec `spec_id` (default the table's) must be unpartitioned and the delete is global.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq
        table = self.table(name)
        ids = [table.schema().findField(c).fieldId() for c in columns]
        wanted = table.schema().select(self._java_list(columns))
        schema = pa.schema([arrow_field(f) for f in wanted.columns()])
        records = [nest(columns, row) for row in rows]
        folder = f"{table.location()}/data"
        path = f"{folder}/eq-{uuid.uuid4()}.parquet"
        os.makedirs(local_path(folder), exist_ok=True)
        pq.write_table(pa.Table.from_pylist(records, schema=schema), local_path(path), store_schema=False,
                       **{"compression": "zstd", **write_options})
        spec = table.spec() if spec_id is None else table.specs().get(spec_id)
        if partition_of is not None:
            spec = table.specs().get(partition_of.specId())
        builder = self.iceberg.FileMetadata.deleteFileBuilder(spec).ofEqualityDeletes(self._int_array(ids))
        builder = (builder.withPath(path).withFormat("parquet").withRecordCount(len(rows))
                   .withFileSizeInBytes(os.path.getsize(local_path(path))))
        if partition_of is not None and spec.isPartitioned():
            builder = builder.withPartition(partition_of.partition())
        return builder.build()

    def delete_keys(self, name, columns, rows, **where):
        """Commits one equality-delete file; see equality_delete_file."""
        self.row_delta(name, deletes=[self.equality_delete_file(name, columns, rows, **where)])

    def row_delta(self, name, data=(), deletes=(), branch=None):
        delta = self.table(name).newRowDelta()
        for file in data:
            delta = delta.addRows(file)
        for file in deletes:
            delta = delta.addDeletes(file)
        if branch:
            delta = delta.toBranch(branch)
        delta.commit()

    def copy_data_files(self, source, target):
        """Appends the data files of one table to another of the same schema, as hard links: no row is rewritten."""
        table = self.table(target)
        folder = f"{table.location()}/data"
        os.makedirs(local_path(folder), exist_ok=True)
        append = table.newFastAppend()
        for file in sorted(self.data_files(source), key=lambda f: f.location()):
            path = f"{folder}/{os.path.basename(file.location())}"
            os.link(local_path(file.location()), local_path(path))
            append = append.appendFile(self.iceberg.DataFiles.builder(table.spec()).copy(file).withPath(path).build())
        append.commit()

    def upgrade(self, name, version):
        self.sql(f"ALTER TABLE {CATALOG}.{name} SET TBLPROPERTIES ('format-version'='{version}')")

    def compact(self, name, where=None, **options):
        arguments = f"table => '{name}'" + (f", where => '{where}'" if where else "")
        options = {"rewrite-all": "true", **{k.replace("_", "-"): str(v) for k, v in options.items()}}
        pairs = ", ".join(f"'{k}', '{v}'" for k, v in options.items())
        self.sql(f"CALL {CATALOG}.system.rewrite_data_files({arguments}, options => map({pairs}))")

    def compact_position_deletes(self, name):
        self.sql(f"CALL {CATALOG}.system.rewrite_position_delete_files(table => '{name}', "
                 "options => map('rewrite-all', 'true'))")

    def rewrite_manifests(self, name):
        self.sql(f"CALL {CATALOG}.system.rewrite_manifests('{name}')")

    def unpartition(self, name):
        """Evolves to the empty spec; fields of older specs stay as they are in their files."""
        table = self.table(name)
        update = table.updateSpec()
        for field in list(table.spec().fields()):
            update = update.removeField(field.name())
        update.commit()

    def add_column_with_default(self, name, column, type_name, value):
        """v3: adds a column whose initial and write default is `value` (a Python value of the primitive type)."""
        types = self.iceberg.types.Types
        kind = types.fromPrimitiveString(type_name)
        literal = self.iceberg.expressions.Expressions.lit(value)
        self.table(name).updateSchema().addColumn(column, kind, literal.to(kind)).commit()

    # --- asking ------------------------------------------------------------------------------------------------

    def ask(self, text):
        """Runs a query: (rows as Spark's JSON objects, [(column name, Spark type)])."""
        frame = self.spark.sql(text)
        # DataFrame.toJSON of Python goes through an RDD; the JVM's own returns the lines at once.
        return list(frame._jdf.toJSON().collectAsList()), [(f.name, f.dataType) for f in frame.schema.fields]

    def snapshots(self, name):
        """Snapshot ids of the current history, oldest first."""
        return [r[0] for r in self.sql(
            f"SELECT snapshot_id FROM {CATALOG}.{name}.history ORDER BY made_current_at").collect()]

    # --- bridges -----------------------------------------------------------------------------------------------

    def _java_list(self, values):
        out = self.jvm.java.util.ArrayList()
        for value in values:
            out.add(value)
        return out

    def _int_array(self, values):
        out = self.spark.sparkContext._gateway.new_array(self.jvm.int, len(values))
        for i, value in enumerate(values):
            out[i] = value
        return out


def error_class(exception):
    """Spark's error class of a failed statement (`DIVIDE_BY_ZERO`), or None when it carries none."""
    condition = getattr(exception, "getCondition", lambda: None)()
    return condition.split(".")[0] if condition else None


def local_path(uri):
    return uri[len("file:"):].replace("//", "/") if uri.startswith("file:") else uri


def iterate(java_iterable):
    iterator = java_iterable.iterator()
    while iterator.hasNext():
        yield iterator.next()


def nest(columns, values):
    """{"s.k": 1, "s.x": 2} as {"s": {"k": 1, "x": 2}}; a NULL parent is given by a NULL value of every leaf under it."""
    record = {}
    for column, value in zip(columns, values):
        *parents, leaf = column.split(".")
        inner = record
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[leaf] = value
    return record


def arrow_type(kind):
    """The Arrow type that stores a Java Iceberg type in Parquet, field ids included."""
    import pyarrow as pa
    if kind.isStructType():
        return pa.struct([arrow_field(f) for f in kind.fields()])
    name = kind.toString()
    if name.startswith("decimal"):
        precision, scale = name[len("decimal("):-1].split(",")
        return pa.decimal128(int(precision), int(scale))
    if name.startswith("fixed"):
        return pa.binary(int(name[len("fixed["):-1]))
    return {
        "boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(),
        "date": pa.date32(), "time": pa.time64("us"), "timestamp": pa.timestamp("us"),
        "timestamptz": pa.timestamp("us", tz="UTC"), "string": pa.string(), "binary": pa.binary(),
        "uuid": pa.binary(16),
    }[name]


def arrow_field(field):
    import pyarrow as pa
    return pa.field(field.name(), arrow_type(field.type()), nullable=True,
                    metadata={"PARQUET:field_id": str(field.fieldId())})
