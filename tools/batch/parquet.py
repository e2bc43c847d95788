"""Parquet for `gammond batch`: rows in columns with types, for pandas and its relatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from gammond.engine.errors import DataFileError, missing_package

_BLOCK_ROWS = 4096
_NAMES_OF_NUMBERS = ("line", "plies", "trials")


class ParquetRows:
    """A parquet file that is written block by block, used as a context manager.

    The columns of the input keep the types of their first block.

    Args:
        path: The file.
        carried: The columns of the input.
        texts: Those of the other columns that hold text.

    Raises:
        UnsupportedError: pyarrow is missing.
    """

    def __init__(self, path: Path, carried: Sequence[str], texts: Sequence[str]) -> None:
        self._arrow, self._parquet = _import_pyarrow()
        self._path = path
        self._carried = frozenset(carried)
        self._texts = frozenset(texts)
        self._writer: Any = None

    def __enter__(self) -> ParquetRows:
        return self

    def write(self, columns: Mapping[str, Sequence[object]]) -> None:
        """Write a block of rows."""
        arrow = self._arrow
        if self._writer is None:
            fields = [arrow.field(name, self._choose_type(name, cells)) for name, cells in columns.items()]
            self._writer = self._parquet.ParquetWriter(self._path, arrow.schema(fields))
        try:
            self._writer.write_table(arrow.table(dict(columns), schema=self._writer.schema))
        except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
            raise DataFileError(
                f"a column of the input changes its type, which parquet does not allow ({error}): write csv",
                field="output",
            ) from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()

    def _choose_type(self, name: str, cells: Sequence[object]) -> object:
        if name in self._carried:
            kind = self._arrow.array(cells).type
            return self._arrow.string() if self._arrow.types.is_null(kind) else kind
        if name in self._texts:
            return self._arrow.string()
        return self._arrow.int64() if name in _NAMES_OF_NUMBERS else self._arrow.float64()


def read_parquet(path: Path) -> tuple[tuple[str, ...], Iterator[Sequence[object]]]:
    """Return the names of the columns of a file, and its rows.

    Raises:
        UnsupportedError: pyarrow is missing.
        DataFileError: The file is damaged.
    """
    arrow, parquet = _import_pyarrow()
    try:
        file = parquet.ParquetFile(path)
    except (arrow.ArrowException, OSError) as error:
        raise DataFileError(f"{path} is no parquet file that can be read: {error}", field="file") from None

    def read() -> Iterator[Sequence[object]]:
        for batch in file.iter_batches(_BLOCK_ROWS):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    return tuple(file.schema_arrow.names), read()


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_package("parquet needs", "pyarrow", "parquet", "output") from None
    return pyarrow, pyarrow.parquet
