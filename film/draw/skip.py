"""Pictures that repeat the one before, written by hand: H.264 P pictures in which every block is skipped.

A still picture costs an encoder as much time as a moving one. A P picture of nothing but skipped blocks says
"the same again" in a dozen bytes, and to a player is as ordinary as any other: same rate, same parameters.
Between such pictures and the encoder's own, only ``frame_num`` in the slice headers must be counted on.

Field names and sections are those of Rec. ITU-T H.264 (08/2021): 7.3.2.1.1 sequence parameter set, 7.3.2.2
picture parameter set, 7.3.3 slice header, 7.3.4 slice data, 7.4.1.1 emulation prevention.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

SLICE, IDR, SEQUENCE, PICTURE = 1, 5, 7, 8
"""``nal_unit_type``."""
HIGH_PROFILES = frozenset({100, 110, 122, 244})
"""``profile_idc`` whose sequence parameter sets also give the sampling of colour."""
START = b"\0\0\0\1"


class UnknownStreamError(ValueError):
    """The stream uses something of H.264 that is not counted on here; its pictures must be encoded."""


class Bits:
    """Reads and writes the bits of one NAL unit's payload."""

    def __init__(self, payload: bytes = b"") -> None:
        self._value = int.from_bytes(payload, "big")
        self._length = 8 * len(payload)
        self.at = 0

    def u(self, count: int) -> int:
        """``u(count)``: the next so many bits as a number."""
        if self.at + count > self._length:
            raise UnknownStreamError("a parameter set or slice header is too short")
        self.at += count
        return self._value >> (self._length - self.at) & ((1 << count) - 1)

    def ue(self) -> int:
        """``ue(v)``: the next Exp-Golomb number."""
        zeros = 0
        while not self.u(1):
            zeros += 1
        return (1 << zeros) - 1 + self.u(zeros)

    def put(self, value: int, count: int) -> Self:
        """Append ``u(count)``."""
        self._value = self._value << count | value
        self._length += count
        return self

    def put_ue(self, value: int) -> Self:
        """Append ``ue(v)``."""
        return self.put(value + 1, 2 * (value + 1).bit_length() - 1)

    def replace(self, at: int, count: int, value: int) -> None:
        """Put another number where ``u(count)`` was read at bit ``at``."""
        shift = self._length - at - count
        self._value = self._value & ~(((1 << count) - 1) << shift) | value << shift

    def to_bytes(self) -> bytes:
        """The bits so far, with ``rbsp_trailing_bits``."""
        self.put(1, 1).put(0, -self._length % 8)
        return self._value.to_bytes(self._length // 8, "big")


@dataclass(frozen=True, slots=True)
class SkipWriter:
    """Writes skipped pictures for one stream.

    Parameters
    ----------
    frame_num_bits
        Length of ``frame_num``.
    blocks
        Macroblocks of a picture.
    default_references
        References a slice has unless it says otherwise.
    has_deblocking
        Whether slice headers speak of deblocking.
    """

    frame_num_bits: int
    blocks: int
    default_references: int
    has_deblocking: bool

    @classmethod
    def of(cls, extradata: bytes) -> SkipWriter:
        """The writer for a stream with these parameter sets, in Annex B form.

        Raises
        ------
        UnknownStreamError
            If the stream is interlaced, arithmetic coded, weighted, reordered or otherwise not as assumed.
        """
        found = {unit[0] & 31: Bits(_unescaped(unit[1:])) for unit in _units(extradata)}
        if not {SEQUENCE, PICTURE} <= set(found):
            raise UnknownStreamError("no parameter sets")
        frame_num_bits, blocks = _read_sequence(found[SEQUENCE])
        return cls(frame_num_bits, blocks, *_read_picture(found[PICTURE]))

    def skipped(self, frame_num: int) -> bytes:
        """One picture that repeats the one before it, as an Annex B packet.

        It is itself a reference, numbered ``frame_num`` modulo the length of that field.
        """
        bits = Bits().put_ue(0).put_ue(5).put_ue(0)  # first_mb_in_slice, slice_type P, pic_parameter_set_id
        bits.put(frame_num % (1 << self.frame_num_bits), self.frame_num_bits)
        if self.default_references > 1:
            bits.put(1, 1).put_ue(0)  # num_ref_idx_active_override_flag: one reference
        else:
            bits.put(0, 1)
        bits.put(0, 1)  # ref_pic_list_modification_flag_l0
        bits.put(0, 1)  # adaptive_ref_pic_marking_mode_flag
        bits.put_ue(0)  # slice_qp_delta
        if self.has_deblocking:
            bits.put_ue(1)  # disable_deblocking_filter_idc
        bits.put_ue(self.blocks)  # mb_skip_run
        return START + b"\x41" + _escaped(bits.to_bytes())

    def renumbered(self, packet: bytes, by: int) -> bytes:
        """An encoder's P picture with ``frame_num`` counted on by so many pictures.

        Raises
        ------
        UnknownStreamError
            If the packet is not one P slice that covers the picture.
        """
        units = _units(packet)
        if len(units) != 1 or units[0][0] & 31 != SLICE or not units[0][0] & 0x60:
            raise UnknownStreamError("a packet that is not one reference slice")
        payload = _unescaped(units[0][1:])
        head = Bits(payload[:16])
        if head.ue() != 0 or head.ue() % 5 != 0 or head.ue() != 0:
            raise UnknownStreamError("a slice that is not the whole of a P picture")
        at, count = head.at, self.frame_num_bits
        number = head.u(count)
        head.replace(at, count, (number + by) % (1 << count))
        size = min(16, len(payload))
        start = head._value.to_bytes(size, "big")
        return START + units[0][:1] + _escaped(start + payload[size:])


def is_idr(packet: bytes) -> bool:
    """Whether a packet in Annex B form holds an IDR picture: counting starts again there."""
    return any(unit[0] & 31 == IDR for unit in _units(packet))


def _read_sequence(bits: Bits) -> tuple[int, int]:
    """Length of ``frame_num`` and macroblocks of a picture."""
    profile = bits.u(8)
    bits.u(16)  # constraint flags, level_idc
    bits.ue()  # seq_parameter_set_id
    if profile in HIGH_PROFILES:
        _expect(bits.ue(), 1, "chroma_format_idc")
        bits.ue()  # bit_depth_luma_minus8
        bits.ue()  # bit_depth_chroma_minus8
        bits.u(1)  # qpprime_y_zero_transform_bypass_flag
        _expect(bits.u(1), 0, "seq_scaling_matrix_present_flag")
    frame_num_bits = bits.ue() + 4
    _expect(bits.ue(), 2, "pic_order_cnt_type")
    _expect(bits.ue(), 1, "max_num_ref_frames")
    bits.u(1)  # gaps_in_frame_num_value_allowed_flag
    blocks = (bits.ue() + 1) * (bits.ue() + 1)
    _expect(bits.u(1), 1, "frame_mbs_only_flag")
    return frame_num_bits, blocks


def _read_picture(bits: Bits) -> tuple[int, bool]:
    """References a slice has by default, and whether slice headers speak of deblocking."""
    _expect(bits.ue(), 0, "pic_parameter_set_id")
    _expect(bits.ue(), 0, "seq_parameter_set_id")
    _expect(bits.u(1), 0, "entropy_coding_mode_flag")
    _expect(bits.u(1), 0, "bottom_field_pic_order_in_frame_present_flag")
    _expect(bits.ue(), 0, "num_slice_groups_minus1")
    references = bits.ue() + 1
    bits.ue()  # num_ref_idx_l1_default_active_minus1
    _expect(bits.u(1), 0, "weighted_pred_flag")
    bits.u(2)  # weighted_bipred_idc
    for _ in range(3):
        bits.ue()  # pic_init_qp_minus26, pic_init_qs_minus26, chroma_qp_index_offset
    has_deblocking = bool(bits.u(1))
    bits.u(1)  # constrained_intra_pred_flag
    _expect(bits.u(1), 0, "redundant_pic_cnt_present_flag")
    return references, has_deblocking


def _expect(value: int, wanted: int, name: str) -> None:
    if value != wanted:
        raise UnknownStreamError(f"{name} is {value}, not {wanted}")


def _units(data: bytes) -> list[bytes]:
    """The NAL units of an Annex B stream, without start codes."""
    pieces = re.split(rb"\x00\x00\x01", data)
    return [unit for piece in pieces[1:] if (unit := piece.rstrip(b"\0"))]


def _unescaped(data: bytes) -> bytes:
    return re.sub(rb"\x00\x00\x03", b"\0\0", data)


def _escaped(data: bytes) -> bytes:
    return re.sub(rb"\x00\x00(?=[\x00-\x03])", b"\0\0\3", data)
