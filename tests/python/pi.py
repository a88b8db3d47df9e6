# SPDX-License-Identifier: BSD-3-Clause
"""Pi by the midpoint rule, the parts sent to rank 0 as pickled objects, checked by a reduction of buffers."""
import array
import math
import pickle

import minimpi

STEPS = 10000
rank, size = minimpi.rank()
part = sum(4 / (1 + ((i + 0.5) / STEPS) ** 2) for i in range(rank, STEPS, size)) / STEPS
if rank == 0:
    found = [{"rank": 0, "part": part}] + [pickle.loads(minimpi.receive(other)) for other in range(1, size)]
    assert [one["rank"] for one in found] == list(range(size))
    print("pi", abs(sum(one["part"] for one in found) - math.pi) < 1e-8)
else:
    minimpi.send(pickle.dumps({"rank": rank, "part": part}), 0)
total = array.array("d", [part, rank])
minimpi.allreduce(total)
assert abs(total[0] - math.pi) < 1e-8 and total[1] == size * (size - 1) / 2
print("calls of", rank, minimpi.calls())
