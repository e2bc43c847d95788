"""The jobs of one client that are not answered, by their tags and other names."""

from __future__ import annotations

from collections.abc import Iterator

from gammond.protocol.core.jobs import Job


class PendingJobs:
    """Jobs in the order in which they came. Not for several threads.

    Attributes:
        unordered_count: How many keep no order.
        line_bytes: The bytes of their lines.
    """

    def __init__(self) -> None:
        self.unordered_count = self.line_bytes = 0
        self._jobs: dict[int, Job] = {}
        self._by_key: dict[object, Job] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        """Iterate over them in the order in which they came."""
        return iter(self._jobs.values())

    def __contains__(self, job: Job) -> bool:
        """Return whether a job is among them."""
        return id(job) in self._jobs

    def has_key(self, key: object) -> bool:
        """Return whether one of them goes by a tag or another name."""
        return key in self._by_key

    def add(self, job: Job) -> None:
        """Add a job."""
        self._jobs[id(job)] = job
        if job.request.tag:
            self._by_key[job.request.tag] = job
        if job.work.key:
            self._by_key[job.work.key] = job
        self.unordered_count += not job.request.is_ordered
        self.line_bytes += job.request.line_bytes

    def remove(self, job: Job) -> bool:
        """Remove a job; return whether it was there."""
        if self._jobs.pop(id(job), None) is None:
            return False
        self.unordered_count -= not job.request.is_ordered
        self.line_bytes -= job.request.line_bytes
        if job.request.tag:
            del self._by_key[job.request.tag]
        if job.work.key:
            del self._by_key[job.work.key]
        return True

    def stop(self, key: object) -> int:
        """Ask the job of a name, or all for None, to end with what it has; return how many there were."""
        if key is None:
            return self.stop_all()
        job = self._by_key.get(key)
        if job is None:
            return 0
        job.control.stop()
        return 1

    def stop_all(self) -> int:
        """Ask all to end with what they have; return how many there were."""
        for job in list(self):
            job.control.stop()
        return len(self)

    def clear(self) -> None:
        """Forget them."""
        self._jobs.clear()
        self._by_key.clear()
        self.unordered_count = self.line_bytes = 0
