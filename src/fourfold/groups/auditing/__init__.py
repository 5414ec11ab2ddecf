"""All groups of a data set at once, and several models on them; findings corrected for the number of tests.

In: data or tables by group.
Out: an `Audit` or a `ModelComparison`: a finding for each group and metric.
"""
