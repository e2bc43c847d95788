"""The one place from a name to an evaluator, a pruning net, an engine or a player, all of them made ready."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

from gammond.engine.analysis.engine import CACHE_COLUMNS, Engine
from gammond.engine.analysis.engine_store import EngineStore
from gammond.engine.bearoff import defer_bearoff
from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, CubeEfficiencies
from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.evaluation.pruning import PlayPruner, ShortlistPruner
from gammond.engine.options import did_you_mean
from gammond.engine.play.player import EvaluatorPlayer, Player
from gammond.engine.runtime.version import identify_program
from gammond.engine.search import ValueCache
from gammond.engine.store.entries import EngineIdentity
from gammond.engine.store.options import NO_STORE, StoreOptions, open_store
from gammond.nets.manifest import (
    CONTACT_CLASSES,
    MANIFEST_FILE,
    MANIFEST_NAME,
    KindLoader,
    Manifest,
    NetEntry,
    find_kind_loaders,
    find_own_folder,
    list_own_folders,
    read_manifest,
    read_own_manifest,
    warn_once,
)
from gammond.nets.player_specs import (
    FILE_WORDS,
    EvaluatorSpec,
    KindSpec,
    PlayerSpec,
    ScorerKindSpec,
    make_own_kind,
)

DEFAULT_EVALUATOR = "default"
"""The name of the manifest's default evaluator, whatever its own name is."""

BOOK_FILE = MANIFEST_FILE.parent / "weights" / "opening-book.sqlite"
"""The opening book of the default net, for stores of analyses."""


@dataclass(frozen=True)
class FoundEvaluator:
    """An evaluator as a manifest has it.

    Attributes:
        name: Its name in settings and replies.
        nets: Its nets by the phase or contact class that each is for.
        file: The manifest, in whose folder the files of the nets are.
        efficiencies: Cube efficiencies of its values.
    """

    name: str
    nets: Mapping[str, NetEntry]
    file: Path
    efficiencies: CubeEfficiencies = DEFAULT_EFFICIENCIES

    @property
    def net_hashes(self) -> dict[str, str]:
        """sha256 by name of its nets."""
        return {net.name: net.sha256 for net in self.nets.values()}

    def load_net(self, phase: str) -> Evaluator:
        """Load the net of a phase or contact class.

        Raises:
            DataFileError: As `gammond.nets.compiled_net.load_net`.
        """
        from gammond.nets.compiled_net import load_net  # its kernels: not for the start of a program

        return load_net(self.nets[phase], self.file.parent)


class Catalogue:
    """All that has a name: the evaluators of a manifest, player kinds, and nets of one's own.

    A name means the first that has it of: a shipped evaluator, a player kind, a net of one's own.

    Args:
        file: The manifest of the shipped nets.
        find_kinds: Returns what loads the kinds of players that name files or other programs, by the word
            before the colon; ``wildbg`` is among them in any catalogue.
    """

    def __init__(
        self, file: Path = MANIFEST_FILE, find_kinds: Callable[[], Mapping[str, KindLoader]] = dict
    ) -> None:
        self.file = file
        self._find_kinds = find_kinds

    @property
    def manifest(self) -> Manifest:
        """The manifest, as it is on disk.

        Raises:
            DataFileError: As `gammond.nets.manifest.read_manifest`.
        """
        return read_manifest(self.file)

    def list_evaluators(self) -> list[str]:
        """List the names of evaluators besides ``default``.

        The default's own name is the first, and the nets of one's own are the last; each of these that cannot
        be used is warned of once.

        Raises:
            DataFileError: The manifest is faulty.
        """
        own = [name for name, found in self._find_usable() if isinstance(found, FoundEvaluator)]
        return self.manifest.evaluator_names + own

    def list_kind_names(self) -> list[str]:
        """List the names of player kinds in alphabetical order, then of those of one's own."""
        own = [name for name, found in self._find_usable() if isinstance(found, type)]
        return sorted(self._kinds) + own

    def list_kinds(self) -> list[type[KindSpec]]:
        """Return the player kinds in the order of their names, then those of one's own."""
        shipped = [load() for _, load in sorted(self._kinds.items())]
        own = [found for _, found in self._find_usable() if isinstance(found, type)]
        return [*shipped, *own]

    def list_file_kinds(self) -> list[type[KindSpec]]:
        """Return the kinds of players that name files or other programs."""
        return [load() for load in self._file_kinds.values()]

    def find(self, name: str) -> FoundEvaluator | type[KindSpec] | None:
        """Return the evaluator or the player kind of a name, which may be any text; None where there is none.

        Raises:
            DataFileError: The manifest is faulty, or that of the net of one's own which has this name.
        """
        manifest = self.manifest
        wanted = manifest.default if name == DEFAULT_EVALUATOR else name
        for entry in manifest.evaluators:
            if entry.name == wanted:
                return FoundEvaluator(entry.name, manifest.find_nets(entry), self.file, entry.efficiencies)
        if load := self._file_kinds.get(name) or self._kinds.get(name):
            kind: type[KindSpec] = load()
            return kind
        return self.find_own(name) if name in list_own_folders() else None

    def find_own(self, name: str) -> FoundEvaluator | type[KindSpec]:
        """Return the evaluator or the player kind that a net of one's own is.

        Args:
            name: One of `gammond.nets.manifest.list_own_folders`.

        Raises:
            DataFileError: Its manifest is faulty, or gammond has another net or player of this name.
        """
        own, folder = read_own_manifest(name, self.manifest), find_own_folder(name)
        if own.evaluators:
            (entry,) = own.evaluators
            return FoundEvaluator(name, own.find_nets(entry), folder / MANIFEST_NAME, entry.efficiencies)
        (scorer,) = own.scorers
        load = find_kind_loaders().get(scorer.player or "")
        kind: type[KindSpec] = load() if load else KindSpec
        if not issubclass(kind, ScorerKindSpec):
            raise DataFileError(
                f"net {name}: expected a player kind that plays nets of one's own, got {scorer.player!r}",
                field="net",
            )
        return make_own_kind(scorer, folder, kind)

    def find_evaluator(self, name: str = DEFAULT_EVALUATOR) -> FoundEvaluator:
        """Find an evaluator by name.

        Args:
            name: One of `list_evaluators`, or ``default``.

        Raises:
            ValueRangeError: No evaluator has this name.
            DataFileError: As `find`, or the manifest has no evaluators.
        """
        if isinstance(found := self.find(name), FoundEvaluator):
            return found
        if not (known := self.list_evaluators()):
            raise DataFileError("the manifest names no evaluator: no nets are installed", field="net")
        if self.find(name.partition(":")[0]):
            hint = ", a player, which chooses plays and gives no values of positions"
        else:
            hint = did_you_mean(name, known)
        raise ValueRangeError(
            f"expected an evaluator ({', '.join(known)}), got {name[:40]!r}{hint}", field="net"
        )

    def find_pruner(self) -> FoundEvaluator:
        """Find the evaluator whose nets prune plays for every player that looks ahead.

        Raises:
            DataFileError: The manifest is faulty.
        """
        return self.find_evaluator(self.manifest.pruner or DEFAULT_EVALUATOR)

    def parse_player(
        self, text: str, evaluators: Sequence[str] | None = None, others: Iterable[str] = ()
    ) -> PlayerSpec:
        """Parse the name of a player.

        Args:
            text: The name of an evaluator, with options of `gammond.nets.player_specs.EvaluatorOptions` after
                a colon; of a player kind, with its own; or of a player that names files or other programs.
            evaluators: The names of evaluators; None for those of `list_evaluators`.
            others: Names that the caller accepts besides, for messages.

        Raises:
            FormatError: An option cannot be parsed; the field is its name.
            ValueRangeError: No player has this name, or a value is out of range.
            DataFileError: A net of one's own has this name, and its manifest is faulty.
        """
        name, colon, rest = text.partition(":")
        found = None if evaluators and name in evaluators else self.find(name)
        if isinstance(found, type):
            return found.parse(text)
        if found if evaluators is None else name in evaluators:
            return EvaluatorSpec.parse(name, rest) if colon else EvaluatorSpec(text, name)
        known = [DEFAULT_EVALUATOR, *self.list_evaluators()] if evaluators is None else evaluators
        names = list(dict.fromkeys([*others, *known, *self.list_kind_names(), *self._file_kinds]))
        raise ValueRangeError(
            f"expected a player ({', '.join(names)}), got {name[:40]!r}{did_you_mean(name, names)}",
            field="player",
        )

    def collect_net_hashes(self, name: str = DEFAULT_EVALUATOR) -> dict[str, str]:
        """Return sha256 by name of the nets of a player, as in its ``nets``; none of them is loaded.

        Args:
            name: What `load_player` takes; one that looks ahead has the nets that prune plays too.

        Raises:
            FormatError: As `parse_player`.
            ValueRangeError: As `parse_player`.
            DataFileError: The manifest is faulty, or a file that the player names cannot be read.
        """
        if isinstance(found := self.find(name), FoundEvaluator):
            return found.net_hashes
        spec = self.parse_player(name)
        if not isinstance(spec, EvaluatorSpec):
            return spec.collect_net_hashes()
        own = self.collect_net_hashes(spec.evaluator)
        return own | self.find_pruner().net_hashes if spec.is_deep else own

    def identify_engine(self, name: str = DEFAULT_EVALUATOR) -> EngineIdentity:
        """Return what the values of an engine's searches depend on; no net is loaded.

        Args:
            name: What `find_evaluator` takes.

        Raises:
            ValueRangeError: No evaluator has this name.
            DataFileError: The manifest is faulty.
        """
        found = self.find_evaluator(name)
        nets = [
            f"{role} {phase} {each.nets[phase].sha256}"
            for role, each in (("evaluator", found), ("pruner", self.find_pruner()))
            for phase in sorted(each.nets)
        ]
        from gammond.engine.kernels.disk_cache import (
            identify_rounding,  # numba: not for the start of a program
        )

        table = load_default_table()
        after = table.post_crawford.tobytes()
        equities = _hash(table.pre_crawford.tobytes() + 2 * after)  # of both seats, as books have it
        databases = [str(each.header) for each in defer_bearoff()]  # the same bytes anywhere
        tables = [equities, repr(found.efficiencies), *databases]
        return EngineIdentity(
            found.name,
            _hash("\n".join(nets).encode()),
            _hash("\n".join(tables).encode()),
            f"{identify_program(*_import_searching())} {identify_rounding()}".rstrip(),
        )

    def load_evaluator(self, name: str = DEFAULT_EVALUATOR) -> Evaluator:
        """Load an evaluator: the nets of its entry behind a router with the bearoff databases.

        Args:
            name: What `find_evaluator` takes, or a player that plays by an evaluator alone.

        Returns:
            A 0-ply evaluator of all positions.

        Raises:
            FormatError: An option of a player cannot be parsed.
            ValueRangeError: No evaluator has this name, or it is a player that gives no values.
            UnsupportedError: A package that its nets need is missing.
            DataFileError: The manifest, a net or a bearoff database is missing or faulty.
        """
        if not isinstance(self.find(name.partition(":")[0]), type):
            return _make_router(self.find_evaluator(name))
        player = self._make(self.parse_player(name))
        if player.evaluator is None or not player.follows_evaluator:
            raise ValueRangeError(
                f"{name} chooses plays and gives no values of positions, nor has it options of evaluators: "
                "expected an evaluator, or nets that can be one",
                field="net",
            )
        return player.evaluator

    def load_pruner(self) -> PlayPruner:
        """Load the nets that prune plays, which name the promising replies in search and rollouts.

        Raises:
            DataFileError: The manifest or a net is missing or faulty, or the nets have several hidden layers
                or are split by contact class.
        """
        found = self.find_pruner()
        if "contact" not in found.nets:
            raise DataFileError(
                f"expected an evaluator with one net for contact to prune plays, {found.name} has one for "
                "each contact class",
                field="net",
            )
        contact = found.load_net("contact")
        return _make_pruning_net(
            found.name, contact, found.load_net("race") if "race" in found.nets else contact
        )

    def load_engine(
        self, name: str = DEFAULT_EVALUATOR, threads: int = 1, store: StoreOptions = NO_STORE
    ) -> Engine:
        """Load an engine with a cache of its own.

        Args:
            name: What `load_evaluator` takes.
            threads: How many threads work on one answer.
            store: Where its analyses are found and kept; those of evaluators that are not in a manifest never
                are.

        Raises:
            ValueRangeError: No evaluator has this name, or the number of threads is out of range.
            UnsupportedError: As `load_evaluator`.
            DataFileError: As `load_evaluator`.
        """
        evaluator, pruner = self.load_evaluator(name), self.load_pruner()
        found, kept = self.find(name), None
        listed = found if isinstance(found, FoundEvaluator) else None
        if store.on and listed:
            kept = EngineStore(partial(open_store, store, BOOK_FILE), partial(self.identify_engine, name))
        return Engine(
            evaluator,
            pruner,
            policy=_make_policy(evaluator, pruner),
            exact=(defer_bearoff().two_sided,),
            efficiencies=listed.efficiencies if listed else DEFAULT_EFFICIENCIES,
            cache=ValueCache(columns=CACHE_COLUMNS),
            threads=threads,
            store=kept,
        )

    def load_player(self, name: str = DEFAULT_EVALUATOR) -> Player:
        """Load a player of cubeless money games; its attribute ``nets`` has the hashes of its nets.

        Args:
            name: What `parse_player` takes: ``default:plies=2,filter=narrow``, ``default:level=casual``,
                ``random:seed=3``, ``wildbg:FOLDER``.

        Raises:
            FormatError: An option cannot be parsed; the field is its name.
            ValueRangeError: No player has this name, or the value of an option is out of range.
            UnsupportedError: As `load_evaluator`.
            DataFileError: As `load_evaluator`.
        """
        nets = self.collect_net_hashes(name)
        player = self._make(self.parse_player(name))
        player.nets = nets
        return player

    def _make(self, spec: PlayerSpec) -> Player:
        if not isinstance(spec, EvaluatorSpec):
            return spec.make()
        if spec.is_evaluator_only:
            return EvaluatorPlayer(self.load_evaluator(spec.evaluator))
        return spec.play_by(self.load_engine(spec.evaluator))

    @property
    def _kinds(self) -> dict[str, KindLoader]:
        return {name: load for name, load in find_kind_loaders().items() if name not in FILE_WORDS}

    @property
    def _file_kinds(self) -> dict[str, KindLoader]:
        shipped = {name: load for name, load in find_kind_loaders().items() if name in FILE_WORDS}
        return {**self._find_kinds(), **shipped}

    def _find_usable(self) -> Iterator[tuple[str, FoundEvaluator | type[KindSpec]]]:
        """Yield the nets of one's own that can be used, by name; of each other one is warned."""
        for name in list_own_folders():
            try:
                found = self.find_own(name)
            except DataFileError as error:
                warn_once(f"{error.message}: it is left out ('gammond nets' lists and removes)")
                continue
            yield name, found


def _make_router(found: FoundEvaluator) -> Evaluator:
    from gammond.nets.router import Router  # kernels: not for the start of a program

    nets = {phase: found.load_net(phase) for phase in found.nets}
    return Router(
        found.name,
        nets["contact"] if "contact" in nets else [nets[each] for each in CONTACT_CLASSES],
        race=nets.get("race"),
        crashed=nets.get("crashed"),
        exact=defer_bearoff(),
    )


def _make_policy(evaluator: Evaluator, pruner: PlayPruner) -> PlayPruner:
    """Return what chooses plays like an evaluator at 0-ply, as fast as its nets allow."""
    from gammond.nets.router import Router

    if isinstance(evaluator, Router) and len({*evaluator.contact, *evaluator.crashed}) == 1:
        with suppress(DataFileError):  # its nets have several hidden layers: they choose from a short list
            return _make_pruning_net(evaluator.name, evaluator.contact[0], evaluator.race[0])
    return ShortlistPruner(pruner, evaluator)


def _make_pruning_net(name: str, contact: Evaluator, race: Evaluator) -> PlayPruner:
    """Make a pruning net of two nets; raise DataFileError for nets of another kind than those that prune."""
    from gammond.nets.compiled_net import PruningNet, read_net_weights

    weights = [read_net_weights(net.name, getattr(net, "layers", None)) for net in (contact, race)]
    return PruningNet(name, *weights)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _import_searching() -> tuple[ModuleType, ...]:
    """Return the modules of search and evaluation, with all that they import."""
    from gammond.engine.search import iterative
    from gammond.nets import router

    return iterative, router


SHIPPED = Catalogue()
"""The nets and players that gammond ships, and those of one's own."""

find_pruner = SHIPPED.find_pruner
load_evaluator = SHIPPED.load_evaluator
load_pruner = SHIPPED.load_pruner
load_engine = SHIPPED.load_engine
load_player = SHIPPED.load_player
collect_net_hashes = SHIPPED.collect_net_hashes
identify_engine = SHIPPED.identify_engine
