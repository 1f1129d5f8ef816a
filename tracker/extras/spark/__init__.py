"""The views of sql/ on Apache Spark: the same files, carried over to its dialect of SQL.

pyspark and sqlglot, of the extra `spark`, are imported where they are used.
"""
