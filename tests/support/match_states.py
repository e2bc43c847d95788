"""Random match states to test on."""

from __future__ import annotations

import random

from gammond.engine.errors import PositionError
from gammond.engine.rules.match import MatchState


def random_match_state(generator: random.Random, resignations: bool = False) -> MatchState:
    """Draw money and match play, scores, cubes, both turns, rolls, doubles and, if wanted, resignations."""
    while True:
        length = generator.choice([0, 0, 1, 2, 3, 5, 7, 25])
        score = generator.randrange(length or 40), generator.randrange(length or 40)
        cube = 2 ** generator.choice([0, 0, 1, 2, 5, 12])
        step = generator.choice(["roll", "rolled", "doubled"])
        try:
            return MatchState(
                length=length,
                score=score,
                crawford=generator.random() < 0.5 and (length - score[0] == 1) != (length - score[1] == 1),
                cube=cube,
                cube_owner=None if cube == 1 else generator.randrange(2),
                on_roll=generator.randrange(2),
                roll=(generator.randint(1, 6), generator.randint(1, 6)) if step == "rolled" else None,
                doubled=step == "doubled",
                resigned=generator.choice([0, 0, 1, 2, 3]) if resignations else 0,
                jacoby=not length and generator.random() < 0.5,
                beavers=bool(length) or generator.random() < 0.5,
            )
        except PositionError:  # a double without access to the cube, or a cube turned in the Crawford game
            continue
