"""The entries of a store checked, and some of them searched again."""

from __future__ import annotations

import random
import sys

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.engine_store import read_question
from gammond.engine.errors import DataFileError, GammondError
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.store.database import BadRow, StoreDatabase, StoreRow
from gammond.nets.catalogue import load_engine
from gammond.tools.common.progress import Progress
from gammond.tools.store.files import describe_question, is_usable

_SHOWN_FAULTS = 10


def verify_entries(database: StoreDatabase, sample_size: int, seed: int, repairs: bool) -> int:
    """Check all entries and search some of them again; return the exit code.

    Args:
        database: The store.
        sample_size: How many are searched again.
        seed: Chooses them.
        repairs: Whether those that are wrong are removed.

    Raises:
        DataFileError: The file is damaged.
    """
    if fault := database.find_structural_fault():
        raise DataFileError(
            f"{database.file} is damaged ({fault}): move it away, a new one is then begun", field="file"
        )
    bad: list[BadRow] = []
    sample: list[StoreRow] = []
    rows = usable = 0
    chooser = random.Random(seed)
    usable_digests: dict[str, bool] = {}
    for row in database.iterate():
        rows += 1
        if fault_of_row := _find_fault(row):
            bad.append(fault_of_row)
            continue
        assert isinstance(row, StoreRow)
        digest = row.engine.digest
        if digest not in usable_digests:
            usable_digests[digest] = is_usable(row.engine)
        if usable_digests[digest]:
            usable += 1
            if len(sample) < sample_size:
                sample.append(row)
            elif (place := chooser.randrange(usable)) < sample_size:
                sample[place] = row
    different = _search_again(sample)
    bad += different
    sys.stdout.write(
        f"entries         {rows:,}\n"
        f"not usable now  {rows - usable - len(bad) + len(different):,} of other nets, tables or versions\n"
        f"damaged         {len(bad) - len(different):,}\n"
        f"searched again  {len(sample):,}, {len(different):,} of them different\n"
    )
    for each in bad[:_SHOWN_FAULTS]:
        sys.stdout.write(f"{describe_question(each.question)}: {each.problem}\n")
    if repairs and bad:
        with database.write():
            for each in bad:
                database.remove(each.question, each.digest)
        sys.stdout.write(f"removed         {len(bad):,}\n")
    return EXIT_FAULTS if bad else EXIT_OK


def _find_fault(row: StoreRow | BadRow) -> BadRow | None:
    """Return what is wrong with a row, without a search."""
    if isinstance(row, BadRow):
        return row
    try:
        read_question(row.question)
    except DataFileError as error:
        return BadRow(row.question, row.engine.digest, error.message)
    return None


def _search_again(sample: list[StoreRow]) -> list[BadRow]:
    """Search for the answers of rows afresh, and return those that are different in any bit."""
    engines: dict[str, Engine] = {}
    different = []
    with Progress(len(sample), "search again") as bar:
        for done, row in enumerate(sample, 1):
            engine = engines.get(row.engine.net) or load_engine(row.engine.net)
            engines[row.engine.net] = engine
            try:
                problem = ""
                if not engine.search_entry(row.question, row.entry.plies).is_same_as(row.entry):
                    problem = f"a fresh search at {row.entry.plies}-ply gives other values"
            except GammondError as error:
                problem = f"it cannot be searched: {error.message}"
            if problem:
                different.append(BadRow(row.question, row.engine.digest, problem))
            bar.update(done)
    return different
