"""The instant that stands for infinity on Spark, which has none."""

# Later than all that a store holds.
FAR = "9999-12-31 23:59:59.999999"
