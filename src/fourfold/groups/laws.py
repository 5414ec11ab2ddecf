"""How a score falls in samples of one size, exactly."""

from __future__ import annotations

from collections.abc import Mapping

from ..chance.draws import Source
from ..chance.laws import Law, law
from ..metrics import Metric
from ..metrics import metric as find_metric
from ..names import old_parameters
from ..table import Table
from .matching import as_table

__all__ = ["Law", "score_law"]


@old_parameters(name="metric")
def score_law(
    metric: str | Metric, size: int, reference: Table | Mapping[str, object], *, reference_uncertainty: bool = False
) -> Law:
    """Return the exact distribution of a score over all samples of a size that can be drawn from a reference.

    Parameters
    ----------
    metric
        A metric by any of its names.
    size
        How many cases are drawn.
    reference
        A table; only its shares count, unless `reference_uncertainty` is set.
    reference_uncertainty
        Whether to allow for the reference's own shares being known only from its cases.

    Examples
    --------
    >>> law = score_law("recall", 10, Table(tp=60, fn=40, fp=80, tn=320))
    >>> law.quantile(0.5), round(law.undefined, 6)
    (0.6666666666666666, 0.107374)
    """
    source = Source.of(as_table(reference, "reference"), uncertain=reference_uncertainty)
    return law(find_metric(metric), size, source)
