"""Speed beside the tool a user would pick instead, measured in one run and printed as a ratio.

``python -m benchmarks`` runs all; names of modules run just those. These are not tests and never fail a build.
"""
