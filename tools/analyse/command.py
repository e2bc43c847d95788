"""Analyse matches: what each player did wrong, with performance ratings, error rates and luck.

    gammond analyse match.mat
    gammond analyse matches/ --plies 3 --format json --output analyses.jsonl
    gammond analyse match.xg --deepen 3 --format html --output report.html
    gammond analyse match.xg --format sgf --output match.sgf
    gammond analyse --player "Ann Lee" matches/ --format html --output ann.html

FILE is a match in any format that gammond reads, recognised by its content; of a folder or a .zip archive,
all files in it; - is standard input. Every play, cube decision and roll is rated at the score. Decisions
that are wrong, or close, by .02 or so are rated again at --deepen plies, all their choices alike. --rollout
then rolls out those that still are: the play that was made and those near the best, or both cube actions,
with the same dice and trials. Their equities have standard errors, and are ranked among themselves.

The text has the statistics of both players, each number on the scale of the program that it is named after,
and the errors, the worst first; in the end those of players over several matches. --format html writes a page
for a browser, with the course of the match and a board for every decision; json an object for each match,
with every decision; csv a row for each decision; sgf the match with its analysis, as GNU Backgammon keeps it,
ogxm as OpenGammon does. For several matches --output of html, sgf and ogxm is a folder.

--player NAME analyses the matches of one player alone, and writes how well each was played: by date, as far
as files have one, with the mean of the last decisions (--window) and 95 % intervals; html has it as a plot.
Capitals, accents, blanks and signs do not count in names, and a part of a name will do; what was taken for
the name is said. A match that several files have counts once.

What is wrong in a file is said on stderr, with its place, and of several files in the end how many were read
whole, cut, or not at all, and why; --strict refuses a file with a fault. The exit status is 1 where decisions
of a file were lost; an illegal play, which is marked, or a last game without an end is not.

Ctrl-C keeps the matches that are finished. With --output every decision is kept as soon as it is rated, in a
file beside it (OUTPUT.unfinished), and after Ctrl-C or a kill the same command goes on from there; the output
is the same to the last byte. --force begins anew. What exists is not overwritten without it.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack
from datetime import datetime
from functools import partial

from gammond.engine.errors import CancelledWork, LimitError, PositionError, UnsupportedError
from gammond.engine.match_analysis.analysis import AnalysisSettings
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.threads import Workers
from gammond.tools.analyse.analyser import MatchAnalyser
from gammond.tools.analyse.kept_decisions import KeptDecisions, find_kept_file
from gammond.tools.analyse.options import AnalyseOptions
from gammond.tools.analyse.output import MatchReports, PlayerReports, ReportStream
from gammond.tools.common.command_options import ToolCommand
from gammond.tools.common.interrupts import GOES_ON, call_on_interrupt
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.match_inputs import list_match_inputs
from gammond.tools.common.opponents import collect_net_hashes, load_net_engine
from gammond.tools.common.progress import write_message
from gammond.tools.parallel.options import open_cluster
from gammond.tools.parallel.shared_decisions import SharedDecisions

SUMMARY = "what the players of match files did wrong: ratings, errors, luck"

_write_message = partial(write_message, "gammond analyse")


def run(options: AnalyseOptions) -> int:
    """Run the tool.

    Returns:
        0, or 1 where a file could not be read, or decisions of it were lost.

    Raises:
        GammondError: An option is wrong, or the output cannot be written.
        KeyboardInterrupt: Ctrl-C or SIGTERM; what is finished has been written.
    """
    settings = AnalysisSettings(options.plies, options.deepen, options.filter)
    rollouts, sources = options.rollouts.read(options.threads), list_match_inputs(options.files)
    _write_message(f"reads {sources[0].name if len(sources) == 1 else f'{len(sources):,} files'}")
    stopped = threading.Event()
    with ExitStack() as opened:
        stream = opened.enter_context(ReportStream(options.output))
        work = (MatchReports if options.player is None else PlayerReports)(
            options, sources, stream, _write_message
        )
        opened.enter_context(call_on_interrupt(stopped.set, has_nothing=lambda: not work.count))
        nets = collect_net_hashes(options.net)
        executor = opened.enter_context(open_cluster(options.cluster, options.net))
        shared = None
        if executor is not None:
            shared = SharedDecisions(executor, options.net, settings, stopped.is_set)
        analyser = MatchAnalyser(
            load_net_engine(options.net), nets, settings, rollouts, Workers(options.threads), stopped, shared
        )
        kept = _open_kept(options, analyser, opened)
        are_analysed = True
        work.date = kept.date if kept else datetime.now().astimezone()
        try:
            for match, name, label, write in work.list_matches():
                if match.has_analysis:
                    _write_message(f"{name}: the file's own analysis is not used")
                try:
                    write(analyser.analyse(match, name, label, kept))
                except (LimitError, PositionError, UnsupportedError) as error:
                    _write_message(f"{name}: {error.message}")
                    are_analysed = False
        except CancelledWork:
            pass
        work.finish()
        for line in work.tally.summarise() if len(sources) > 1 and not stopped.is_set() else ():
            _write_message(line)
        if stopped.is_set():
            raise KeyboardInterrupt(GOES_ON if kept else "")
        if kept is not None:
            kept.remove()
            if work.count:
                _write_message(f"wrote {options.output}")
    return EXIT_OK if work.count and are_analysed and work.tally.is_whole else EXIT_FAULTS


def _open_kept(options: AnalyseOptions, analyser: MatchAnalyser, opened: ExitStack) -> KeptDecisions | None:
    """Open the file with the decisions of an unfinished run; None if the output is not kept either."""
    if options.output is None:
        return None
    opened.enter_context(hold_lock(options.output, "output"))
    file = find_kept_file(options.output)
    kept = opened.enter_context(KeptDecisions(file, analyser.describe_run(), is_new=options.force))
    if kept.matches:
        plural = "es" * (kept.matches != 1)
        _write_message(f"goes on with {file}, which has decisions of {kept.matches:,} match{plural}")
    return kept


COMMAND = ToolCommand(AnalyseOptions, run)
