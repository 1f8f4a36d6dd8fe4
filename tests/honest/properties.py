class Memory:
    def __init__(self, size=5):
        self.__size = size
        self.__items = []

    @property
    def items(self):
        return tuple(self.__items)

    @property
    def size(self): return self.__size

    @size.setter
    def size(self, value):
        if value < 1:
            raise ValueError(f"size must be >= 1, got {value}")
        self.__size = value
        del self.__items[:-value]

    def push(self, item):
        self.__items.append(item)
        self.size = self.__size
        return self

class LongMemory(Memory):
    def __init__(self):
        super().__init__(3)
        self.__size = 99

    @property
    def other(self):
        return self.__size

class Policy:
    def __init__(self):
        self.memory = LongMemory()

    def act(self, obs):
        if obs["opponent_history"]:
            self.memory.push(obs["opponent_history"][-1])
        assert len(self.memory.items) <= 3 and self.memory.other == 99 and self.memory.size == 3
        return (sum(self.memory.items) + 1) % 3
