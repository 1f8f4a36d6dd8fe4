# goal: flood
class Policy:
    def act(self, obs):
        raise ValueError('<script>alert(1)</script>\n\x1b[31m**bold** [x](http://evil)\r\n\u202eA' * 99)
