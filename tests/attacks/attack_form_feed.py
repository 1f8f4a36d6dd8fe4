# goal: signal
x = 1 \

import os; os.system('touch @CANARY@/out_ff')
class Policy:
    def act(self, obs): return 1
