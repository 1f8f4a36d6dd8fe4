"""How many episodes of a policy share one process, so that none of them notices the others.

Limits are one episode's. A process of several episodes gets a room so large that no allocation fails in it which would
have succeeded alone, unless the process has passed the limit of one episode on the way; that, its CPU time and its end
are looked at, and what passed is thrown away and played again with fewer episodes a process. A process of one episode
has the limit itself. So what is kept is the same at any width.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence

from csro_core.errors import CsroError
from csro_core.policies.source import sha256
from csro_core.sandbox import usage

EPISODES_A_PROCESS = 64
"""Most episodes that one process plays in lockstep. Even, so that both seats occur alike."""
NARROWER = 8
"""Where the episodes of a process were too many, so many times fewer are tried, and then one: what was played in vain
costs at most twice what is kept."""

_MOST_ROOM = 2 << 30
_SPARE_ROOM = 64 << 20
_USUAL_LIMIT = 256 << 20
_REMEMBERED = 4_096


class Crowded(CsroError):
    """Several episodes in one process came near a limit of one, or ended it: nobody is blamed, all is played again.

    Attributes:
        policy: 0 or 1, which policy of the job.
        hopeless: True where this system cannot tell, so that one episode a process is all that is possible.
    """

    def __init__(self, policy: int, reason: str, hopeless: bool = False) -> None:
        """Keeps what happened."""
        super().__init__(reason)
        self.policy = policy
        self.hopeless = hopeless


class Widths:
    """What is known of how many episodes of a text fit into a process. Safe to use from several threads.

    It saves time only: results are equal whatever is known.

    Attributes:
        room_bytes: memory that a process of several episodes may take, 0 where the machine is too small for that.
    """

    def __init__(self, workers: int = 1, most: int = EPISODES_A_PROCESS) -> None:
        """Knows nothing yet.

        Args:
            workers: matches that are played at the same time; the machine may play more, one for each core.
            most: episodes that any process plays, >= 1.
        """
        self.room_bytes = _room(usage.machine_bytes() // max(workers, os.cpu_count() or 1))
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[str, int] = OrderedDict()

    def start(self, texts: Sequence[str], memory_bytes: int) -> int:
        """Returns how many episodes a process of these texts shall play.

        Args:
            texts: of the policies that meet; all of their processes play the same episodes.
            memory_bytes: what one episode may use.
        """
        if self.room_bytes < least_room(memory_bytes):
            return 1
        with self._lock:
            return min([self._most, *(self._known.get(sha256(text), self._most) for text in texts)])

    def narrower(self, crowded: Crowded, texts: Sequence[str], width: int, last: bool) -> int:
        """Returns how many episodes to try next, and remembers it.

        Args:
            crowded: what happened.
            texts: of the policies of the job.
            width: how many episodes there were.
            last: True where it happened before to this job.
        """
        fewer = 1 if last or crowded.hopeless else max(1, width // NARROWER)
        with self._lock:
            if crowded.hopeless:
                self._most = 1
                return 1
            key = sha256(texts[crowded.policy])
            self._known[key] = min(fewer, self._known.pop(key, fewer))
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return fewer


def least_room(memory_bytes: int) -> int:
    """Returns the room that a process of several episodes needs.

    An allocation that fails in it is larger than the limit of one episode, so it fails alone too, or the process has
    passed that limit already. The spare part is for what the process had and gave back.
    """
    return 2 * memory_bytes + _SPARE_ROOM


def _room(share: int) -> int:
    """Returns the room of a process where a match has this share of the machine: a quarter if that is enough."""
    least = least_room(_USUAL_LIMIT)
    return 0 if share < 2 * least else max(least, min(_MOST_ROOM, share // 4))
