"""All attacks, in the order in which they run."""

from __future__ import annotations

from tests.attacks import (
    crowds,
    damaged,
    deepening,
    ending,
    floods,
    folders,
    fuzz,
    greed,
    interrupts,
    kills,
    match_files,
    odd_clients,
    outputs,
    pages,
    strangers,
    tables,
)
from tests.attacks.trial import Attack

ATTACKS: tuple[Attack, ...] = (
    *odd_clients.ATTACKS,
    *crowds.ATTACKS,
    *pages.ATTACKS,
    *tables.ATTACKS,
    *floods.ATTACKS,
    *greed.ATTACKS,
    *deepening.ATTACKS,
    *ending.ATTACKS,
    *fuzz.ATTACKS,
    *match_files.ATTACKS,
    *damaged.ATTACKS,
    *folders.ATTACKS,
    *strangers.ATTACKS,
    *outputs.ATTACKS,
    *interrupts.ATTACKS,
    *kills.ATTACKS,
)
