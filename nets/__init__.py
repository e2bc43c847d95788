"""The judges: encoders, ONNX evaluators, the manifest, the router, shipped weights."""
