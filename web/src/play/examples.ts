/** What one can begin with in each language: the first is there when one opens Play. */

export interface Example {
  title: string;
  code: string;
}

export const EXAMPLES: Record<string, Example[]> = {
  python: [
    {
      title: "Numbers and a file",
      code: `import statistics

with open("numbers.txt", "w") as file:
    file.write("3 1 4 1 5 9 2 6")
numbers = [int(each) for each in open("numbers.txt").read().split()]
print(sorted(numbers))
statistics.mean(numbers)`,
    },
    { title: "Asking for input", code: `name = input("Your name? ")\nf"Hello, {name}!"` },
    {
      title: "A picture",
      code: `from IPython.display import SVG

bars = "".join(
    f'<rect x="{10 + 30 * at}" y="{100 - 10 * value}" width="24" height="{10 * value}" fill="#1c7350"/>'
    for at, value in enumerate([3, 1, 4, 1, 5, 9, 2, 6])
)
SVG(f'<svg xmlns="http://www.w3.org/2000/svg" width="260" height="110">{bars}</svg>')`,
    },
  ],
  bash: [
    { title: "Pipes", code: "for i in 1 2 3; do echo line $i; done | tac | tee lines.txt\nls -l" },
    { title: "Other languages", code: "seq 5 | python3 -c 'print(sum(map(int, open(0))))'" },
  ],
  javascript: [
    { title: "Squares", code: "const squares = [1, 2, 3].map((n) => n * n);\nconsole.log(squares);\nsquares.length" },
    {
      title: "Files",
      code: `const fs = require("fs");\nfs.writeFileSync("a.txt", "from JavaScript\\n");\nfs.readdirSync(".")`,
    },
  ],
  typescript: [
    {
      title: "Types",
      code: "type Point = { x: number; y: number };\nconst p: Point = { x: 3, y: 4 };\nMath.hypot(p.x, p.y)",
    },
  ],
  ruby: [{ title: "Squares", code: "puts (1..5).map { |n| n ** 2 }.inspect\nRUBY_VERSION" }],
  php: [{ title: "A sum", code: 'echo "Hello from PHP ", PHP_VERSION, "\\n";\narray_sum([1, 2, 3])' }],
  lua: [{ title: "Lines", code: 'for i = 1, 3 do print("line " .. i) end\nreturn _VERSION' }],
  r: [{ title: "A plot", code: "x <- c(3, 1, 4, 1, 5)\nprint(summary(x))\nplot(x)\nmean(x)" }],
  perl: [{ title: "Sorting", code: 'print join(", ", sort { $a <=> $b } 3, 1, 2), "\\n";\n6 * 7' }],
  scheme: [
    { title: "A factorial", code: '(define (f n) (if (= n 0) 1 (* n (f (- n 1)))))\n(display "30! is ")\n(f 30)' },
  ],
  sql: [
    {
      title: "A table",
      code:
        "create table if not exists t (name text, n integer);\ninsert into t values ('a', 1), ('b', 2);\nselect * from t;",
    },
  ],
};

/** A file that goes through several languages. */
export const CHAIN: { language: string; code: string }[] = [
  {
    language: "python",
    code: 'import random\nwith open("data.txt", "w") as file:\n    for _ in range(8):\n' +
      '        print(random.choice("abcd"), random.randint(1, 9), file=file)',
  },
  { language: "bash", code: "sort data.txt -o data.txt" },
  {
    language: "lua",
    code: "local sums = {}\nfor name, n in io.open('data.txt'):read('a'):gmatch('(%a) (%d)') do\n" +
      "  sums[name] = (sums[name] or 0) + n\nend\nlocal out = io.open('data.txt', 'w')\n" +
      "for name, n in pairs(sums) do out:write(name, ' ', n, '\\n') end\nout:close()",
  },
];
