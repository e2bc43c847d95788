"""Long work of clients that a cluster does, and that this process goes on with where the cluster fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import GammondError
from gammond.engine.rollout.runner import BlockPlayer
from gammond.protocol.core.requests import WorkControl

if TYPE_CHECKING:
    from gammond.engine.match_analysis.analysis import AnalysisSettings, DecisionAnalyser

_T = TypeVar("_T")


class ClusterWork(Protocol):
    """A cluster, as the work of clients uses it from several threads; none of it waits for a connection."""

    def count_workers(self) -> int:
        """Return how many workers there are now; 0 while there is no connection."""
        ...

    def make_blocks(self, engine: Engine, plies: int, leaf_plies: int) -> BlockPlayer | None:
        """Make what plays the trials of a rollout; None if nobody can at present.

        Args:
            engine: Who plays, by its name and rules.
            plies: Look-ahead for checker plays and cube decisions.
            leaf_plies: Look-ahead for the values at the truncation.
        """
        ...

    def make_analyser(
        self, engine: Engine, settings: AnalysisSettings, cancelled: Callable[[], bool]
    ) -> DecisionAnalyser | None:
        """Make what analyses the decisions of matches; None if nobody can at present.

        Args:
            engine: Who analyses, by its name and rules.
            settings: How deep.
            cancelled: Asked some times a second; when it returns true, the work ends.
        """
        ...

    def check(self) -> None:
        """Do nothing while there are workers.

        Raises:
            GammondError: There are none any more.
        """
        ...

    def covers(self, error: GammondError) -> bool:
        """Return whether this process is to go on with work after an error, and the cluster to rest."""
        ...


def work_with_cluster(
    cluster: ClusterWork | None,
    control: WorkControl,
    work_there: Callable[[ClusterWork], _T | None],
    work_here: Callable[[], _T],
) -> _T:
    """Do long work on a cluster, which needs no turn of this process meanwhile; else here.

    Args:
        cluster: The cluster; None if there is none.
        control: Of the work.
        work_there: Does it on the cluster; None if nobody can at present.
        work_here: Does it, or what is left of it, in this process.

    Raises:
        GammondError: As the work, except for what the cluster covers.
    """
    if cluster is not None and cluster.count_workers():
        try:
            with control.leave_turn():
                found = work_there(cluster)
            if found is not None:
                return found
        except GammondError as error:
            if not cluster.covers(error):
                raise
    return work_here()
