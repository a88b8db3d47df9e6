# SPDX-License-Identifier: BSD-3-Clause
"""A folder with programs/waits.c and the times of its kernels, which tests share whose arguments begin with BIN_DIR SOURCE_DIR."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, paths  # noqa: E402  (the folder above)

BIN, HERE = paths(2)
KERNELS = ["before", "after", "between", "sender", "receiver", "step", "all", "one"]


class Waits(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "kernels.bench").write_text("# mpisim-bench 1\n" + "".join(f"model,{k},p1\n" for k in KERNELS))
        cls.made(BIN / "mpisim-cc", "-g", HERE / "programs" / "waits.c", "-o", cls.dir / "waits")
