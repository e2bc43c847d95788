"""Run by gnubg's own Python: outcomes and cubeful values of the cases in a file, written to another.

The two paths come in the environment variables ``CASES`` and ``ANSWERS``.
"""

import json
import os

import gnubg

with open(os.environ["CASES"]) as file:
    cases = json.load(file)
gnubg.command("set met " + os.environ["MET"])
answers = []
for case in cases:
    board = gnubg.positionfromid(case["position_id"])
    cube = gnubg.cubeinfo(
        case["cube"], case["owner"], case["seat"], case["length"], tuple(case["score"]), case["crawford"], 0
    )
    cube["jacoby"], cube["beavers"] = case["jacoby"], case["beavers"]
    by_plies = [gnubg.cfevaluate(board, cube, gnubg.evalcontext(1, n, 1, 0, 0.0)) for n in case["plies"]]
    outcome = gnubg.evaluate(board, cube, gnubg.evalcontext(1, 0, 1, 0, 0.0))
    answers.append({"outcome": outcome[:5], "kind": gnubg.classifypos(board, 0), "values": by_plies})
with open(os.environ["ANSWERS"], "w") as file:
    json.dump({"answers": answers, "table": gnubg.met(64)}, file)
