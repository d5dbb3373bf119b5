import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { isComplete, prepareCell } from "./cell.ts";
import { tokenizePerl } from "./tokens.ts";

function source(code: string): string {
  return prepareCell(code).source;
}

Deno.test("variables of the top level become the package's", () => {
  strictEqual(source("my $x = 1;"), "our $x = 1;");
  strictEqual(source("my ($x, @y) = f();"), "our ($x, @y) = f();");
  strictEqual(
    source("my ($x, undef, $y) = f();"),
    " (our $x, undef, our $y) = f();",
  );
  strictEqual(
    source('open(my $fh, "<", "a") or die;'),
    '($::fh) = (); open(our $fh, "<", "a") or die;',
  );
  strictEqual(source("(my $x = $y) =~ s/a/b/;"), "(our $x = $y) =~ s/a/b/;");
  strictEqual(source("my sub f { 1 }"), "   sub f { 1 }");
  deepStrictEqual(prepareCell("my $x = 1; my (@y, %z); our $w;").names, [
    "$x",
    "@y",
    "%z",
    "$w",
  ]);
});

Deno.test("what is declared within a statement is emptied before it", () => {
  strictEqual(
    source("f();\nread F, my $x, 3;"),
    "f();\n($::x) = (); read F, our $x, 3;",
  );
  strictEqual(
    source("sub f { 1 }\nopendir my $d, '.';"),
    "sub f { 1 }\n($::d) = (); opendir our $d, '.';",
  );
});

Deno.test("a declaration without a value empties the variable, in the same line", () => {
  strictEqual(source("my $x;\nmy @l"), "our ($x) = ();\nour (@l) = ()");
  strictEqual(source("my (\n$x,\n$y);\nf()"), "our ($x, $y) = ()\n\n;\nf()");
});

Deno.test("variables of blocks, of loops and of other packages stay what they are", () => {
  const same = [
    "sub f { my $x = shift; $x }",
    "for my $i (1..3) { my $y = $i }",
    "while (my $line = <STDIN>) { print $line }",
    "for (my $i = 0; $i < 3; $i++) { }",
    "if ((my $n = f()) > 2) { print $n }",
    "package P;\nmy $hidden = 1;",
    "my_function(); $h{my} = 1; $o->my; %h = (my => 2);",
  ];
  for (const code of same) strictEqual(source(code), code);
  strictEqual(
    source("package P { my $x }\nmy $y = 1"),
    "package P { my $x }\nour $y = 1",
  );
});

Deno.test("what looks like code in strings, comments, documentation and heredocs is left alone", () => {
  const same = [
    "print 'my $x;', \"my $y\", q{my $z; {}}, qq(my (nested) $a);",
    "# my $x = 1;\n1;",
    "=pod\n\nmy $x = 1;\n\n=cut\n1;",
    "print <<EOT;\nmy $x = 1;\nEOT\n1;",
    "print <<~'EOT', <<X;\n  my $x = {;\n  EOT\nmy $y\nX\n1;",
    "$_ =~ s/my $x/my $y/g; tr/my a/b/; m{my $x};",
    "$x = $y / 2; $z = 'my $q' / 3;",
    "1;\n__END__\nmy $x = 1;",
  ];
  for (const code of same) strictEqual(source(code), code);
  strictEqual(prepareCell("1;\n__DATA__\na\nb\n").data, "a\nb\n");
});

Deno.test("the last statement decides how its value is shown", () => {
  const kinds = {
    "1 + 1": "auto",
    "$x;": "auto",
    "@list": "list",
    "%hash;": "hash",
    "(1, 2)": "list",
    "(1 + 2) * 3": "auto",
    "print 1": "none",
    "print -s 'a.txt', 1; scalar @l": "auto",
    "$x = 5;": "none",
    "$x == 5": "auto",
    "$h{a} += 1": "none",
    "my $x = 5": "none",
    "sub f { 1 }": "none",
    "sub f { 1 } f(2)": "auto",
    "for (1..3) { print }\n$x": "auto",
    "f(a => 1)": "auto",
    "sub { 1 }": "auto",
    "if (1) { 2 } else { 3 }": "none",
    "": "none",
  };
  for (const [code, kind] of Object.entries(kinds)) {
    strictEqual(prepareCell(code).kind, kind, code);
  }
});

Deno.test("code that goes on is distinguished from code that is whole or wrong", () => {
  const states = {
    "1 + 1": "complete",
    "sub f {": "incomplete",
    'print "abc': "incomplete",
    "print <<EOT;\nabc": "incomplete",
    "f(1, [2": "incomplete",
    "}": "invalid",
    "$x{a}{b} / 2; $y = $h->{c} / 3;": "complete",
    "my @a = map { $_ / 2 } grep { /x{2}/ } @b;": "complete",
    "${ \\ 'a' } . \"@{[ 1 ]}\" . $#{$x} . $#x . $$ . $0": "complete",
    "s{a}{b}g; y/a/b/; q(a(b)c); $x{q}; $x{s} = 1; $s{y}": "complete",
  };
  for (const [code, state] of Object.entries(states)) {
    strictEqual(isComplete(tokenizePerl(code)), state, code);
  }
});

Deno.test("deep nesting takes no more than its length", () => {
  strictEqual(isComplete(tokenizePerl("(".repeat(200_000))), "incomplete");
});
