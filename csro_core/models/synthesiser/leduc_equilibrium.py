"""An approximate equilibrium of one hand of Leduc poker, short enough to stand inside a policy.

The table is the reference policy `leduc_cfr_plus` (10,000 iterations of CFR+), rounded to whole percents. Only the
model `synthesiser:equilibrium` may write it: with it, the solution of one hand is given and not found.
"""

TABLE = '''\
HANDS = "JJ JQ JK QJ QQ QK KJ KQ KK".split()  # own card and board
# Actions of round 1 / round 2 (none before the board) -> fold, call, raise or percent fold:percent raise, for J Q K
# or for each of HANDS.
TABLE = {
    "": "0:7 0:74 0:75", "c": "0:30 0:85 r", "r": "82:6 0:37 0:58", "cr": "95:2 0:15 0:68", "rr": "c c c",
    "crr": "c c c", "cc/": "0:9 0:19 0:8 c 0:52 0:58 c c r", "cc/c": "r 0:7 0:1 c r 0:31 0:1 0:1 r",
    "cc/r": "0:65 96:4 f f 0:92 27:0 94:1 17:4 1:95", "cc/cr": "0:79 f f f 0:80 0:35 f 58:0 0:99",
    "cc/rr": "c f f 99:0 c 9:0 54:0 60:0 c", "cc/crr": "c f f 97:0 c c 18:0 17:0 c",
    "rc/": "r r r 0:1 0:49 0:44 0:8 c 0:81", "rc/c": "r r 0:38 c r 0:38 0:44 c r",
    "rc/r": "r f 63:37 98:2 0:78 69:0 25:2 70:0 r", "rc/cr": "r 91:9 22:78 f r 47:0 c 51:0 r",
    "rc/rr": "c f f f c 80:0 69:0 50:0 c", "rc/crr": "c f f 98:0 c f 29:0 65:0 c",
    "crc/": "r 0:99 0:3 0:3 0:99 0:1 c 0:88 0:9", "crc/c": "r 0:38 0:56 0:54 r 0:26 0:14 0:37 r",
    "crc/r": "r 86:14 99:1 f r 56:0 26:0 58:0 r", "crc/cr": "r r f f r 44:0 c 45:0 r",
    "crc/rr": "c f f f c f 23:0 f c", "crc/crr": "c f f f c f c 95:0 c",
    "rrc/": "r 0:12 0:56 c r 0:13 0:8 0:72 0:54", "rrc/c": "r c r c r 0:43 0:42 0:52 r",
    "rrc/r": "r 57:43 69:31 f r 50:0 8:4 38:9 0:70", "rrc/cr": "r f r f r 71:0 c c r",
    "rrc/rr": "c f f 98:0 c f 56:0 61:0 c", "rrc/crr": "c f f 50:0 c 95:0 7:0 52:0 c",
    "crrc/": "r c r 0:1 c r 0:7 c r", "crrc/c": "r 0:3 0:52 c r 0:13 0:50 0:62 r",
    "crrc/r": "r 89:11 79:21 98:2 0:62 72:0 19:5 33:7 0:71", "crrc/cr": "r 80:20 1:98 f r 26:6 c 31:0 r",
    "crrc/rr": "c 98:0 f f c f 61:0 51:0 c", "crrc/crr": "c f f 49:0 c 45:0 25:0 61:0 c",
}
'''
