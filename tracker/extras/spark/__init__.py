"""The views of sql/ on Apache Spark, translated from the same files.

pyspark and sqlglot, of the extra `spark`, are imported where they are used.
"""
