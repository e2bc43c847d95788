"""What tests of the protocol share."""

from tests.support.waiting import pytest_pyfunc_call

__all__ = ["pytest_pyfunc_call"]
