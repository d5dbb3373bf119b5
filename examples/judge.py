"""Judge a program nobody has read: run it against cases, with a limit of time and memory."""

import cloche

PROGRAM = "n = int(input())\nprint(n * n if n < 3 else 'no idea')"
CASES = [("1", "1"), ("2", "4"), ("3", "9"), ("x", "?")]

with cloche.SyncSandbox(timeout=2, memory_mb=256) as box:
    box.write("program.py", PROGRAM)
    for given, wanted in CASES:
        result = box.bash("python3 program.py", stdin=given + "\n")
        said = result.stdout.strip() or (result.stderr.strip().splitlines() or ["nothing"])[-1]
        print(f"{given} -> {said}: {'right' if said == wanted else 'wrong'}")
