"""A PowerPoint deck: one step a slide, its film fills the slide and starts on a click.

The poster is the step's last picture, so that a printed or unplayed slide shows what it is about.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.slide import Slide
from pptx.util import Emu, Pt

from film.export.show import Show, Step
from film.files import write_whole

WIDTH_EMU = 12_192_000
"""13⅓ inches: the width of a 16:9 slide."""
TITLE_ONLY = 5
"""The layout of the default template that has a title and nothing else."""
TITLE_EMU = 500_000
"""Height of the slide's title, which lies behind the film: for outlines and screen readers."""

TIMING = """
<p:timing xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:tnLst><p:par>
 <p:cTn id="1" dur="indefinite" restart="never" nodeType="tmRoot"><p:childTnLst>
  <p:seq concurrent="1" nextAc="seek"><p:cTn id="2" dur="indefinite" nodeType="mainSeq"><p:childTnLst><p:par>
   <p:cTn id="3" fill="hold"><p:stCondLst><p:cond delay="indefinite"/></p:stCondLst><p:childTnLst><p:par>
    <p:cTn id="4" fill="hold"><p:stCondLst><p:cond delay="0"/></p:stCondLst><p:childTnLst><p:par>
     <p:cTn id="5" presetID="1" presetClass="mediacall" presetSubtype="0" fill="hold" nodeType="clickEffect">
      <p:stCondLst><p:cond delay="0"/></p:stCondLst><p:childTnLst>
       <p:cmd type="call" cmd="playFrom(0.0)"><p:cBhvr><p:cTn id="6" dur="{ms}" fill="hold"/>
        <p:tgtEl><p:spTgt spid="{shape}"/></p:tgtEl></p:cBhvr></p:cmd>
      </p:childTnLst></p:cTn></p:par></p:childTnLst></p:cTn></p:par></p:childTnLst></p:cTn></p:par>
   </p:childTnLst></p:cTn>
   <p:prevCondLst><p:cond evt="onPrev" delay="0"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond></p:prevCondLst>
   <p:nextCondLst><p:cond evt="onNext" delay="0"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond></p:nextCondLst>
  </p:seq>
  <p:video><p:cMediaNode vol="80000"><p:cTn id="7" fill="hold" display="0">
   <p:stCondLst><p:cond delay="indefinite"/></p:stCondLst></p:cTn>
   <p:tgtEl><p:spTgt spid="{shape}"/></p:tgtEl></p:cMediaNode></p:video>
 </p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>
"""
"""The film starts on the next press of key, mouse or clicker, as PowerPoint writes "in click sequence";
python-pptx alone would start it only for a click on the picture."""


def export_pptx(show: Show) -> tuple[Path, ...]:
    """Write the deck and return its path."""
    deck = Presentation()
    height = Emu(round(WIDTH_EMU * show.height_px / show.width_px))
    deck.slide_width, deck.slide_height = Emu(WIDTH_EMU), height
    deck.core_properties.title = show.title
    deck.core_properties.author = ""
    for step in show.steps:
        _add_slide(deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY]), height, step)
    data = io.BytesIO()
    deck.save(data)
    target = show.folder / f"{show.name}.pptx"
    write_whole(target, data.getvalue())
    return (target,)


def _add_slide(slide: Slide, height: Emu, step: Step) -> None:
    title = slide.shapes.title
    if title is not None:
        title.left, title.top, title.width, title.height = Emu(0), Emu(0), Emu(WIDTH_EMU), Emu(TITLE_EMU)
        title.text_frame.text = f"{step.timed.step}. {step.title}: {step.caption}"
        title.text_frame.paragraphs[0].runs[0].font.size = Pt(12)
    movie = slide.shapes.add_movie(
        str(step.film),
        Emu(0),
        Emu(0),
        Emu(WIDTH_EMU),
        height,
        poster_frame_image=io.BytesIO(step.last_png()),
        mime_type="video/mp4",
    )
    movie.name = step.name
    picture: Any = movie._element
    picture.nvPicPr.cNvPr.set("descr", step.caption)
    notes = slide.notes_slide.notes_text_frame
    if notes is not None:
        notes.text = f"{step.caption}\n\n{step.note}"
    _start_on_click(slide, movie.shape_id, step.seconds)


def _start_on_click(slide: Slide, shape: int, seconds: float) -> None:
    """Put the film into the slide's click sequence."""
    tree: Any = slide._element
    timing = parse_xml(TIMING.format(ms=round(1000 * seconds), shape=int(shape)))
    tag = "{http://schemas.openxmlformats.org/presentationml/2006/main}timing"
    for old in tree.findall(tag):
        tree.replace(old, timing)
        return
    tree.append(timing)
