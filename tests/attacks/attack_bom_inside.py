# goal: signal
﻿import os
class Policy:
    def act(self, obs): return 1
