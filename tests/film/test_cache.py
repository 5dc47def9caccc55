"""The store of bundles: whole or not there, and never trusted blindly."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest

from attn.trace import Reading
from film.errors import BusyError, MediaError, RequestError
from film.files import write_text
from film.store.bundle import Bundle, damage_of
from film.store.bundles import KEPT_PER_STAGE, BundleStore
from film.store.codec import write_bundle
from tests.film.kit import bundle_of, result_of

READINGS = (
    Reading("v", (2, 0), 2.0),
    Reading("masked", (0, 1), float("-inf"), 2),
    Reading("tokens.zh", (0,), "猫"),
)


def publish(store: BundleStore, stage: str = "score", language: str = "zh") -> Bundle:
    result = result_of(stage, readings=READINGS)
    staging = store.staging(stage)
    return store.publish(staging, bundle_of(staging, result, {"language": language}))


def test_a_bundle_is_read_back_as_it_was(tmp_path: Path) -> None:
    store = BundleStore(tmp_path)
    made = publish(store)
    (found,) = store.of_stage("score")
    assert found == made
    assert damage(found) == ["", ""]
    assert [path.name for path in found.segments()] == ["beat-000.mp4", "beat-001.mp4"]
    assert not list(tmp_path.glob("tmp-*"))


def damage(bundle: Bundle) -> list[str]:
    return [damage_of(bundle.folder, piece) for piece in bundle.result.pieces]


def test_a_reused_segment_is_the_same_file(tmp_path: Path) -> None:
    store = BundleStore(tmp_path)
    first = publish(store)
    staging = store.staging("score")
    bundle = bundle_of(staging, result_of("score", readings=READINGS), {"language": "en"})
    kept, drawn = bundle.result.pieces
    skipped = replace(bundle, result=replace(bundle.result, pieces=(replace(kept, file=""), drawn)))
    second = store.publish(staging, skipped, {kept.key: first.segments()[0]})
    assert second.segments()[0].samefile(first.segments()[0])
    assert damage(second) == ["", ""]
    store.remove(first.folder)
    assert damage(second) == ["", ""]


def test_a_render_that_was_stopped_is_gone_on_with(tmp_path: Path) -> None:
    store = BundleStore(tmp_path)
    staging = store.staging("score")
    begun = replace(bundle_of(staging, result_of("score"), {"language": "zh"}), is_whole=False)
    write_bundle(staging, begun)
    (found,) = store.of_stage("score")
    assert found == begun
    store.prune(())
    assert store.of_stage("score") == (begun,)
    store.prune((publish(store),))
    assert [bundle.is_whole for bundle in store.of_stage("score")] == [True]


def test_stages_whose_names_begin_alike_are_kept_apart(tmp_path: Path) -> None:
    store = BundleStore(tmp_path)
    publish(store, "score")
    publish(store, "score-two")
    assert len(store.of_stage("score")) == 1


def test_a_render_that_was_killed_leaves_no_bundle(tmp_path: Path) -> None:
    """Whatever is in a staging folder, and whatever a record lacks, is as if it were not there."""
    store = BundleStore(tmp_path)
    (store.staging("score") / "000.mp4").write_bytes(b"half")
    (tmp_path / "score-deadbeef").mkdir()
    (tmp_path / "score-cafe").mkdir()
    (tmp_path / "score-cafe" / "bundle.json").write_text('{"key": "x"', encoding="utf-8")
    assert store.of_stage("score") == ()
    store.prune(())
    assert not list(tmp_path.glob("tmp-*"))


@pytest.mark.parametrize("spoil", ["cut", "zero", "flip", "gone"])
def test_a_damaged_segment_is_noticed(tmp_path: Path, spoil: str) -> None:
    """A cached piece used to count as good if the file merely existed."""
    store = BundleStore(tmp_path)
    path = publish(store).segments()[1]
    data = path.read_bytes()
    if spoil == "gone":
        path.unlink()
    else:
        spoilt = {"cut": data[:500], "zero": bytes(len(data)), "flip": data[:-1] + b"x"}[spoil]
        path.write_bytes(spoilt)
    (found,) = store.of_stage("score")
    assert damage(found)[0] == ""
    assert "beat b1 is" in damage(found)[1]


def test_publishing_the_same_key_again_replaces_it(tmp_path: Path) -> None:
    store = BundleStore(tmp_path)
    first = publish(store)
    first.segments()[0].write_bytes(b"damaged")
    publish(store)
    (found,) = store.of_stage("score")
    assert damage(found) == ["", ""]


def test_old_bundles_go_and_used_ones_stay(tmp_path: Path) -> None:
    store = BundleStore(tmp_path)
    bundles = []
    for n in range(KEPT_PER_STAGE + 3):
        bundles.append(publish(store, language=f"l{n}"))
        os.utime(bundles[-1].folder, ns=(n * 10**9, n * 10**9))
    store.prune(bundles[:1])
    left = {bundle.parts["language"] for bundle in store.of_stage("score")}
    assert left == {"l0", *(f"l{n}" for n in range(3, KEPT_PER_STAGE + 3))}


def _hold(
    root: str, ready: multiprocessing.synchronize.Event, done: multiprocessing.synchronize.Event
) -> None:
    with BundleStore(Path(root)).locked():
        ready.set()
        done.wait(60)


def test_a_second_run_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Two runs into one folder used to mix their files."""
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(str(tmp_path / ".bundles"), ready, done))
    other.start()
    try:
        assert ready.wait(60)
        with (
            pytest.raises(BusyError, match=rf"another run \(process {other.pid}\).*--out"),
            BundleStore(tmp_path / ".bundles").locked(),
        ):
            pass
    finally:
        done.set()
        other.join()
    with BundleStore(tmp_path / ".bundles").locked():
        pass


def test_a_run_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, never = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(str(tmp_path), ready, never))
    other.start()
    assert ready.wait(60)
    other.kill()
    other.join()
    left = tmp_path / "lock-owner"
    assert left.read_text(encoding="utf-8") == str(other.pid), "it had no time to take it away"
    with BundleStore(tmp_path).locked():
        assert left.read_text(encoding="utf-8") == str(os.getpid())
    assert not left.exists()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    store = BundleStore(tmp_path / "file" / ".bundles")
    with pytest.raises(RequestError, match=r"cannot write to .*file.*--out"), store.locked():
        pass


def test_text_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    assert write_text(path, "one")
    assert not write_text(path, "one"), "nothing to do"

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(MediaError, match=r"cannot write .*a\.json: No space"):
        write_text(path, "two")
    assert path.read_text(encoding="utf-8") == "one"
    assert list(tmp_path.iterdir()) == [path]
