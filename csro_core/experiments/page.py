"""A report as one HTML page: no script, nothing from elsewhere, light and dark, and every text escaped."""

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from importlib.metadata import PackageNotFoundError, version

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Content-Security-Policy of the page: even what slipped through could neither run nor be fetched."""

STYLE = """
:root{--page:#fff;--ink:#1b2430;--quiet:#5f6b78;--line:#d5dbe2;--soft:#f4f6f8;--accent:#0b5fa5}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--ink:#dfe5ec;--quiet:#9aa4b0;--line:#333c47;--soft:#1b2129;
--accent:#6bb6e8}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1.5rem 4rem;max-width:62rem;background:var(--page);color:var(--ink);
font:15px/1.55 "Segoe UI",Helvetica,Arial,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.7rem;margin:0 0 .3rem}h2{font-size:1.2rem;margin:2.4rem 0 .6rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1.4rem 0 .4rem}p{margin:.4rem 0}.quiet{color:var(--quiet)}.lead{font-size:1.1rem}
.scroll{overflow-x:auto;margin:.6rem 0}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
td.n,th.n{text-align:right;white-space:nowrap;overflow-wrap:normal}th{color:var(--quiet);font-weight:600}
code,pre{font:13px/1.5 ui-monospace,Consolas,monospace}
pre{background:var(--soft);padding:.7rem;overflow-x:auto;margin:.4rem 0}
pre i{display:inline-block;width:3.2em;padding-right:1em;text-align:right;color:var(--quiet);font-style:normal;
user-select:none}
figure{margin:1rem 0}svg{max-width:100%;height:auto}.ground{fill:var(--page)}.ink{fill:var(--ink)}
.faint{stroke:var(--line)}summary{cursor:pointer;padding:.2rem 0}details{border-bottom:1px solid var(--line)}
@media print{body{max-width:none;padding:0}h2,h3{break-after:avoid}figure,tr{break-inside:avoid}
pre{white-space:pre-wrap}}
"""


def page(title: str, parts: Sequence[str]) -> str:
    """Returns the whole page.

    Args:
        title: plain text.
        parts: HTML, made by the functions below.
    """
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta name='color-scheme' content='light dark'><meta name='referrer' content='no-referrer'>"
        f"<title>{said(title)}</title><style>{STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def said(text: object) -> str:
    """Returns a text escaped; signs that cannot be printed, but line breaks and tabs, are shown as �."""
    kept = "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in str(text))
    return escape(kept)


def heading(text: str, level: int = 2) -> str:
    """Returns a heading."""
    return f"<h{level}>{said(text)}</h{level}>"


def paragraph(text: str, kind: str = "") -> str:
    """Returns a paragraph; kind is a class of the style, "" for none."""
    return f"<p class='{kind}'>{said(text)}</p>" if kind else f"<p>{said(text)}</p>"


def figure(svg: str) -> str:
    """Returns a figure of ours (see `svg.document`) inside the page."""
    return f"<figure>{svg}</figure>"


def table(heads: Sequence[str], rows: Sequence[Sequence[object]], right: int = 0) -> str:
    """Returns a table.

    Args:
        heads: titles of the columns.
        rows: as many values each.
        right: how many columns at the end are numbers.
    """
    first = len(heads) - right
    marks = ["" if place < first else " class='n'" for place in range(len(heads))]
    top = "".join(f"<th scope='col'{mark}>{said(text)}</th>" for mark, text in zip(marks, heads, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{mark}>{said(value)}</td>" for mark, value in zip(marks, row, strict=True)) + "</tr>"
        for row in rows
    )
    # What can scroll must be reached by the keyboard.
    return f"<div class='scroll' tabindex='0'><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"


def code(title: str, text: str, open_: bool = False) -> str:
    """Returns a program with line numbers, folded.

    Args:
        title: of the fold.
        text: the program.
        open_: True: it is unfolded.
    """
    lines = "\n".join(f"<i>{number}</i>{said(line)}" for number, line in enumerate(text.splitlines() or [""], 1))
    opened = " open" if open_ else ""
    return f"<details{opened}><summary>{said(title)}</summary><pre tabindex='0'><code>{lines}</code></pre></details>"


def made(now: float, archive: str, command: str) -> list[str]:
    """Returns who made the report, when, and how to get all of it back.

    Args:
        now: seconds since the epoch.
        archive: what the zip file holds: "this run" or "this experiment".
        command: what computes it anew.
    """
    at = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return [
        heading("How this was made"),
        paragraph(f"Made {at} by CSRO {_version()}, Python {platform.python_version()}. Every ± is a 95 % interval."),
        paragraph(f"The zip file that this report came in holds {archive} whole. To open it in the dashboard:"),
        f"<pre><code>{said('python -m csro_core import FILE.zip')}</code></pre>",
        paragraph("To compute it anew:"),
        f"<pre><code>{said(command)}</code></pre>",
    ]


def _version() -> str:
    try:
        return version("csro")
    except PackageNotFoundError:
        return "(not installed)"
