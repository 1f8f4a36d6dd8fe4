from itertools import accumulate, chain, combinations, compress, count, cycle, dropwhile, groupby, islice, permutations
from itertools import pairwise, product, repeat, starmap, takewhile, tee, zip_longest
import bisect, heapq, statistics
class Policy:
    def act(self, obs):
        h = list(chain([0], obs["opponent_history"][-40:]))
        runs = [(k, len(list(g))) for k, g in groupby(h)]
        moves = [b - a for a, b in pairwise(h)]
        total = list(accumulate(h, initial=0))[-1]
        a, b = tee(h)
        extra = sum(islice(a, 3)) + sum(starmap(pow, [(2, 2)])) + len(list(product(range(2), repeat=2)))
        extra += sum(compress([1, 2], [1, 0])) + next(count(5)) + len(list(permutations("ab"))) + next(cycle([1]))
        extra += sum(takewhile(lambda x: x < 2, [1, 2])) + sum(dropwhile(lambda x: x < 2, [1, 2])) + sum(repeat(1, 2))
        extra += len(list(combinations(range(3), 2))) + len(list(zip_longest([1], [1, 2], fillvalue=0)))
        heap = []
        for k, n in runs[-5:]:
            heapq.heappush(heap, (-n, k))
        best = heapq.heappop(heap)[1] + heapq.nlargest(1, h)[0]
        ladder = [0, 10, 20]
        bisect.insort(ladder, total)
        mid = statistics.median(h) + statistics.fmean(h) + bisect.bisect_left(ladder, 15)
        try:
            statistics.mode([])
        except statistics.StatisticsError:
            mid += 1
        return int(best + mid + extra + sum(moves)) % 3
