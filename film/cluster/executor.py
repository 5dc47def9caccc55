"""Jobs on a Dask cluster: the only module that knows ``distributed``.

:class:`ClusterExecutor` is a ``concurrent.futures.Executor`` that hands jobs to the workers of a scheduler.
Neither side needs a file of the other. Before anything is sent, every worker's versions and sources are
compared with those here; a job compares again where it is drawn, for workers come and go.
"""

from __future__ import annotations

import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

from film.cluster.fingerprint import describe_house, first_difference
from film.cluster.parcel import draw_parcel, pack_job, unpack_answer
from film.errors import FilmError, MissingError, RequestError, StageKilledError
from film.job import Job, StageResult

CONNECT_S = 5
"""How long an address may take to answer."""
ALONE_S = 20.0
"""How long a run waits for another worker once the last is gone."""
LOOK_EVERY_S = 1.0
TELL_EVERY_S = 0.5
TOPIC = "film-"
PYTHON = "python"

OnProgress = Callable[[str, str, int], None]


@contextmanager
def open_cluster(address: str, package: str) -> Iterator[ClusterExecutor]:
    """Connect to a cluster whose workers draw the same pictures as this machine.

    Parameters
    ----------
    address
        Of its scheduler, ``tcp://host:8786``.
    package
        Where the stages live, ``scenes``.

    Raises
    ------
    MissingError
        If ``distributed`` is not installed here.
    RequestError
        If nothing answers at the address, no worker is there, or one draws with something else.
    """
    distributed = _distributed()
    client = _connect(distributed, address)
    try:
        house = describe_house(package)
        _compare(client, house, package, address)
        yield ClusterExecutor(client, address, house)
    finally:
        client.close(timeout=CONNECT_S)


class ClusterExecutor(Executor):
    """Runs jobs on the workers of a cluster.

    Parameters
    ----------
    client
        A ``distributed.Client``.
    address
        Of its scheduler, as it was asked for.
    house
        What draws here, from :func:`film.cluster.fingerprint.describe_house`.
    """

    def __init__(self, client: Any, address: str, house: Mapping[str, str]) -> None:
        self._client, self._address, self._house = client, address, house
        self._open: dict[Future[Any], Any] = {}
        self._lock = threading.Lock()
        self._topic = TOPIC + uuid.uuid4().hex
        self._stop = threading.Event()
        threading.Thread(target=self._look_after, name="film-cluster", daemon=True).start()

    @property
    def workers(self) -> int:
        """How many jobs the cluster draws at once."""
        return sum(self._client.nthreads().values())

    def follow(self, on_progress: OnProgress) -> None:
        """Have progress told; ``on_progress`` is called from another thread."""
        self._client.subscribe_topic(self._topic, lambda event: on_progress(*event[1]))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Send a job: ``fn`` is what draws it, the one argument is the :class:`film.job.Job`."""
        [job] = args
        done: Future[StageResult] = Future()
        sent = self._client.submit(
            _travelling(),
            pack_job(fn, job, self._house),
            job.name,
            self._topic,
            key=f"{job.name} {uuid.uuid4().hex}",
            pure=False,
        )
        with self._lock:
            self._open[done] = sent
        done.add_done_callback(self._forget)
        sent.add_done_callback(partial(self._arrived, done, job))
        return done

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take in no more and look after nothing any longer; with ``cancel_futures`` end what is drawn."""
        self._stop.set()
        with self._lock:
            waiting = list(self._open)
        if cancel_futures:
            for future in waiting:
                future.cancel()

    def _forget(self, done: Future[Any]) -> None:
        """End what is drawn for a future that was cancelled."""
        with self._lock:
            sent = self._open.pop(done, None)
        if sent is not None:
            done.set_running_or_notify_cancel()
            sent.cancel()

    def _claim(self, done: Future[Any]) -> bool:
        """Whether the caller is the one to say how a future ends."""
        with self._lock:
            sent = self._open.pop(done, None)
        return sent is not None and done.set_running_or_notify_cancel()

    def _arrived(self, done: Future[StageResult], job: Job, sent: Any) -> None:
        """Take in what came back, whatever it is."""
        if not self._claim(done):
            return
        try:
            done.set_result(unpack_answer(sent.result(), job))
        except (
            BaseException
        ) as error:  # a thread of the client must not die of it; it is raised by the future
            done.set_exception(self._said(error, job))

    def _said(self, error: BaseException, job: Job) -> BaseException:
        if isinstance(error, FilmError):
            return error
        if type(error).__name__ == "KilledWorker":
            return StageKilledError((job.name,), "was lost with each worker that drew it")
        if isinstance(error, CancelledError):
            return self._lost("the scheduler is gone")
        reason = " ".join(str(error).split())
        return FilmError(f"stage {job.name} could not be drawn on {self._address}: {reason}")

    def _lost(self, how: str) -> FilmError:
        return FilmError(
            f"the cluster at {self._address} can draw no more: {how}; what was finished is kept, start again"
            " to go on from there"
        )

    def _look_after(self) -> None:
        """Fail what waits once there is nobody who could draw it."""
        last_seen = time.monotonic()
        while not self._stop.wait(LOOK_EVERY_S):
            how = "every worker is gone"
            try:
                if self._client.status not in ("running", "connecting"):
                    how, last_seen = "the scheduler is gone", -ALONE_S
                elif self._client.nthreads():
                    last_seen = time.monotonic()
            except (OSError, ValueError, RuntimeError, TimeoutError):
                how = "the scheduler does not answer"
            if time.monotonic() - last_seen >= ALONE_S:
                self._fail_all(self._lost(how))

    def _fail_all(self, error: FilmError) -> None:
        with self._lock:
            waiting = list(self._open.items())
        for done, sent in waiting:
            if self._claim(done):
                done.set_exception(error)
                sent.cancel()


def _travelling() -> Callable[[bytes, str, str], bytes]:
    """A function that finds the project only where it is called: a scheduler needs no copy of it.

    What is defined within another function travels as code, not by its name.
    """

    def draw(parcel: bytes, name: str, topic: str) -> bytes:
        from film.cluster.executor import draw_on_worker

        return draw_on_worker(parcel, name, topic)

    return draw


def draw_on_worker(parcel: bytes, name: str, topic: str) -> bytes:
    """Run on a worker: draw a job in a process of its own, for as long as somebody waits for it."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    last = 0.0

    def tell(stage: str, beat: str, frames: int) -> None:
        nonlocal last
        if time.monotonic() - last >= TELL_EVERY_S:
            last = time.monotonic()
            worker.loop.add_callback(worker.log_event, topic, [stage, beat, frames])

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state in ("executing", "long-running")

    return draw_parcel(parcel, name, tell, is_wanted)


def _distributed() -> ModuleType:
    """The library, made silent: what goes wrong is said here, in one sentence."""
    try:
        import dask

        dask.config.set(logging={"distributed": "critical", "distributed.client": "critical"})
        import distributed
    except ImportError as error:
        raise MissingError(
            f"--cluster needs the package distributed ({error}); install it with:"
            " .venv/bin/python -m pip install -c constraints.txt -e '.[cluster]'"
        ) from None
    module: ModuleType = distributed
    return module


def _connect(distributed: ModuleType, address: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RequestError(
            f"no cluster answers at {address} ({reason}); start one with: python -m dask scheduler, and"
            " name it as tcp://HOST:8786"
        ) from None
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError:
        client.close(timeout=CONNECT_S)
        raise RequestError(
            f"the cluster at {address} has no worker; start one in a copy of this project with:"
            f" .venv/bin/python -m dask worker {address}"
        ) from None
    return client


def _compare(client: Any, house: Mapping[str, str], package: str, address: str) -> None:
    """Refuse workers that would draw something else.

    Python comes first: between two of its versions functions may not even travel.
    """
    known = client.get_versions()
    hosts = {"the scheduler": known["scheduler"]}
    hosts |= {f"worker {worker}": versions for worker, versions in known["workers"].items()}
    for where, versions in hosts.items():
        theirs = ".".join(str(versions["host"][PYTHON]).split(".")[:2])
        _refuse(first_difference({PYTHON: house[PYTHON]}, {PYTHON: theirs}, where))
    found = client.run(describe_house, package, on_error="return")
    for worker, theirs in found.items():
        if isinstance(theirs, Mapping):
            _refuse(first_difference(house, theirs, f"worker {worker}"))
        else:
            raise RequestError(
                f"worker {worker} does not know this project ({theirs}); start it in a copy of it with:"
                f" .venv/bin/python -m dask worker {address}"
            )


def _refuse(difference: str) -> None:
    if difference:
        raise RequestError(difference)
