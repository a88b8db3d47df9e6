# SPDX-License-Identifier: BSD-3-Clause
"""Files of samples as tests make and change them."""

HEADER, COLUMNS, END = '# mpisim-calibration 1', 'probe,where,x,y,value', '# end: '


def is_sample(line):
    return ',' in line and line[0] != '#' and line != COLUMNS


def write(path, lines):
    """With a last line that tells how many samples there are, instead of the one that may be there."""
    lines = [line for line in lines if not line.startswith(END)]
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(line + '\n' for line in [*lines, f'{END}{sum(map(is_sample, lines))} samples'])
