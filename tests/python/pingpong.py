# SPDX-License-Identifier: BSD-3-Clause
"""Bytes there and back; rank 0 prints the time of one way."""
import minimpi

ROUNDS, SIZE_B = 10, 1000
rank, _ = minimpi.rank()
begin_s = minimpi.time()
for _ in range(ROUNDS):
    if rank == 0:
        minimpi.send(bytes(SIZE_B), 1)
        minimpi.receive(1)
    else:
        minimpi.send(minimpi.receive(0), 0)
if rank == 0:
    print((minimpi.time() - begin_s) / (2 * ROUNDS))
