"""The fields of a JSON query about backgammon and of its answer: their types and bounds."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal, NotRequired, TypedDict, get_args

from msgspec import Meta

from gammond.engine.analysis.levels import EvalSettings, StoreUse, count_candidates
from gammond.engine.errors import ValueRangeError
from gammond.engine.options import CHOICES, TrueKey
from gammond.engine.rules.dice import validate_roll
from gammond.engine.rules.match import MAX_CUBE, RESULT_NAMES, MatchState
from gammond.engine.rules.rules import STANDARD_RULES, VARIANTS, Rules
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.protocol.commands.cube import MAX_MATRIX_AWAY
from gammond.protocol.core.arguments import error_field
from gammond.protocol.dialects.json_documents import MAX_WANTS, PositionQuery, QueryId, QueryReader
from gammond.protocol.state.session import Session

Want = Literal["eval", "moves", "cube", "legal", "tree", "resign", "matrix", "opinion", "rollout", "analyse"]

_StoreWord = Annotated[
    str,
    Meta(
        extra={CHOICES: tuple(map(str, StoreUse))},
        description="whether a kept answer of this depth will do, or also a deeper one",
    ),
]
_CandidateCount = Annotated[
    int,
    Meta(
        ge=1,
        description="how many of the best plays are compared, at the depth of the best whatever the move "
        "filter says; by default max_moves, and 5 at least. 1 compares none",
    ),
]


class Query(PositionQuery, kw_only=True):
    """The fields of a query object, explained in docs/reference/json-queries.md; `QUERIES` reads them.

    Raises:
        msgspec.ValidationError: On conversion, when a field has another type.
    """

    terminate_id: QueryId | None = None
    match_text: str | None = None
    dice: tuple[int, int] | None = None
    plies: Annotated[int, Meta(ge=0, le=MAX_PLIES, description="look-ahead")] = 0
    deeper: Annotated[
        int, Meta(ge=0, le=MAX_PLIES, description="look-ahead of decisions that are wrong or close")
    ] = 0
    filter: Annotated[str, Meta(extra={CHOICES: tuple(FILTERS)}, description="the move filter")] = (
        DEFAULT_FILTER
    )
    cubeful: Annotated[bool, Meta(description="whether evaluations are cubeful")] = True
    net: Annotated[str, Meta(description="the evaluator; that of the server if left out")] | None = None
    store: _StoreWord | None = None
    want: Annotated[tuple[Want, ...], Meta(min_length=1, max_length=MAX_WANTS)] = ("eval",)
    max_moves: Annotated[int, Meta(ge=1, description="the most plays of each roll")] | None = None
    candidates: _CandidateCount | None = None
    player: str | None = None
    resignation: Annotated[str, Meta(extra={CHOICES: RESULT_NAMES})] | None = None
    away: Annotated[int, Meta(ge=2, le=MAX_MATRIX_AWAY)] | None = None
    cube: Annotated[int, Meta(ge=1, le=MAX_CUBE // 2)] | None = None
    equities: bool | None = None
    rollout: dict[str, object] | None = None
    progress_every: Annotated[int, Meta(ge=1)] | None = None

    @property
    def rules(self) -> Rules:
        """The rules of the game; doubles are always four moves."""
        return STANDARD_RULES if self.variant is None else _RULES[self.variant.lower()]

    @property
    def settings(self) -> EvalSettings:
        """How positions are evaluated, and plays listed."""
        shown = self.max_moves if self.candidates is None else self.candidates
        store, candidates = _STORE_USES[self.store], count_candidates(shown)
        return EvalSettings(self.plies, self.filter, self.cubeful, store, candidates)

    @property
    def rolls_out_plays(self) -> bool:
        """Whether its rollouts need dice."""
        given = self.rollout or {}
        return given.get("what") == "moves" or (given.get("what") is None and bool(given.get("play")))

    @property
    def is_evaluation(self) -> bool:
        """Whether it wants nothing but ``eval`` at 0-ply."""
        return self.want == ("eval",) and self.plies == 0

    @property
    def is_analysis(self) -> bool:
        """Whether it is for a match."""
        return "analyse" in self.want


_Plies = Annotated[int, Meta(ge=0, le=MAX_PLIES)]
_Chance = Annotated[float, Meta(ge=0, le=1)]
_Unscaled = Annotated[
    TrueKey,
    Meta(
        description="Equities of the present cube are left out; a point is worth almost nothing of the match."
    ),
]


class EvaluationKeys(TypedDict):
    """An evaluation in an answer."""

    win: _Chance
    win_g: _Chance
    win_bg: _Chance
    lose_g: _Chance
    lose_bg: _Chance
    equity: Annotated[float, Meta(ge=-3, le=3, description="Cubeless money equity.")]
    plies: _Plies
    cubeful: NotRequired[float]
    unscaled: NotRequired[_Unscaled]
    mwc: NotRequired[_Chance]
    stored: NotRequired[TrueKey]


class CubeDecisionKeys(TypedDict):
    """A cube decision in an answer."""

    action: str
    double: bool
    plies: _Plies
    response: NotRequired[Literal["take", "drop", "beaver"]]
    unscaled: NotRequired[_Unscaled]
    no_double: NotRequired[float]
    take: NotRequired[float]
    drop: NotRequired[float]
    best: NotRequired[float]


class RankedPlayKeys(EvaluationKeys):
    """A play in an answer, and what it is worth."""

    play: str
    survived: Annotated[
        bool, Meta(description="Whether it was searched as deep as the best play; only such plays compare.")
    ]
    gnubgid: str


class ResultKeys(TypedDict):
    """What an answer has for one position."""

    position: Annotated[str, Meta(description="The GNU position ID.")]
    eval: NotRequired[EvaluationKeys]
    cube: NotRequired[CubeDecisionKeys]
    moves: NotRequired[list[RankedPlayKeys]]
    rollout: NotRequired[dict[str, Any]]


class QueryAnswer(TypedDict):
    """The answer of a query about positions, without what tells lines apart."""

    plies: _Plies
    net: Annotated[str, Meta(description="The evaluator.")]
    results: list[ResultKeys]
    stopped: NotRequired[
        Annotated[
            TrueKey, Meta(description="Only if time was over: there are fewer results, or shallower ones.")
        ]
    ]


class KeptAnswer(TypedDict):
    """What the store has of a position."""

    depths: list[_Plies]
    net: str
    results: list[ResultKeys]
    plies: NotRequired[_Plies]


_STORE_USES: dict[str | None, StoreUse] = {None: StoreUse.ON, **{str(use): use for use in StoreUse}}

_RULES = {name: Rules(variant) for name, variant in VARIANTS.items()}

_MATCH_FIELDS = sorted({each.name for each in fields(MatchState)} - set(Query.__struct_fields__))
"""Fields of a match state, which a query does not have."""

QUERIES = QueryReader(
    Query,
    {
        "terminate_id": "a string or a whole number",
        "dice": "a list of two whole numbers",
        "want": f"a list of one or more of {', '.join(get_args(Want))}",
        "rollout": "an object",
    },
    {
        "level": "a query has no level: send 'plies' and 'filter'",
        "ply": "did you mean 'plies'?",
        "depth": "did you mean 'plies'?",
        **dict.fromkeys(
            ("match", "matchid", *_MATCH_FIELDS),
            "score, cube and rules come with the position: send an XGID, or ID:MATCHID",
        ),
    },
)
"""Reads queries."""


def read_query(document: dict[str, object], head: dict[str, object]) -> Query:
    """Convert an object into a query, and warn of fields that queries do not have.

    Args:
        document: The object.
        head: What every line of the answer begins with; gets the warnings.

    Raises:
        FormatError: A field has another type, or there is no id.
        ValueRangeError: A value is out of range.
    """
    query = QUERIES.read(document, head)
    if query.dice is not None:
        validate_roll(*query.dice)
    if query.cube is not None and query.cube & (query.cube - 1):
        raise ValueRangeError(
            f"expected a power of two 1..{MAX_CUBE // 2} for cube, got {query.cube}", field="cube"
        )
    return query


def find_net(query: Query, session: Session) -> str:
    """Return the evaluator of a query, that of the session where it names none.

    Raises:
        GammondError: It names none that can be used.
    """
    with error_field("net"):
        return (
            session.engine_settings.net
            if query.net is None
            else session.service.check_evaluator_name(query.net)
        )
