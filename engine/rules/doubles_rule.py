"""How many checker moves a double gives: four, or two in a variant of the rules."""

from __future__ import annotations

from enum import StrEnum

from engine.rules.dice import Roll


class DoublesRule(StrEnum):
    """How many checker moves doubles are.

    *Source:* two is the variant that K. Ekman measures in "Backgammon Artificial Intelligence", CodeProject,
    2021: less hangs on the dice.
    """

    FOUR = "four"
    TWO = "two"

    def list_dice(self, roll: Roll) -> tuple[int, ...]:
        """The dice that a roll gives to play, one for each checker move."""
        return roll * 2 if roll[0] == roll[1] and self is DoublesRule.FOUR else roll
