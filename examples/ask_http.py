"""Ask a gammond server over HTTP for the best plays of a roll, and whether to double. Needs no packages.

gammond serve --web 8080
python examples/ask_http.py http://127.0.0.1:8080 4HPwATDgc/ABMA 31
"""

from __future__ import annotations

import argparse
import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def ask(server: str, path: str, question: dict[str, Any]) -> dict[str, Any]:
    """Send a question about one position and return its result.

    Raises:
        SystemExit: The server refuses the question; the message says what is wrong with it.
        OSError: The server cannot be reached.
    """
    headers = {"Content-Type": "application/json"}
    request = Request(f"{server}/api/v1/{path}", json.dumps(question).encode(), headers)
    try:
        with urlopen(request, timeout=60) as answer:
            found: dict[str, Any] = json.load(answer)["results"][0]
            return found
    except HTTPError as refusal:
        fault = json.load(refusal)["error"]
        raise SystemExit(f"{fault['field']}: {fault['message']}") from refusal


def main() -> None:
    """Ask about the position and the roll of the command line, and print the answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="such as http://127.0.0.1:8080")
    parser.add_argument("position", help="in any form: a position ID, an XGID, startpos")
    parser.add_argument("dice", help="such as 31")
    parser.add_argument("--plies", type=int, default=2, help="look-ahead (default %(default)s)")
    args = parser.parse_args()
    question = {"position": args.position, "plies": args.plies}
    cube = ask(args.server, "cube", question)["cube"]
    print(f"{cube['action']}: no double {cube['no_double']:+.3f}, best {cube['best']:+.3f}")
    dice = [int(die) for die in args.dice if die.isdigit()]
    for play in ask(args.server, "plays", {**question, "dice": dice, "max_moves": 3})["moves"]:
        print(f"{play['cubeful']:+.3f}  {play['play']}")


if __name__ == "__main__":
    main()
