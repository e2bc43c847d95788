"""All attacks, in the order in which they run."""

from __future__ import annotations

from tests.attacks.trial import Attack

ATTACKS: tuple[Attack, ...] = ()
