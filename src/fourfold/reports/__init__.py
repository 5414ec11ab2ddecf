"""From a document to what it says about classifiers: readers make blocks, recognisers find reports in them."""

from .blocks import Block, Grid, Lines, Place
from .report import Report

__all__ = ["Block", "Grid", "Lines", "Place", "Report"]
