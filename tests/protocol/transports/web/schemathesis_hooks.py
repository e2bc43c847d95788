"""Keeps the requests that schemathesis makes short: shallow searches, few trials, games with a net."""

from __future__ import annotations

import schemathesis

_MOST = {"plies": 1, "deeper": 1}
_ROLLOUT = {"trials": 36, "truncate": 2}


def _bound(values):
    for name, most in _MOST.items():
        if type(values.get(name)) is int and values[name] in range(5):
            values[name] = min(values[name], most)
    if values.get("variant") in ("hypergammon", "hypergammon2"):  # solved by files that take minutes
        values["variant"] = "nackgammon"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Bound a request."""
    path = case.operation.path
    if isinstance(case.query, dict):
        _bound(case.query)
        if path.endswith("analyse"):
            case.query.setdefault("plies", 0)
    if isinstance(case.body, dict):
        _bound(case.body)
        given = case.body.get("rollout", {})
        if path.endswith("rollout") and isinstance(given, dict):
            trials = given.get("trials", 1)
            is_right = type(trials) is int and trials in range(1, 100_001)
            case.body["rollout"] = {**given, **(_ROLLOUT if is_right else {}), "plies": 0, "leaf_plies": 0}
