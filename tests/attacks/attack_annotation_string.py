# goal: signal
from typing import NamedTuple, Optional
from dataclasses import dataclass
class N(NamedTuple):
    x: "__import__('os').system('touch @CANARY@/out_ann')" = 1
@dataclass
class D:
    y: "Optional[open('@CANARY@/out_ann', 'w')]" = 1
class Policy:
    def act(self, obs): return 1
