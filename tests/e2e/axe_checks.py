"""What axe-core finds on a page in a real browser."""

from tests.e2e.harness import settle

ACCEPTED = (
    ("target-size", '<a href="#L', "numbers of lines are as high as the lines of the program that they stand beside"),
)
"""What is not ours to change: (rule, part of the HTML of the element, reason)."""

EVERYTHING = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast"]
"""All that a theme can change."""

FAULTS = """rules => axe.run(document, {
  resultTypes: ['violations'],
  runOnly: rules,
}).then(({ violations }) => violations
  .filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .flatMap(({ id, nodes }) => nodes.map(({ html, target, failureSummary }) => (
    { rule: id, html: html.slice(0, 300), target: JSON.stringify(target), why: failureSummary }))))"""

LOOKS, BETWEEN_LOOKS_MS = 4, 700
"""How often a fault is looked for again: what fades while the machine is busy is none."""

MOVING = """() => document.getAnimations().every(one => one.playState !== 'running'
  || one.effect.getTiming().iterations === Infinity)"""


def faults(page, axe: str, where: str, rules: list[str] = EVERYTHING) -> list[str]:
    """Returns the serious faults of what is shown, one a line."""
    page.evaluate(axe)
    found = set(seen(page, where, rules))
    for _ in range(LOOKS):  # A page that was drawn anew meanwhile was half faded: a text then has half its contrast.
        if not found:
            break
        settle(page)
        page.wait_for_timeout(BETWEEN_LOOKS_MS)
        found &= set(seen(page, where, rules))
    return sorted(found)


def seen(page, where: str, rules: list[str]) -> list[str]:
    """Returns the serious faults of this moment."""
    page.wait_for_function(MOVING)
    return [
        f"{where}: {one['rule']} at {one['target']}: {one['html']} ({one['why']})"
        for one in page.evaluate(FAULTS, rules)
        if not any(rule == one["rule"] and part in one["html"] for rule, part, _ in ACCEPTED)
    ]
