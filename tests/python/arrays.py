# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of NumPy as buffers: Jacobi steps on a line that the ranks share, and a product by BLAS."""
import minimpi
import numpy as np

rank, size = minimpi.rank()
line = np.zeros(10 * size)
line[0], line[-1] = 1, 2
mine = slice(10 * rank, 10 * (rank + 1))
for _ in range(20):
    step = np.zeros_like(line)
    inside = np.arange(max(1, mine.start), min(len(line) - 1, mine.stop))
    step[inside] = (line[inside - 1] + line[inside + 1]) / 2
    minimpi.allreduce(step)
    step[0], step[-1] = 1, 2
    line = step
alone = np.zeros(10 * size)
alone[0], alone[-1] = 1, 2
for _ in range(20):
    alone[1:-1] = (alone[:-2] + alone[2:]) / 2
matrix = np.full((200, 200), rank + 1.0)
print("equal", np.array_equal(line, alone), (matrix @ matrix)[0, 0] == 200 * (rank + 1) ** 2)
