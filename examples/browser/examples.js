/** What the page shows first in each language. */

export const EXAMPLES = {
  python: 'import statistics\nopen("numbers.txt", "w").write("3 1 4 1 5 9 2 6")\nstatistics.mean([3, 1, 4, 1, 5])',
  bash: "ls -l\nfor i in 1 2 3; do echo line $i; done | tac",
  javascript: "const squares = [1, 2, 3].map((n) => n * n);\nconsole.log(squares);\nsquares.length",
  typescript: "type Point = { x: number; y: number };\nconst p: Point = { x: 3, y: 4 };\nMath.hypot(p.x, p.y)",
  ruby: "puts (1..5).map { |n| n ** 2 }.inspect\nRUBY_VERSION",
  php: 'echo "Hello from PHP ", PHP_VERSION, "\\n";\narray_sum([1, 2, 3])',
  lua: 'for i = 1, 3 do print("line " .. i) end\nreturn _VERSION',
  r: "x <- c(3, 1, 4, 1, 5)\nprint(summary(x))\nplot(x)\nmean(x)",
  perl: 'print join(", ", sort { $a <=> $b } 3, 1, 2), "\\n";\n6 * 7',
  scheme: '(define (f n) (if (= n 0) 1 (* n (f (- n 1)))))\n(display "30! is ")\n(f 30)',
  sql:
    "create table if not exists t (name text, n integer);\ninsert into t values ('a', 1), ('b', 2);\nselect * from t;",
};
