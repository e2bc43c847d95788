"""Run ONNX nets, and evaluate by them: the one module that knows onnxruntime.

A net has one input and the output `OUTPUT_NAME`; other outputs are left alone.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board
from gammond.engine.runtime.threads import begin_anew_in_forks, release_turn

if TYPE_CHECKING:
    from gammond.nets.encoders import Encoder

OUTPUT_NAME = "outcome"
"""Name of the output of a net."""

MAX_NET_BYTES = 256_000_000
"""The largest file that is read; those of the shipped nets have 3 MB."""

BATCH_ROWS = 512
"""Rows to run at a time: enough to be efficient, few enough for the inputs to stay in the cache."""

_MIN_ROWS = 2
"""On some processors a single row takes another path, with other rounding; so it runs as two."""


class OnnxModel:
    """A net with one float32 input and the float32 output `OUTPUT_NAME`, both of a free number of rows.

    The session is made when first needed, and again in a process that is forked, which it does not survive.
    All are made of the same bytes, which are kept, so that the bytes that were checked run,
    whatever happens to the file. Safe to use from several threads.

    Args:
        name: The net's name in errors.
        content: The bytes of the ``.onnx`` file.
        inputs: The number of inputs the net must have.
        outputs: The number of outputs it must have.
        shared: Its tensors that lie in other files, by name (`gammond.nets.onnx_layers.read_shared_tensors`).
    """

    def __init__(
        self,
        name: str,
        content: bytes,
        inputs: int,
        outputs: int,
        shared: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.content = content
        self.shared = dict(shared or {})
        self._input_name = ""
        self.begin_in_fork()
        begin_anew_in_forks(self)

    def begin_in_fork(self) -> None:
        """Begin without a session."""
        self._lock = threading.Lock()
        self._session: Any = None

    def check(self) -> None:
        """Load the net and check its inputs and outputs.

        Raises:
            DataFileError: The bytes are not a net, or its inputs or outputs are not those expected.
        """
        self._get_session()

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Run rows through the net; a row's result depends on that row alone, to the last bit.

        Args:
            inputs: ``float32[n, inputs]``, n best a few `BATCH_ROWS` at most.

        Returns:
            ``float32[n, outputs]``, raw.

        Raises:
            DataFileError: As `check`, or a result is no number.
        """
        session = self._get_session()
        rows = len(inputs)
        if rows == 0:
            return np.empty((0, self.outputs), np.float32)
        if rows < _MIN_ROWS:
            inputs = np.repeat(inputs, _MIN_ROWS, axis=0)
        with release_turn():
            result: NDArray[np.float32] = session.run([OUTPUT_NAME], {self._input_name: inputs})[0]
        if not np.isfinite(result).all():
            raise DataFileError(
                f"net {self.name} gives results that are no numbers: make or export it again", field="net"
            )
        return result[:rows]

    def _get_session(self) -> Any:  # noqa: ANN401  (onnxruntime has no types)
        if self._session is None:
            with self._lock:
                if self._session is None:
                    self._session = self._create_session()
        return self._session

    def _create_session(self) -> Any:  # noqa: ANN401
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read when the package is imported
        import onnxruntime  # takes a tenth of a second: not for commands that run no net

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in self.shared.values()]
            options.add_external_initializers([*self.shared], values)
            session = onnxruntime.InferenceSession(self.content, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise DataFileError(
                f"net {self.name} is not a model that onnxruntime can load: {str(error)[:200]}", field="net"
            ) from error
        self._check_port("input", session.get_inputs(), self.inputs)
        outcomes = [port for port in session.get_outputs() if port.name == OUTPUT_NAME]
        self._check_port(f"output called {OUTPUT_NAME}", outcomes, self.outputs)
        self._input_name = session.get_inputs()[0].name
        return session

    def _check_port(self, kind: str, ports: list[Any], expected: int) -> None:
        """Check the only input or output of a session."""
        if len(ports) != 1:
            raise DataFileError(f"net {self.name} has {len(ports)} {kind} tensors, expected 1", field="net")
        port = ports[0]
        if port.type != "tensor(float)":
            raise DataFileError(
                f"net {self.name} has an {kind} of type {port.type}, expected tensor(float)", field="net"
            )
        has_free_rows = len(port.shape) == 2 and not isinstance(port.shape[0], int)
        if not has_free_rows or port.shape[1] != expected:
            raise DataFileError(
                f"net {self.name} has an {kind} of shape {port.shape}, expected [n, {expected}]",
                field="net",
            )


class NetEvaluator:
    """A net with an outcome as output, for positions of any phase but finished ones, by the runtime.

    Args:
        name: Its name in replies.
        encoder: Makes its inputs.
        model: The net, with the encoder's inputs.
        to_outcomes: Makes outcomes of outputs that are none.
    """

    plies = 0

    def __init__(
        self,
        name: str,
        encoder: Encoder,
        model: OnnxModel,
        to_outcomes: Callable[[NDArray[np.float32]], Outcomes] = lambda outputs: outputs,
    ) -> None:
        self.name = name
        self.model = model
        self._encoder = encoder
        self._to_outcomes = to_outcomes

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `Evaluator.evaluate`; the outputs are not sanitised."""
        outcomes = np.empty((len(boards), 5), np.float32)
        for start in range(0, len(boards), BATCH_ROWS):
            batch = slice(start, start + BATCH_ROWS)
            outcomes[batch] = self._to_outcomes(self.model.run(self._encoder.encode(boards[batch])))
        return outcomes
