# -*- coding: utf-8 -*-
"""Δοκιμή — naïve café ☕."""
größe = 3
class Häufigkeit:
    def __init__(self): self.zähler = {é: 0 for é in range(größe)}
    def nächster(self, h):
        for é in h[-1:]: self.zähler[é] += 1
        return max(self.zähler, key=lambda é: self.zähler[é])
class Policy:
    def __init__(self): self.häufig = Häufigkeit()
    def act(self, obs):
        π = self.häufig.nächster(obs["opponent_history"])
        名前 = "石紙鋏"[π]
        return ("石紙鋏".index(名前) + 1) % 3
