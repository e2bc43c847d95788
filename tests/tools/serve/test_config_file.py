"""The configuration file: every option by its long name, and errors that lead to the line."""

import gc
import tomllib
from pathlib import Path

import pytest

from gammond.engine.errors import FormatError
from gammond.tools import cli
from gammond.tools.common.command_options import add_options, collect_values, make_options
from gammond.tools.common.tool_parser import ToolParser
from gammond.tools.serve.config_file import configure, format_configuration, list_keys
from gammond.tools.serve.options import ServeOptions, check_options

AN_OPTION = "an option of 'gammond serve --help' or a table"

EXAMPLE = Path(__file__).parents[3] / "deploy" / "gammond.toml"


KEYS = list_keys(ServeOptions)


def read(*words):
    """Return what the command line and the file of ``--config`` set."""
    parser = ToolParser()
    add_options(parser, ServeOptions)
    return configure(collect_values(parser.parse_args(words), ServeOptions), KEYS)


def check(configuration):
    check_options(make_options(configuration.values, ServeOptions))


def configured(tmp_path, text, *arguments):
    file = tmp_path / "gammond.toml"
    file.write_text(text, "utf-8")
    return read("--config", str(file), *arguments)


def faults(tmp_path, text):
    return [fault.removeprefix(f"{tmp_path}/") for fault in configured(tmp_path, text).faults]


SAMPLES = {bool: "true", int: "3", float: "2.5", str: '"word"'}


def make_sample(key):
    """Return a value for an option in TOML, and what the command line gives for it."""
    field = key.option.field
    if field.is_list:
        return '["a.example", "b.example"]', ("a.example", "b.example")
    if field.choices:
        return f'"{field.choices[0]}"', field.choices[0]
    text = SAMPLES[field.type]
    return text, tomllib.loads(f"x = {text}")["x"]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_option_can_be_set_by_its_name_in_its_table_or_before_all(tmp_path, key):
    text, value = make_sample(key)
    short = key.name.removeprefix(f"{key.table}-")
    for written in {
        f"{key.name} = {text}\n",
        f"[{key.table}]\n{key.name} = {text}\n" if key.table else f"{key.name} = {text}\n",
        f"[{key.table}]\n{short} = {text}\n" if key.table else f"{key.name} = {text}\n",
    }:
        configuration = configured(tmp_path, written)
        assert configuration.faults == ()
        assert configuration.values == {key.option.name: value}
        assert configuration.origins == {
            key.option.name: f"{tmp_path / 'gammond.toml'}, line {written.count(chr(10))}"
        }


def test_the_command_line_wins(tmp_path):
    text = 'tcp = 4321\n[limits]\nclients = 9\n[web]\nhost = ["a.example"]\n'
    configuration = configured(tmp_path, text, "--clients", "8", "--web-host", "b.example")
    assert configuration.values == {"clients": 8, "tcp": "4321", "web_host": ("b.example",)}
    assert configuration.origins["clients"] == "the command line"


def test_store_and_archive_may_be_tables(tmp_path):
    archive = "[archive]\nfile = '/var/games.sqlite'\n"
    configuration = configured(tmp_path, f"web = 8080\n{archive}[store]\nmegabytes = 64\ndeepen = false\n")
    assert configuration.faults == ()
    assert configuration.values["store"] == "megabytes=64,deepen=false"
    assert configuration.values["archive"] == "file=/var/games.sqlite"
    check(configuration)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "tcp = 1\nthread = 2",
            f"line 2: expected {AN_OPTION}, got 'thread' (did you mean 'threads'?)",
        ),
        (
            "idle_timeout = 2",
            f"line 1: expected {AN_OPTION}, got 'idle_timeout' (did you mean 'idle-timeout'?)",
        ),
        (
            "[limits]\n\nclient = 2",
            "line 3: expected a key of [limits] (threads, clients, idle-timeout), got 'client' "
            "(did you mean 'clients'?)",
        ),
        (
            "[limits]\ntcp = 2",
            "line 2: expected tcp in [listen] or before the first table, got it in [limits]",
        ),
        ("clients = '7'", "line 1: expected a whole number 1..10000 for clients, got '7'"),
        ("clients = 7.0", "line 1: expected a whole number 1..10000 for clients, got 7.0"),
        ("clients = true", "line 1: expected a whole number 1..10000 for clients, got True"),
        ("accounts = 1", "line 1: expected true or false for accounts, got 1"),
        ("idle-timeout = inf", "line 1: expected a number 1..10000000 for idle-timeout, got inf"),
        ("[web]\nhost = 'a'", "line 2: expected an array of texts for web.host, got 'a'"),
        (
            "[log]\nformat = 'jsn'",
            "line 2: expected one of text|json for log.format, got 'jsn' (did you mean 'json'?)",
        ),
        ("clients = 1\n[limits]\nclients = 2", "line 3: limits.clients sets --clients again, after line 1"),
        (
            "[store]\nmegabyte = 2",
            "line 2: expected a key of [store] (on, file, megabytes, book, deepen, idle, tiers), got "
            "'megabyte' (did you mean 'megabytes'?)",
        ),
        ("[store]\nmegabytes = 0", "line 2: expected a whole number 1..1000000 for megabytes, got 0"),
        ("[clients]\nx = 1", "line 1: expected a whole number 1..10000 for clients, got {'x': 1}"),
        ("config = 'other'", f"line 1: expected {AN_OPTION}, got 'config'"),
    ],
)
def test_a_fault_names_the_line_the_key_what_was_expected_and_what_came(tmp_path, text, fault):
    assert faults(tmp_path, text) == [f"gammond.toml, {fault}"]


def test_all_faults_are_found_at_once(tmp_path):
    assert len(faults(tmp_path, "thread = 1\nclients = 'x'\n[web]\nhosts = []\n")) == 3


@pytest.mark.parametrize("text", [b"tcp = \n", b"\xff", b"tcp = " + b"[" * 100_000])
def test_what_is_no_toml_is_refused_with_the_place(tmp_path, text):
    file = tmp_path / "broken.toml"
    file.write_bytes(text)
    gc.collect()  # what other tests left cannot be finalised where the stack is at its end
    with pytest.raises(FormatError, match=r"broken.toml is no TOML: .*(line 1|byte 0xff|recursion)"):
        read("--config", str(file))


def test_a_key_beside_a_table_of_its_name_is_led_to_its_table(tmp_path):
    with pytest.raises(FormatError, match=r"is no TOML: .*; a key is set twice, or .* goes into \[listen\]"):
        configured(tmp_path, "web = 8080\n[web]\naccounts = true\n")


def check_config(tmp_path, capsys, text):
    """Return the lines of ``--check-config`` about a file, without its folder."""
    (file := tmp_path / "a.toml").write_text(text, "utf-8")
    assert cli.main(["serve", "--config", str(file), "--check-config"]) == 2
    return [line.removeprefix(f"gammond: {tmp_path}/") for line in capsys.readouterr().err.splitlines()]


def test_all_values_that_cannot_hold_are_found_at_once(tmp_path, capsys):
    lines = check_config(tmp_path, capsys, "tcp = 80800\n[limits]\nclients = 0\n[gnubg]\nbeavers = true\n")
    assert [line.split(":")[0] for line in lines] == [f"a.toml, line {number}" for number in (3, 5, 1)]


@pytest.mark.parametrize("web", ["4321", "'127.0.0.1:4321'"])
def test_two_listeners_need_two_ports(tmp_path, capsys, web):
    lines = check_config(tmp_path, capsys, f"tcp = 4321\nweb = {web}\n")
    assert lines == ["a.toml, line 2: --tcp and --web: expected a port for each, got 4321 twice"]


def test_listeners_may_have_any_free_port_or_different_addresses(tmp_path):
    for text in ("tcp = 0\nweb = 0\n", "tcp = 4321\nweb = '127.0.0.2:4321'\n"):
        check(configured(tmp_path, text))


def test_the_options_that_hold_are_written_as_a_file_that_sets_them_again(tmp_path, capsys):
    file = tmp_path / "a.toml"
    file.write_text(
        'tcp = 4321\n[limits]\nidle-timeout = 7\n[web]\nhost = ["a\\u0007\\"b"]\n[store]\non = false\n'
    )
    assert cli.main(["serve", "--config", str(file), "--web", "8080", "--check-config"]) == 0
    written = capsys.readouterr().out
    assert f'tcp = "4321"  # {file}, line 1\n' in written
    assert 'web = "8080"  # the command line\n' in written
    (again := tmp_path / "b.toml").write_text(written, "utf-8")
    both = [read("--config", str(each), "--web", "8080") for each in (file, again)]
    assert both[0].values == both[1].values


def test_a_value_out_of_range_is_named_with_its_line_and_the_exit_code_is_2(tmp_path, capsys):
    file = tmp_path / "a.toml"
    file.write_text("tcp = 4321\n[limits]\nclients = 0\n")
    assert cli.main(["serve", "--config", str(file), "--check-config"]) == 2
    assert capsys.readouterr().err.endswith(
        f"gammond: {file}, line 3: expected a whole number 1..10000 for limits.clients, got 0\n"
    )
    assert cli.main(["serve", "--config", str(file)]) == 2
    assert f"{file}, line 3: expected a whole number 1..10000 for limits.clients" in capsys.readouterr().err
    file.write_text("tcp = '0.0.0.0:1'")
    assert cli.main(["serve", "--config", str(file), "--check-config"]) == 2
    assert f"{file}, line 1: expected a host that only this machine can reach" in capsys.readouterr().err
    assert cli.main(["serve", "--config", str(tmp_path / "none"), "--check-config"]) == 2
    assert f"cannot read {tmp_path / 'none'}: no such file" in capsys.readouterr().err


def test_the_example_is_right_and_has_every_option(tmp_path):
    configuration = read("--config", str(EXAMPLE))
    assert configuration.faults == ()
    check(configuration)
    text = EXAMPLE.read_text("utf-8")
    # each line that is commented out is an option with its default or an example, right as it stands
    shown = configured(tmp_path, text.replace("\n#", "\n").replace("\n ", "\n# "))
    assert shown.faults == ()
    assert {key.option.name for key in KEYS} - set(shown.origins) == {"no_store"}
    assert format_configuration(configuration, KEYS).startswith(("tcp = ", "web = ", "store = "))
