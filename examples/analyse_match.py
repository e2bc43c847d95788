"""Analyse a match file by a gammond server: ratings of both players, and the worst errors.

    python examples/analyse_match.py FILE [PLIES] [HOST:PORT]

FILE is a match in any format that gammond reads. Without HOST:PORT a server is started for it. Ctrl-C ends
the analysis.
"""

import signal
import sys
import threading
import time

import gammond


def main(file: str, plies: str = "2", server: str = "") -> int:
    """Print what both players lost."""
    match = gammond.read_match(file)
    print(match)
    for issue in match.issues:
        print(f"{file}: {issue}", file=sys.stderr)
    cancel = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: cancel.set())

    def show(done: int, total: int) -> None:
        print(f"\r{done} of {total} decisions", end="", file=sys.stderr, flush=True)

    host, _, port = server.partition(":")
    with gammond.Client.connect(host, int(port)) if server else gammond.Client.spawn() as client:
        client.command("isready")
        began_s = time.perf_counter()
        try:
            analysed = client.analyse(match, int(plies), progress=show, cancel=cancel).to_dict()
        except gammond.CancelledWork:
            return 130
        took_s = time.perf_counter() - began_s
    print(f"\n{len(analysed['decisions'])} decisions at {plies}-ply in {took_s:.1f} s: {analysed['method']}")
    for name, player in zip(match.names, analysed["players"], strict=True):
        print(f"{name}: PR {player['performance_rating']}, {player['errors']} errors")
    for each in sorted(analysed["decisions"], key=lambda row: -row["error"])[:5]:
        where = f"game {each['game']}, move {each['move']}"
        print(f"{where}: {each['roll']} {each['chosen']}, best {each['best']}: lost {each['error']:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
