"""`--initial`: the policies that a run starts from, named as references, hashes, files, globs or folders."""

import glob
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from csro_core.cli.arguments import user_path
from csro_core.cli.output import note
from csro_core.cli.targets import UnreadablePolicy, read_policy_file
from csro_core.errors import UsageError
from csro_core.matches.jobs import MatchExecutor
from csro_core.policies.library import reference_text
from csro_core.policies.source import Inspection
from csro_core.store import Store
from csro_core.store.records import PolicyText

MAX_INITIAL = 500
"""Most policies of a start; their payoffs are 124,750 cells."""

HELP = (
    "initial policies, by commas or spaces: reference:NAME, policy:HASH, a .py file, a quoted glob ('policies/*.py'), "
    "or a folder of .py files"
)

_REFERENCE = "reference:"
_POLICY = "policy:"
_SUFFIX = ".py"
_MOST_NAME = 60


@dataclass(frozen=True)
class Start:
    """What a run starts from.

    Attributes:
        names: as `RunSettings.initial` has them; empty: the game's default.
        texts: the policies among them that the store has to hold.
    """

    names: tuple[str, ...] = ()
    texts: tuple[PolicyText, ...] = ()


@dataclass(frozen=True)
class _Named:
    """One policy.

    Attributes:
        shown: as the user named it, or the path that was found.
        setting: its name in the settings; "" where its text decides.
        name: a name for people, "" for none.
        text: the policy.
    """

    shown: str
    setting: str
    name: str
    text: str


def read_start(words: Sequence[str], store: Store, executor: MatchExecutor) -> Start:
    """Returns the policies that a user named, each inspected in the jail.

    A policy that is refused is one line on standard error, and so is one whose syntax tree was there before: it would
    only be a second row of the same payoffs, and is left out.

    Args:
        words: the values of the option; each may hold several names with commas between them.
        store: where hashes are looked up.
        executor: inspects the texts.

    Raises:
        UsageError: a name means nothing, there are too many, or a policy is refused.
    """
    asked = _found(words)
    refused = 0
    names: list[str] = []
    texts: list[PolicyText] = []
    earlier: dict[str, str] = {}
    for one in asked:
        try:
            policy = _read(one, store)
        except UnreadablePolicy as error:
            note(f"{_line(one)}: refused: {error}")
            refused += 1
            continue
        inspection = executor.inspect(policy.text)
        if not inspection.ok:
            note(_refusal(policy.shown, inspection))
            refused += 1
        elif inspection.tree_hash in earlier:
            same = _line(earlier[inspection.tree_hash])
            note(f"{_line(policy.shown)}: left out: the same program as {same}, but for comments")
        else:
            earlier[inspection.tree_hash] = policy.shown
            names.append(policy.setting or f"{_POLICY}{inspection.hash}:{policy.name}".rstrip(":"))
            if not policy.setting:
                texts.append(_policy_text(policy.text, inspection))
    if refused:
        raise UsageError(f"every initial policy must pass the check, {refused} of {len(asked)} did not: see above")
    return Start(tuple(names), tuple(texts))


def _found(words: Sequence[str]) -> list[str]:
    """Returns the single names: globs and folders become the files in them, in order of their names.

    Raises:
        UsageError: there is none, nothing fits a glob or is in a folder, or there are too many.
    """
    asked: list[str] = []
    for word in (part.strip() for text in words for part in text.split(",")):
        if word:
            asked += _expanded(word)
    if words and not asked:
        raise UsageError(f"--initial must name policies, such as reference:rock,reference:beat_last; got {words[0]!r}")
    if len(asked) > MAX_INITIAL:
        raise UsageError(f"--initial must name at most {MAX_INITIAL} policies, got {len(asked):,}")
    return asked


def _expanded(word: str) -> list[str]:
    """Returns the files of a glob or a folder, another name as it is.

    Raises:
        UsageError: no file fits.
    """
    if word.startswith((_REFERENCE, _POLICY)):
        return [word]
    path = user_path(word)
    if path.is_dir():
        files = _files(str(file) for file in path.glob(f"*{_SUFFIX}") if not file.name.startswith((".", "_")))
    elif glob.has_magic(word) and not path.exists():
        files = _files(glob.glob(str(path), recursive=True))
    else:
        return [word]
    if not files:
        raise UsageError(f"--initial must name policies, and there is no {_SUFFIX} file for {word[:80]!r}")
    return files


def _files(found: Iterable[str]) -> list[str]:
    """Returns the plain files among paths, sorted, each once: a link to a folder above leads to the same files again.

    Folders, pipes, devices and links to nothing are left out; some of them would never end.
    """
    by_place: dict[str, str] = {}
    for path in sorted(found, key=lambda one: (one.count(os.sep), one)):
        if Path(path).is_file():
            by_place.setdefault(os.path.realpath(path), path)
    return sorted(by_place.values())


def _read(word: str, store: Store) -> _Named:
    """Returns one policy with its text.

    Raises:
        UsageError: there is no such reference, hash or file.
        UnreadablePolicy: the file is there but is no text.
    """
    if word.startswith(_POLICY):
        return _Named(word, "", "", store.policy(word.removeprefix(_POLICY)).source)
    if word.endswith(_SUFFIX) or os.sep in word:
        return _Named(word, "", _name(Path(word)), read_policy_file(word))
    name = word.removeprefix(_REFERENCE)
    return _Named(word, f"{_REFERENCE}{name}", "", reference_text(name))


def _name(path: Path) -> str:
    """Returns a name for people from the name of a file."""
    return "".join(letter for letter in path.stem if letter.isprintable())[:_MOST_NAME].strip()


def _line(path: str) -> str:
    """Returns a path as it may be printed: names of files hold line breaks and escape codes, too."""
    return "".join(letter if letter.isprintable() else "?" for letter in path)


def _refusal(shown: str, inspection: Inspection) -> str:
    first = inspection.problems[0]
    more = len(inspection.problems) - 1
    place = f"{_line(shown)}:{first.line}" if first.line else _line(shown)
    others = f" (and {more} more: see `check`)" if more else ""
    return f"{place}: refused: {first.message.removeprefix(f'line {first.line}: ')}{others}"


def _policy_text(text: str, inspection: Inspection) -> PolicyText:
    return PolicyText(inspection.hash, inspection.tree_hash, text, inspection.docstring, inspection.lines)
