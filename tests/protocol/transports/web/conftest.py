"""Tests of the web server, which needs the extra 'web'."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("starlette") else ["test_*.py"]
