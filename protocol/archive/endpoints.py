"""The endpoints of kept games, and of the accounts that own them."""

from __future__ import annotations

from protocol.accounts.accounts import Accounts
from protocol.accounts.endpoints import make_endpoints as make_account_endpoints
from protocol.archive.archive import GameArchive
from protocol.archive.game_endpoints import make_game_endpoints
from protocol.web.plans import Endpoint


def make_endpoints(archive: GameArchive | None, accounts: Accounts | None) -> tuple[Endpoint, ...]:
    """Return the endpoints of kept games and of accounts.

    Args:
        archive: Has the games; None where they are not kept.
        accounts: The accounts; None where names need no password.
    """
    return (*make_game_endpoints(archive, accounts), *make_account_endpoints(accounts))
