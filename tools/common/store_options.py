"""The options for kept analyses, for tools that answer from them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from gammond.engine.store.options import NO_STORE, STORE_VARIABLE, StoreOptions, read_store_options
from gammond.tools.common.command_options import option


class StoreChoice(Struct, frozen=True, kw_only=True):
    """Whether a command answers from kept analyses, and where they are."""

    no_store: Annotated[bool, option("neither look up kept analyses nor keep any")] = False
    store: (
        Annotated[
            str,
            option(
                "where analyses are kept, as file=PATH,megabytes=N (default what the environment variable "
                f"{STORE_VARIABLE} says, or 256 megabytes in the data folder)",
                "OPTIONS",
                table=StoreOptions,
            ),
        ]
        | None
    ) = None

    def read(self) -> StoreOptions:
        """Return the options of the store.

        Raises:
            FormatError: They cannot be parsed.
            ValueRangeError: A number is out of range.
        """
        if self.no_store:
            return NO_STORE
        return read_store_options() if self.store is None else StoreOptions.parse(self.store)
