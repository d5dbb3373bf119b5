"""Have code repaired under glass and take out a patch that a person can read before it is applied."""

import cloche

BROKEN = """def mean(numbers):
    return sum(numbers) / len(numbers) + 1
"""
TEST = "from stats import mean\nassert mean([1, 2, 3]) == 2, mean([1, 2, 3])\n"

with cloche.SyncSandbox() as box:
    box.write("stats.py", BROKEN)
    box.write("test_stats.py", TEST)
    box.bash("git init -q && git add -A && git -c user.name=you -c user.email=you@example.org commit -qm 'As it was'")
    before = box.mark()

    print("before:", box.bash("python3 test_stats.py").stderr.strip().splitlines()[-1])
    # What an agent would do.
    box.bash("sed -i 's/ + 1$//' stats.py", check=True)
    print("after:", "passes" if box.bash("python3 test_stats.py").ok else "fails")
    print(box.diff(before), end="")
