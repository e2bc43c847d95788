import re

import pytest

pytest.importorskip("argon2", reason="needs the extra 'web'")

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.protocol.accounts.accounts import Accounts
from gammond.tools import accounts, cli
from tests.protocol.accounts.quick_accounts import CHEAP
from tests.support.commands import run_tool


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    monkeypatch.setattr("argon2.PasswordHasher", lambda: CHEAP)
    opened = Accounts(tmp_path / "accounts.sqlite")
    opened.register("Ann", "correct horse")
    opened.close()
    return tmp_path / "accounts.sqlite"


def run(*arguments):
    return cli.main(["accounts", *arguments])


def test_accounts_are_listed(file, capsys):
    assert run("list") == 0
    assert re.fullmatch(
        r"Ann: made [0-9-]{10}, last login [0-9-]{10}, 1 session\n1 account\n", capsys.readouterr().out
    )


def test_a_password_by_lot_takes_the_place_of_a_forgotten_one(file, capsys):
    assert run("reset", "ann", "--file", str(file)) == 0
    opened = Accounts(file)
    opened.log_in("Ann", capsys.readouterr().out.strip())
    opened.close()


def test_an_account_is_removed(file, capsys):
    assert run("remove", "Ann") == 0
    assert run("list") == 0
    assert capsys.readouterr().out == "0 accounts\n"


def test_a_name_without_an_account_and_a_missing_file_are_errors(file, tmp_path):
    for action in ("reset", "remove"):
        with pytest.raises(ValueRangeError, match="'Bob'"):
            run_tool(accounts, action, "Bob", "--file", file)
    with pytest.raises(DataFileError, match="no accounts"):
        run_tool(accounts, "list", "--file", tmp_path / "none")
