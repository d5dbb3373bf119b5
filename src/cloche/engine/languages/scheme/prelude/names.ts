/** The names of the libraries that come with the interpreter. */

const BASE = `
* + - / < <= = > >= _ ... => abs and append apply assoc assq assv begin binary-port? boolean=? boolean? bytevector
bytevector-append bytevector-copy bytevector-copy! bytevector-length bytevector-u8-ref bytevector-u8-set! bytevector?
caar cadr call-with-current-continuation call-with-port call-with-values call/cc car case cdar cddr cdr ceiling
char->integer char-ready? char<=? char<? char=? char>=? char>? char? close-input-port close-output-port close-port
complex? cond cond-expand cons current-error-port current-input-port current-output-port define define-record-type
define-syntax define-values denominator do dynamic-wind else eof-object eof-object? eq? equal? eqv? error
error-object-irritants error-object-message error-object? even? exact exact-integer-sqrt exact-integer? exact? expt
features file-error? floor floor-quotient floor-remainder floor/ flush-output-port for-each gcd get-output-bytevector
get-output-string guard if include include-ci inexact inexact? input-port-open? input-port? integer->char integer?
lambda lcm length let let* let*-values let-syntax let-values letrec letrec* letrec-syntax list list->string
list->vector list-copy list-ref list-set! list-tail list? make-bytevector make-list make-parameter make-string
make-vector map max member memq memv min modulo negative? newline not null? number->string number? numerator odd?
open-input-bytevector open-input-string open-output-bytevector open-output-string or output-port-open? output-port?
pair? parameterize peek-char peek-u8 positive? procedure? quasiquote quote quotient raise raise-continuable rational?
rationalize read-bytevector read-bytevector! read-char read-error? read-line read-string read-u8 real? remainder
reverse round set! set-car! set-cdr! square string string->list string->number string->symbol string->utf8
string->vector string-append string-copy string-copy! string-fill! string-for-each string-length string-map string-ref
string-set! string<=? string<? string=? string>=? string>? string? substring symbol->string symbol=? symbol?
syntax-error syntax-rules textual-port? truncate truncate-quotient truncate-remainder truncate/ u8-ready? unless
unquote unquote-splicing utf8->string values vector vector->list vector->string vector-append vector-copy vector-copy!
vector-fill! vector-for-each vector-length vector-map vector-ref vector-set! vector? when with-exception-handler
write-bytevector write-char write-string write-u8 zero?`;

const CXR = `
caaaar caaadr caaar caadar caaddr caadr cadaar cadadr cadar caddar cadddr caddr cdaaar cdaadr cdaar cdadar cdaddr
cdadr cddaar cddadr cddar cdddar cddddr cdddr`;

const CHAR = `
char-alphabetic? char-ci<=? char-ci<? char-ci=? char-ci>=? char-ci>? char-downcase char-foldcase char-lower-case?
char-numeric? char-upcase char-upper-case? char-whitespace? digit-value string-ci<=? string-ci<? string-ci=?
string-ci>=? string-ci>? string-downcase string-foldcase string-upcase`;

const LISTS = `
cons cons* make-list list-tabulate list-copy iota first second third fourth fifth take drop take-right drop-right
split-at last last-pair length append append! concatenate reverse reverse! append-reverse zip unzip2 count map for-each
append-map filter-map fold fold-right reduce reduce-right unfold unfold-right filter partition remove find find-tail
any every list-index take-while drop-while span break member delete delete-duplicates assoc alist-copy alist-delete
lset-adjoin lset-union lset-intersection lset-difference car cdr caar cadr cddr caddr cdddr null? pair? list
set-car! set-cdr! memq memv assq assv list-ref`;

const STRINGS = `
string? string-null? string-every string-any make-string string string-tabulate string-length string-ref substring
string-take string-drop string-take-right string-drop-right string-pad string-pad-right string-trim string-trim-left
string-trim-right string-trim-both string-index string-index-right string-skip string-count string-prefix?
string-suffix? string-contains string-upcase string-downcase string-append string-concatenate string-join
string-reverse string-fold string-for-each string-map string-filter string-delete string-remove string-split
string-replace-all string-copy string-set! string-fill! string->list list->string`;

const TABLES = `
make-hash-table hash-table hash-table? alist->hash-table hash-table-ref hash-table-ref/default hash-table-set!
hash-table-delete! hash-table-contains? hash-table-exists? hash-table-update! hash-table-update!/default
hash-table-intern! hash-table-size hash-table-count hash-table-keys hash-table-values hash-table-walk
hash-table-for-each hash-table-map->list hash-table-fold hash-table->alist hash-table-copy hash-table-clear!
hash-table-merge! hash-table-union! hash-table-empty? hash-table-prune! make-equal-hash-table make-string-hash-table
make-eqv-hash-table make-eq-hash-table`;

const SORTING = "sort sort! list-sort vector-sort vector-sort! list-sorted?";
const LOADING = "load";
const BITS = "bitwise-and bitwise-or bitwise-xor bitwise-not arithmetic-shift";

const LIBRARIES: Record<string, string> = {
  "scheme base": BASE,
  "scheme case-lambda": "case-lambda",
  "scheme char": CHAR,
  "scheme complex": "angle imag-part magnitude make-polar make-rectangular real-part",
  "scheme cxr": CXR,
  "scheme eval": "environment eval",
  "scheme file": `call-with-input-file call-with-output-file delete-file file-exists? open-binary-input-file
    open-binary-output-file open-input-file open-output-file with-input-from-file with-output-to-file`,
  "scheme inexact": "acos asin atan cos exp finite? infinite? log nan? sin sqrt tan",
  "scheme lazy": "delay delay-force force make-promise promise?",
  "scheme load": LOADING,
  "scheme process-context": "command-line emergency-exit exit get-environment-variable get-environment-variables",
  "scheme read": "read",
  "scheme repl": "interaction-environment",
  "scheme time": "current-jiffy current-second jiffies-per-second",
  "scheme write": "display write write-shared write-simple",
  "scheme list": LISTS,
  "scheme hash-table": TABLES,
  "scheme sort": SORTING,
  "srfi 1": LISTS,
  "srfi 2": "and-let*",
  "srfi 8": "receive",
  "srfi 9": "define-record-type",
  "srfi 11": "let-values let*-values",
  "srfi 13": STRINGS,
  "srfi 16": "case-lambda",
  "srfi 23": "error",
  "srfi 26": "cut",
  "srfi 27": "random-integer random-real",
  "srfi 28": "format",
  "srfi 39": "make-parameter parameterize",
  "srfi 69": TABLES,
  "srfi 95": SORTING,
  "srfi 125": TABLES,
  "srfi 130": STRINGS,
  "srfi 132": SORTING,
  "srfi 145": "assert",
  "srfi 151": BITS,
  "cloche": `assert random sleep open-append-file read-lines string-split call-with-output-string
    with-output-to-string with-input-from-string current-time-millis cons-stream stream-car stream-cdr stream-pair?
    stream-null? the-empty-stream stream-head fluid-let named-lambda void generate-symbol exact-rational?
    vector-binary-search vector-count vector-index vector-fold vector-tabulate vector-swap! vector-reverse!`,
};

/** The libraries that come with the interpreter. */
export const BUILTIN = [...Object.keys(LIBRARIES), "scheme r5rs"];

export function namesOf(library: string): string[] | null {
  if (library === "scheme r5rs") {
    return ["scheme base", "scheme cxr", "scheme char", "scheme inexact"].flatMap((name) => namesOf(name) ?? []);
  }
  return Object.hasOwn(LIBRARIES, library) ? LIBRARIES[library].trim().split(/\s+/) : null;
}
