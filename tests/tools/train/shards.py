"""Shards that tests make one at a time."""

from gammond.tools.train.runs.shard_loop import MakeShard, ShardRecord, ShardTask


def make_shard(make: MakeShard, task: ShardTask) -> ShardRecord:
    """Make one shard here, and write it; return its record."""
    record, content = make(task)
    task.write(task.file, content)
    return record
