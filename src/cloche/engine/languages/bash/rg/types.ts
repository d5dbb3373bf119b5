/** The kinds of files that `-t` knows, by the patterns of their names. */

const KNOWN = `
ada: *.adb *.ads
asciidoc: *.adoc *.asc *.asciidoc
asm: *.asm *.s *.S
awk: *.awk
bazel: *.bazel *.bzl BUILD WORKSPACE
c: *.[chH] *.[chH].in *.cats
cbor: *.cbor
clojure: *.clj *.cljc *.cljs *.cljx
cmake: *.cmake CMakeLists.txt
config: *.cfg *.conf *.config *.ini
cpp: *.[ChH] *.cc *.[ch]pp *.[ch]xx *.hh *.inl
cs: *.cs
csharp: *.cs
css: *.css *.scss
csv: *.csv
cython: *.pyx *.pxd *.pxi
d: *.d
dart: *.dart
diff: *.patch *.diff
docker: *Dockerfile*
elixir: *.ex *.eex *.exs
elm: *.elm
erlang: *.erl *.hrl
fish: *.fish
fortran: *.f *.F *.f77 *.F77 *.f90 *.F90 *.f95 *.F95
fsharp: *.fs *.fsx *.fsi
go: *.go
gradle: *.gradle
graphql: *.graphql *.graphqls
groovy: *.groovy *.gradle
h: *.h *.hh *.hpp
haskell: *.hs *.lhs *.cpphs *.c2hs *.hsc
hs: *.hs *.lhs
html: *.htm *.html *.ejs
java: *.java *.jsp *.jspx *.properties
jinja: *.j2 *.jinja *.jinja2
js: *.js *.jsx *.vue *.cjs *.mjs
json: *.json composer.lock *.sarif
jsonl: *.jsonl
julia: *.jl
jupyter: *.ipynb *.jpynb
kotlin: *.kt *.kts
less: *.less
lisp: *.el *.jl *.lisp *.lsp *.sc *.scm
lock: *.lock package-lock.json
log: *.log
lua: *.lua
make: [Gg][Nn][Uu]makefile [Mm]akefile *.mk *.mak
markdown: *.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx
md: *.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx
nix: *.nix
objc: *.h *.m
ocaml: *.ml *.mli *.mll *.mly
perl: *.perl *.pl *.PL *.plh *.plx *.pm *.t
php: *.php *.php3 *.php4 *.php5 *.phtml
pod: *.pod
protobuf: *.proto
ps: *.cdxml *.ps1 *.ps1xml *.psd1 *.psm1
puppet: *.epp *.erb *.pp *.rb
py: *.py
python: *.py
r: *.R *.r *.Rmd *.Rnw
readme: README* *README
rst: *.rst
ruby: *.rb Gemfile *.gemspec .irbrc Rakefile config.ru
rust: *.rs
sass: *.sass *.scss
scala: *.scala *.sbt
sh: *.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login .bash_logout .bash_profile .bashrc .profile .zshrc
sql: *.sql *.psql
svelte: *.svelte
svg: *.svg
swift: *.swift
tcl: *.tcl
tex: *.tex *.ltx *.cls *.sty *.bib *.dtx *.ins
tf: *.tf *.auto.tfvars terraform.tfvars
toml: *.toml Cargo.lock
ts: *.ts *.tsx *.cts *.mts
txt: *.txt
typescript: *.ts *.tsx *.cts *.mts
vim: *.vim
vue: *.vue
xml: *.xml *.xml.dist *.dtd *.xsl *.xslt *.xsd *.xjb *.rng *.sch *.xhtml
yaml: *.yaml *.yml
zig: *.zig
`;

/** Each kind with its patterns. */
export function knownTypes(): Map<string, string[]> {
  return new Map(
    KNOWN.trim().split("\n").map((line) => {
      const [name, globs] = line.split(": ");
      return [name, globs.split(" ")];
    }),
  );
}
