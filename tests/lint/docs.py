# SPDX-License-Identifier: BSD-3-Clause
"""README.md and docs/ stay short: words in all, lines of README.md, length of sentences, number and length of decisions. Their links lead somewhere.

Pages that are generated from tables of functions do not count.
"""
import os
import re

import common

GENERATED = {"docs/mpi-functions.md"}
MOST_WORDS = 40000
SENTENCE = 40
README_LINES = 120
DECISIONS, DECISION_WORDS, DECISION_LINES = 30, 350, 60


def pages(root):
    """{path: text} of the pages that count."""
    paths = [path for path in common.tracked_files(root) if path == "README.md" or re.fullmatch(r"docs/.*\.md", path)]
    return {path: common.read_text(root, path) for path in paths if path not in GENERATED}


def paragraphs(text):
    """[(line, text)]: what is neither a table nor code. A list's items are paragraphs."""
    found, start, lines, code = [], 0, [], False
    for number, line in enumerate(text.splitlines() + [""], 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            code = not code
        ends = code or not stripped or stripped[0] in "|#" or stripped.startswith(("```", "<!--")) or re.match(r"([*-]|\d+\.) ", stripped)
        if ends and lines:
            found.append((start, " ".join(lines)))
            lines = []
        if not code and stripped and stripped[0] not in "|#" and not stripped.startswith(("```", "<!--")):
            if not lines:
                start = number
            lines.append(stripped)
    return found


def words_of(sentence):
    """A piece of code is one word; of a link its text counts."""
    sentence = re.sub(r"`[^`]*`", "code", sentence)
    sentence = re.sub(r"\]\([^)]*\)", "]", sentence)
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def sentences(text):
    return re.split(r"(?<=[.!?])[*)\"”]*\s+(?=[^a-z])", text)


def anchors(text):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", re.sub(r"\]\([^)]*\)", "]", heading).lower()).replace(" ", "-") for heading in headings}


def dead_links(root, path, text):
    """Links that lead to no file or heading of the tree."""
    for number, line in enumerate(text.splitlines(), 1):
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            name, _, anchor = link.partition("#")
            if "://" in link:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            exists = os.path.exists(os.path.join(root, target))
            if not exists or anchor and anchor not in anchors(common.read_text(root, target) or ""):
                yield f"{path}:{number}: the link {link} leads nowhere"


def lint_page(path, text):
    for line, paragraph in paragraphs(text):
        for sentence in sentences(paragraph):
            n = words_of(sentence)
            if n > SENTENCE:
                yield f"{path}:{line}: a sentence of {n} words, wanted at most {SENTENCE}: {sentence[:60]}"
    if path.startswith("docs/decisions/"):
        n_words, n_lines = len(text.split()), len(text.splitlines())
        if n_words > DECISION_WORDS or n_lines > DECISION_LINES:
            yield f"{path}:1: a decision of {n_words} words and {n_lines} lines, wanted at most {DECISION_WORDS} and {DECISION_LINES}"
    if path == "README.md" and len(text.splitlines()) > README_LINES:
        yield f"README.md:{len(text.splitlines())}: wanted at most {README_LINES} lines"


def lint(root):
    found = pages(root)
    complaints = [complaint for path, text in found.items() for complaint in lint_page(path, text)]
    complaints += [complaint for path, text in found.items() for complaint in dead_links(root, path, text)]
    n = sum(len(text.split()) for text in found.values())
    if n > MOST_WORDS:
        complaints.append(f"docs:1: {n} words in README.md and docs, wanted at most {MOST_WORDS}")
    decisions = [path for path in found if path.startswith("docs/decisions/")]
    if len(decisions) > DECISIONS:
        complaints.append(f"docs/decisions:1: {len(decisions)} decisions, wanted at most {DECISIONS}")
    return complaints


LONG = "Word " + "word " * 40 + "end.\n"
GOOD = {
    "README.md": "# Name\n\n" + "word " * 30 + "end. " + "Word " * 30 + "end.\n",
    "docs/a.md": "| " + LONG[:-1] + " |\n\n```\n" + LONG + "```\n* " + "word " * 25 + "\n* " + "word " * 25 + "\n`" + LONG[:-1] + "`\n",
    "docs/c.md": "# A *word*: `--and` code\n[c](#a-word---and-code) [a](a.md) [c](../README.md#name) [far](https://host/x)\n",
    "docs/mpi-functions.md": LONG * 1000,
    "other.md": LONG,
}
PLANTED = [
    ({"docs/b.md": "# Head\n\nShort.\n" + LONG}, "docs/b.md:3: a sentence of 42 words"),
    ({"docs/b.md": "# Head\n\n[x](none.md)\n"}, "docs/b.md:3: the link none.md"),
    ({"docs/b.md": "# Head\n\n[x](c.md#head)\n"}, "docs/b.md:3: the link c.md#head"),
    ({"README.md": "# Name\n" + "\n" * 120}, "README.md:121"),
    ({"docs/b.md": "Word.\n" * 40001}, "docs:1: "),
    ({"docs/decisions/1.md": "Word.\n\n" * 31}, "docs/decisions/1.md:1"),
    ({"docs/decisions/1.md": "Word. " * 351}, "docs/decisions/1.md:1"),
    ({f"docs/decisions/{n}.md": "Word.\n" for n in range(31)}, "docs/decisions:1: 31"),
]

if __name__ == "__main__":
    common.main(lint, GOOD, PLANTED)
