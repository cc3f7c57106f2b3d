"""Files that are read in blocks, and where: in this process, or by a cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzypairs.blocks.maps import BlockMap, choose_map
from fuzzypairs.tables.file_blocks import FileBlock, find_files, list_blocks

__all__ = ["Job", "Show", "open_job"]

Show = Callable[[str, float, float], None]


@dataclass(frozen=True, eq=False)
class Job:
    """Files to be read in blocks, and where their results go."""

    blocks: list[FileBlock]
    block_map: BlockMap
    show: Show

    def counting(self, doing: str, n_blocks: int) -> Callable[[], None]:
        """Return a function that shows that one more block is done."""
        done = 0

        def tell() -> None:
            nonlocal done
            done += 1
            self.show(f"{doing}, block {done} of {n_blocks}", done, n_blocks)

        return tell

    def map(self, doing: str, function: Any, calls: list[Any]) -> list[Any]:
        """Return results of all blocks, and show how many are done."""
        tell = self.counting(doing, len(calls))
        return self.block_map(function, list(zip(*calls, strict=True)), (), tell)


@contextmanager
def open_job(
    data: Path, scheduler: str | None, n_jobs: int, show: Show
) -> Iterator[Job]:
    """Yield the blocks of files, and where they are read: here, or by a cluster."""
    blocks = list_blocks(find_files(data))
    if scheduler is None:
        yield Job(blocks, choose_map(None, n_jobs), show)
        return
    import distributed

    make: Any = distributed.Client  # without types
    try:
        client = make(scheduler, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"--scheduler {scheduler} cannot be reached ({error}); expected the "
            "address of a Dask scheduler, such as tcp://10.0.0.5:8786"
        ) from error
    with client:
        yield Job(blocks, choose_map(client), show)
