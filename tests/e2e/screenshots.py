"""Takes the screenshots of the README: `python -m tests.e2e.screenshots STORE RUN FOLDER`.

RUN names a finished run of repeated rock-paper-scissors in the store.
"""

import sys
from pathlib import Path

from csro_core.store import open_store
from tests.e2e.harness import launched, new_page, server, settle

LOOKS = ((False, (1280, 900), "light-1280"), (True, (1920, 1080), "dark-1920"))
PATIENCE = 120_000


def take(store: Path, name: str, folder: Path) -> None:
    """Writes one picture a page, light at 1280 and dark at 1920 pixels."""
    run = open_store(store, create=False).run(name)
    members = open_store(store).members(run.id)
    folder.mkdir(parents=True, exist_ok=True)
    with server(store) as running, launched() as browser:
        for dark, size, look in LOOKS:
            page = new_page(browser, dark, size).page
            best = members[-1].policy.hash[:12]
            match = f"row={best}&column={members[-2].policy.hash[:12]}"
            for title, path in (
                ("run", f"?run={run.id}"),
                ("policies", f"policies?run={run.id}&policy={best}"),
                ("match", f"matches?run={run.id}&{match}"),
                ("edit", f"policies?run={run.id}&policy={best}&tab=Edit"),
            ):
                page.goto(f"{running.url}/{path}")
                settle(page)
                if title == "edit":
                    page.get_by_role("button", name="Score against the population").click()
                    page.get_by_text("against sigma:").first.wait_for(timeout=PATIENCE)
                page.mouse.move(5, 5)
                _save(page, folder / f"{title}-{look}.png", size, whole=title in {"run", "match"})
            page.get_by_role("button", name="New run").click()
            page.get_by_role("dialog").wait_for()
            _save(page, folder / f"new-run-{look}.png", size, whole=False)


def _save(page, path: Path, size: tuple[int, int], whole: bool) -> None:
    page.wait_for_timeout(2500)
    if whole:
        height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        page.set_viewport_size({"width": size[0], "height": int(height) + 20})
        page.wait_for_timeout(1500)
    page.screenshot(path=str(path))
    page.set_viewport_size({"width": size[0], "height": size[1]})


if __name__ == "__main__":
    take(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
