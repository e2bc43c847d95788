"""The key of clusters: made once, for one user alone."""

import os
import ssl
import stat

import pytest

from gammond.engine.errors import DataFileError, StateError
from gammond.tools.parallel.cluster_key import KEY_FILE, find_key_file, make_key_file

pytest.importorskip("cryptography")


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_it_is_made_once_in_the_data_folder(data):
    made = make_key_file()
    assert made == data / KEY_FILE == find_key_file()
    content = made.read_bytes()
    assert make_key_file().read_bytes() == content
    assert [each.name for each in data.iterdir()] == [KEY_FILE]


@pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
def test_nobody_else_can_read_it_whatever_the_umask(data):
    before = os.umask(0)
    try:
        made = make_key_file()
    finally:
        os.umask(before)
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    made.chmod(0o640)
    with pytest.raises(DataFileError, match="others can read it: chmod 600"):
        find_key_file()
    with pytest.raises(DataFileError, match="others can read it: chmod 600"):
        make_key_file()


def test_where_there_is_none_the_message_says_where_it_comes_from(data):
    with pytest.raises(StateError, match="`gammond cluster start` makes one") as caught:
        find_key_file()
    assert str(data / KEY_FILE) in str(caught.value)
    assert not data.exists()


@pytest.mark.parametrize("content", [b"", b"no key", None])
def test_what_is_no_key_is_refused_and_left(content):
    file = make_key_file()
    content = file.read_bytes()[:400] if content is None else content
    file.write_bytes(content)
    with pytest.raises(DataFileError, match="is no key of a cluster"):
        make_key_file()
    assert file.read_bytes() == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_in_its_place_is_not_waited_for(data):
    data.mkdir()
    os.mkfifo(data / KEY_FILE, 0o600)
    with pytest.raises(DataFileError, match="is no key of a cluster"):
        make_key_file()


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="needs a device that is always full")
def test_a_full_disk_leaves_no_half_of_a_key(data, monkeypatch):
    open_file = os.open

    def open_on_full_disk(path, flags, mode):
        os.close(open_file(path, flags, mode))
        return open_file("/dev/full", os.O_WRONLY)

    with monkeypatch.context() as patch:
        patch.setattr("gammond.tools.parallel.cluster_key.os.open", open_on_full_disk)
        with pytest.raises(DataFileError, match="cannot be written"):
            make_key_file()
    assert not (data / KEY_FILE).exists()
    make_key_file()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "file" / "data"))
    with pytest.raises(DataFileError, match="cannot be written to"):
        make_key_file()


def test_both_sides_of_a_connection_trust_it_and_no_other(data, monkeypatch, tmp_path):
    own = make_key_file()
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "other"))
    other = make_key_file()
    assert shake_hands(own, own)
    for server, client in ((own, other), (other, own)):
        with pytest.raises(ssl.SSLError):
            shake_hands(server, client)


def shake_hands(server, client):
    """Shake hands in memory, each side with its key and trusting that alone; return whether both have."""
    sides = []
    for kind, key, is_server in (
        (ssl.PROTOCOL_TLS_SERVER, server, True),
        (ssl.PROTOCOL_TLS_CLIENT, client, False),
    ):
        context = ssl.SSLContext(kind)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(key)
        context.load_cert_chain(key)
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        sides.append((context.wrap_bio(incoming, outgoing, server_side=is_server), incoming, outgoing))
    done = set()
    for _ in range(6):
        for number, (side, _, outgoing) in enumerate(sides):
            try:
                side.do_handshake()
                done.add(number)
            except ssl.SSLWantReadError:
                pass
            sides[1 - number][1].write(outgoing.read())
    return done == {0, 1}
