/** What R7RS asks of numbers, text, lists and vectors, section by section. */

import { checkTable } from "./harness_test.ts";

checkTable(
  "exactness",
  String.raw`
(list (exact? 1) (exact? 1/2) (exact? 1.) (inexact? 1e3)) ;=> (#t #t #f #t)
(list (integer? 3.0) (integer? 8/4) (integer? 3.5) (rational? 6/10) (rational? +inf.0) (real? +nan.0) (complex? 1)) ;=> (#t #t #f #t #f #t #t)
(list (exact-integer? 32) (exact-integer? 32.0) (exact-integer? 32/5)) ;=> (#t #f #f)
(list (finite? 3) (finite? +inf.0) (infinite? -inf.0) (nan? +nan.0) (nan? 1)) ;=> (#t #f #t #t #f)
(list (+ 1 1.5) (* 2 0.5) (- 5.0 5) (/ 1 3) (/ 6 3) (/ 1.0 4)) ;=> (2.5 1.0 0.0 1/3 2 0.25)
(list (= 1 1.0) (eqv? 1 1.0) (equal? 1 1.0) (eqv? 0.0 -0.0) (= 0.0 -0.0) (eqv? +nan.0 +nan.0)) ;=> (#t #f #f #f #t #t)
(list (exact 2.5) (exact 3.0) (inexact 1/3) (exact 1e18) (inexact->exact 0.1)) ;=> (5/2 3 0.3333333333333333 1000000000000000000 3602879701896397/36028797018963968)
(list (max 1 2.0) (max 3 4 1) (min 1 2.0) (max 1/2 1/3)) ;=> (2.0 4 1.0 1/2)
(list (+) (*) (+ 5) (- 5) (/ 2) (/ 1/2)) ;=> (0 1 5 -5 1/2 2)
(list (= 1 1 1) (< 1 2 3) (< 1 3 2) (>= 3 3 2) (< 1/3 0.5) (= 1/3 .3333333333333333)) ;=> (#t #t #f #t #t #f)
(= (expt 2 70) (inexact (expt 2 70))) ;=> #t
(< (expt 10 400) +inf.0) ;=> #t
(exact +inf.0) ;=> !WrongType
(/ 5 0) ;=> !DivisionByZero
(/ 5. 0) ;=> !DivisionByZero
(/ 1 0.) ;=> +inf.0
(/ 0. 0.) ;=> +nan.0
(+ 1 "2") ;=> !WrongType
(< 1 'a) ;=> !WrongType
`,
);

checkTable(
  "integers",
  String.raw`
(list (quotient 17 5) (remainder -17 5) (modulo -17 5) (modulo 17 -5) (modulo -17 -5)) ;=> (3 -2 3 -3 -2)
(list (call-with-values (lambda () (floor/ 5 2)) list) (call-with-values (lambda () (floor/ -5 2)) list) (call-with-values (lambda () (floor/ 5 -2)) list) (call-with-values (lambda () (floor/ -5 -2)) list)) ;=> ((2 1) (-3 1) (-3 -1) (2 -1))
(list (call-with-values (lambda () (truncate/ 5 2)) list) (call-with-values (lambda () (truncate/ -5 2)) list) (call-with-values (lambda () (truncate/ -5.0 2)) list)) ;=> ((2 1) (-2 -1) (-2.0 -1.0))
(list (floor-quotient -7 2) (floor-remainder -7 2) (truncate-quotient -7 2) (truncate-remainder -7 2)) ;=> (-4 1 -3 -1)
(list (gcd 32 -36) (gcd) (lcm 32 -36) (lcm 32.0 -36) (lcm)) ;=> (4 0 288 288.0 1)
(list (numerator 6/4) (denominator 6/4) (denominator 0) (denominator 0.5) (numerator -3/9)) ;=> (3 2 1 2.0 -1)
(list (floor -4.3) (ceiling -4.3) (truncate -4.3) (round -4.3) (round 3.5) (round 2.5) (round 7/2) (round -5/2) (round 7)) ;=> (-5.0 -4.0 -4.0 -4.0 4.0 2.0 4 -2 7)
(list (floor -7/2) (ceiling -7/2) (truncate -7/2)) ;=> (-4 -3 -3)
(list (rationalize (exact .3) 1/10) (rationalize .3 1/10)) ;=> (1/3 0.3333333333333333)
(list (exact-integer-sqrt-list 17)) ;=> !UnboundVariable
(call-with-values (lambda () (exact-integer-sqrt 17)) list) ;=> (4 1)
(call-with-values (lambda () (exact-integer-sqrt (expt 10 40))) list) ;=> (100000000000000000000 0)
(call-with-values (lambda () (exact-integer-sqrt (- (expt 3 401) 1))) (lambda (s r) (= (+ (* s s) r) (- (expt 3 401) 1)))) ;=> #t
(list (expt 2 10) (expt 2 -2) (expt 0 0) (expt 2. 3) (expt 2 0.5) (expt 1/2 3) (expt 4 1/2)) ;=> (1024 1/4 1 8.0 1.4142135623730951 1/8 2)
(list (sqrt 16) (sqrt 1/4) (sqrt 2) (sqrt 16.0) (exact (floor (sqrt 17)))) ;=> (4 1/2 1.4142135623730951 4.0 4)
(sqrt -1) ;=> !NotSupported
(list (exp 0) (log 1) (sin 0) (atan 1 1) (exact (round (* 1000 (atan -1 -1))))) ;=> (1 0 0 0.7853981633974483 -2356)
(list (log 8 2) (log 100 10)) ;=> (3.0 2.0)
(list (square 1/2) (abs -7/3) (abs -0.0) (- 0.0)) ;=> (1/4 7/3 0.0 -0.0)
(list (even? 0) (odd? -1) (even? 2.0) (zero? -0.0) (positive? 1/2) (negative? -1e-300)) ;=> (#t #t #t #t #t #t)
(odd? 1.5) ;=> !WrongType
(modulo 5 0) ;=> !DivisionByZero
(* 99999999999 99999999999) ;=> 9999999999800000000001
(- (expt 2 53) 1) ;=> 9007199254740991
(+ 9007199254740991 1) ;=> 9007199254740992
(- (+ 9007199254740991 10) 10) ;=> 9007199254740991
(* -1 0) ;=> 0
(let fact ((n 30)) (if (= n 0) 1 (* n (fact (- n 1))))) ;=> 265252859812191058636308480000000
(quotient (expt 10 30) (expt 10 28)) ;=> 100
(modulo (- (expt 10 30)) 7) ;=> 6
(exact->inexact (/ (expt 10 400) (+ (expt 10 399) 1))) ;=> 10.0
(bitwise-and 12 10) ;=> 8
(list (bitwise-or 12 10) (bitwise-xor 12 10) (bitwise-not 5) (arithmetic-shift 1 70) (arithmetic-shift -5 -1)) ;=> (14 6 -6 1180591620717411303424 -3)
(expt 7 (expt 10 9)) ;=> !OutOfMemory
(make-rectangular 1 2) ;=> !NotSupported
`,
);

checkTable(
  "numbers as text",
  String.raw`
(list (number->string 255 16) (number->string -10 2) (number->string 1/3 3) (number->string 3.0) (number->string 1e21) (number->string 1e-7)) ;=> ("ff" "-1010" "1/10" "3.0" "1e21" "1e-7")
(list (string->number "100") (string->number "100" 16) (string->number "1e2") (string->number "#b101") (string->number "#xFF")) ;=> (100 256 100.0 5 255)
(list (string->number "1/2") (string->number "-1.5e-3") (string->number ".5") (string->number "5.") (string->number "+5")) ;=> (1/2 -0.0015 0.5 5.0 5)
(list (string->number "#e1.5") (string->number "#i1/2") (string->number "#e1e3") (string->number "#x#e-10") (string->number "#e#x10")) ;=> (3/2 0.5 1000 -16 16)
(list (string->number "+inf.0") (string->number "-inf.0") (string->number "+nan.0")) ;=> (+inf.0 -inf.0 +nan.0)
(list (string->number "") (string->number ".") (string->number "+") (string->number "-") (string->number "1/0") (string->number "abc") (string->number "1 2") (string->number "1e") (string->number "e1") (string->number "--1") (string->number "1.2.3") (string->number "#t")) ;=> (#f #f #f #f #f #f #f #f #f #f #f #f)
(list (string->number "constructor") (string->number "__proto__") (string->number "#") (string->number "#x")) ;=> (#f #f #f #f)
(list (round -0.4) (round 0.5) (round -0.5) (round -1.5) (truncate -0.4)) ;=> (-0.0 0.0 -0.0 -2.0 -0.0)
(list (string->number "12" 2) (string->number "zz" 36) (string->number "1.5" 16)) ;=> (#f 1295 #f)
'(1 -1 +1 1.50 -0.0 1e3 #e1.2 #b-101 - + ... 1+ -- +a .a) ;=> (1 -1 1 1.5 -0.0 1000.0 6/5 -5 - + ... 1+ -- +a .a)
123456789012345678901234567890 ;=> 123456789012345678901234567890
(list 1.0 100.0 1234567.125 0.1 1e100 123456789012345680000.0) ;=> (1.0 100.0 1234567.125 0.1 1e100 123456789012345680000.0)
`,
);

checkTable(
  "booleans, symbols and equality",
  String.raw`
(list #t #f #true #false '#t) ;=> (#t #f #t #f #t)
(list (not 3) (not #f) (not '()) (boolean? '()) (boolean=? #t #t #t)) ;=> (#f #t #f #f #t)
(list (eq? 'a 'A) (eq? '() '()) (eq? "" "") (eqv? 100000000 100000000) (eqv? (expt 10 30) (expt 10 30)) (eqv? 1/2 1/2) (eqv? #\a #\a)) ;=> (#f #t #t #t #t #t #t)
(list (eq? (list 'a) (list 'a)) (equal? '(a (b) c) '(a (b) c)) (equal? "abc" "abc") (equal? (make-vector 5 'a) (make-vector 5 'a)) (equal? #u8(1 2) #u8(1 2))) ;=> (#f #t #t #t #t)
(equal? '#1=(a b . #1#) '#2=(a b a b . #2#)) ;=> #t
(list (symbol->string 'flying-fish) (string->symbol "mISSISSIppi") (symbol=? 'a 'a 'a)) ;=> ("flying-fish" mISSISSIppi #t)
(list '|foo bar| '|a\x41;b| (string->symbol "") '|1| 'a|b c|d) ;=> (|foo bar| aAb || |1| |ab cd|)
(eq? 'bitBlt (string->symbol "bitBlt")) ;=> #t
'FooBar ;=> FooBar
'#!fold-case FooBar ;=> foobar
(let ((p (lambda (x) x))) (eqv? p p)) ;=> #t
(list (string->symbol "λ") 'π) ;=> (λ π)
`,
);

checkTable(
  "lists",
  String.raw`
'(a . (b . (c . (d . (e . ()))))) ;=> (a b c d e)
'(a b . c) ;=> (a b . c)
(list (pair? '(a . b)) (pair? '()) (null? '()) (list? '(a b)) (list? '(a . b)) (list? '#0=(a . #0#))) ;=> (#t #f #t #t #f #f)
(list (car '((a) b)) (cdr '((a) b)) (caddr '(1 2 3)) (cddddr '(1 2 3 4 5)) (caar '((1)))) ;=> ((a) (b) 3 (5) 1)
(car '()) ;=> !WrongType
(let ((x (list 'a 'b 'c))) (set-car! x 1) (set-cdr! (cdr x) 2) x) ;=> (1 b . 2)
(list (make-list 2 3) (list) (list 'a (+ 3 4) 'c)) ;=> ((3 3) () (a 7 c))
(list (length '(a (b) (c d e))) (length '())) ;=> (3 0)
(length '(1 . 2)) ;=> !WrongType
(length '#0=(1 . #0#)) ;=> !WrongType
(list (append '(a) '(b c d)) (append '(a (b)) '((c))) (append '(a b) '(c . d)) (append '() 'a) (append)) ;=> ((a b c d) (a (b) (c)) (a b c . d) a ())
(list (reverse '(a (b c) d)) (list-tail '(a b c d) 2) (list-ref '(a b c d) 2)) ;=> ((d (b c) a) (c d) c)
(list-ref '(1 2) 2) ;=> !WrongType
(list-tail '(1 2) 3) ;=> !OutOfRange
(let ((ls (list 'one 'two 'five!))) (list-set! ls 2 'three) ls) ;=> (one two three)
(list (memq 'c '(a b c d e)) (memq (list 'a) '(b (a) c)) (member (list 'a) '(b (a) c)) (member "B" '("a" "b" "c") string-ci=?) (memv 101 '(100 101 102))) ;=> ((c d e) #f ((a) c) ("b" "c") (101 102))
(define e '((a 1) (b 2) (c 3))) (list (assq 'b e) (assq 'd e) (assoc (list 'a) '(((a)) ((b)) ((c)))) (assoc 2.0 '((1 1) (2 4) (3 9)) =) (assv 5 '((2 3) (5 7)))) ;=> ((b 2) #f ((a)) (2 4) (5 7))
(let* ((a '(1 8 2 8)) (b (list-copy a))) (set-car! b 3) (list a b (list-copy 7))) ;=> ((1 8 2 8) (3 8 2 8) 7)
(list (iota 5) (iota 3 1) (iota 3 0 2) (iota 2 0.5)) ;=> ((0 1 2 3 4) (1 2 3) (0 2 4) (0.5 1.5))
(list (filter odd? '(1 2 3)) (remove odd? '(1 2 3)) (call-with-values (lambda () (partition odd? '(1 2 3))) list)) ;=> ((1 3) (2) ((1 3) (2)))
(list (fold cons '() '(1 2 3)) (fold-right cons '() '(1 2 3)) (fold-left list '() '(1 2 3)) (fold + 0 '(1 2) '(10 20)) (reduce + 0 '(1 2 3)) (reduce max 0 '())) ;=> ((3 2 1) (1 2 3) (((() 1) 2) 3) 33 6 0)
(list (delete 2 '(1 2 3 2)) (delete-duplicates '(1 2 1 3 2)) (list-index even? '(1 3 4)) (count odd? '(1 2 3))) ;=> ((1 3) (1 2 3) 2 2)
(list (any odd? '(2 4 5)) (any odd? '(2)) (every odd? '(1 3)) (every odd? '()) (any + '(1) '(2)) (every (lambda (x y) (< x y)) '(1 2) '(2 3))) ;=> (#t #f #t #t 3 #t)
(list (take '(1 2 3) 2) (drop '(1 2 3) 2) (take-right '(1 2 3) 2) (drop-right '(1 2 3) 2) (last '(1 2 3)) (first '(1 2))) ;=> ((1 2) (3) (2 3) (1) 3 1)
(list (take-while even? '(2 4 5 6)) (drop-while even? '(2 4 5 6)) (find even? '(1 2)) (find even? '(1)) (find-tail even? '(1 2 3))) ;=> ((2 4) (5 6) 2 #f (2 3))
(list (append-map list '(1 2) '(a b)) (filter-map (lambda (x) (and (> x 1) (* x x))) '(1 2 3)) (zip '(1 2) '(a b)) (list-tabulate 3 square)) ;=> ((1 a 2 b) (4 9) ((1 a) (2 b)) (0 1 4))
(list (unfold (lambda (x) (> x 3)) square (lambda (x) (+ x 1)) 1) (cons* 1 2 '(3)) (concatenate '((1) (2 3)))) ;=> ((1 4 9) (1 2 3) (1 2 3))
(list (sort '(3 1 2) <) (sort (list "b" "a") string<?) (sort (vector 3 1 2) >) (list-sort (lambda (a b) (< (car a) (car b))) '((2 a) (1 b) (2 c) (1 d)))) ;=> ((1 2 3) ("a" "b") #(3 2 1) ((1 b) (1 d) (2 a) (2 c)))
(let ((v (vector 3 1 2))) (vector-sort! v (lambda (a b) (> a b))) v) ;=> #(3 2 1)
(list (lset-union eq? '(a b) '(b c)) (lset-intersection eq? '(a b c) '(b c d)) (lset-difference eqv? '(1 2 3) '(2))) ;=> ((a b c) (b c) (1 3))
(list (alist-delete 'a '((a . 1) (b . 2))) (reduce-right list 0 '(1 2 3)) (last-pair '(1 2))) ;=> (((b . 2)) (1 (2 3)) (2))
`,
);

checkTable(
  "characters and strings",
  String.raw`
(list #\space #\newline #\tab #\nul #\x41 #\( #\λ #\x3bb #\delete #\escape #\x0) ;=> !ReadError
(list #\space #\newline #\tab #\null #\x41 #\( #\λ #\x3bb #\delete #\escape #\x #\a) ;=> (#\space #\newline #\tab #\null #\A #\( #\λ #\λ #\delete #\escape #\x #\a)
(list (char<? #\a #\b #\c) (char-ci=? #\a #\A) (char-alphabetic? #\λ) (char-numeric? #\5) (char-whitespace? #\space) (char-upper-case? #\A) (char-lower-case? #\A)) ;=> (#t #t #t #t #t #t #f)
(list (digit-value #\3) (digit-value #\x0664) (digit-value #\a) (char-upcase #\i) (char-downcase #\Σ) (char->integer #\A) (integer->char 955)) ;=> (3 4 #f #\I #\σ 65 #\λ)
(integer->char 55296) ;=> !WrongType
"a\tb\n\"\\\x41;" ;=> "a\tb\n\"\\A"
"line one \
   continued" ;=> "line one continued"
(list (string-length "λ😀x") (string-ref "λ😀x" 1) (substring "λ😀x" 1 3) (string->list "a😀")) ;=> (3 #\😀 "😀x" (#\a #\😀))
(let ((s (string-copy "abc"))) (string-set! s 1 #\😀) (list s (string-length s) (string-ref s 2))) ;=> ("a😀c" 3 #\c)
(list (make-string 3 #\z) (string #\a #\b) (string) (string-append "foo" "bar" "") (string-append)) ;=> ("zzz" "ab" "" "foobar" "")
(list (string=? "a" "a" "a") (string<? "a" "b" "c") (string<? "abc" "abd") (string>? "b" "a") (string-ci=? "Straße" "STRASSE") (string<? "z" "😀")) ;=> (#t #t #t #t #t #t)
(list (string-upcase "abc") (string-downcase "ABC") (string-foldcase "AbC") (string-upcase "straße")) ;=> ("ABC" "abc" "abc" "STRASSE")
(list (substring "hello" 1 3) (string-copy "hello" 2) (string->list "hello" 3) (string->vector "abc" 1 2) (vector->string #(#\a #\b)) (list->string '(#\a #\b))) ;=> ("el" "llo" (#\l #\o) #(#\b) "ab" "ab")
(let ((a "12345") (b (string-copy "abcde"))) (string-copy! b 1 a 0 2) b) ;=> "a12de"
(let ((s (make-string 4 #\a))) (string-fill! s #\b 1 3) s) ;=> "abba"
(let ((s (string-copy "abcdef"))) (string-copy! s 2 s 0 3) s) ;=> "ababcf"
(substring "abc" 2 5) ;=> !OutOfRange
(string-ref "abc" 3) ;=> !OutOfRange
(string-append "a" 'b) ;=> !WrongType
(list (string->utf8 "aλ") (utf8->string #u8(206 187)) (utf8->string #u8(65 66 67) 1 2)) ;=> (#u8(97 206 187) "λ" "B")
(list (string-index "hello" #\l) (string-index "hello" char-upper-case?) (string-contains "hello" "ll") (string-contains "a" "z") (string-prefix? "he" "hello") (string-suffix? "lo" "hello")) ;=> (2 #f 2 #f #t #t)
(list (string-join '("a" "b")) (string-join '("a" "b") ", ") (string-split "a,b,,c" #\,) (string-split "  a b ") (string-trim "  a ") (string-trim-right " a ") (string-trim-both " a ")) ;=> ("a b" "a, b" ("a" "b" "" "c") ("a" "b") "a " " a" "a")
(list (string-pad "42" 5) (string-pad-right "42" 5) (string-pad "12345" 3) (string-reverse "abc") (string-count "banana" #\a) (string-filter char-alphabetic? "a1b2")) ;=> ("   42" "42   " "345" "cba" 3 "ab")
(list (format "~a is ~s~%" "x" "y") (format #f "~a~~" 1)) ;=> ("x is \"y\"\n" "1~")
(string->symbol "a b") ;=> |a b|
`,
);

checkTable(
  "vectors, bytevectors and records",
  String.raw`
(list (vector 'a 'b) (make-vector 2 0) (vector-length #(1 2 3)) (vector-ref #(1 1 2 3 5) 4)) ;=> (#(a b) #(0 0) 3 5)
(let ((v (vector 1 '(2) 3))) (vector-set! v 1 'x) v) ;=> #(1 x 3)
(vector-ref #(1 2) 2) ;=> !OutOfRange
(vector-ref #(1 2) 1.0) ;=> !WrongType
(list (vector->list #(1 2 3) 1) (vector->list #(1 2 3) 1 2) (list->vector '(1 2)) (vector-append #(1) #(2 3))) ;=> ((2 3) (2) #(1 2) #(1 2 3))
(let ((a #(1 8 2 8 2 8)) (b (vector 10 20 30 40 50))) (vector-copy! b 1 a 0 2) (list b (vector-copy a 2) (vector-copy a 0 2))) ;=> (#(10 1 8 40 50) #(2 8 2 8) #(1 8))
(let ((a (vector 1 2 3 4 5))) (vector-fill! a 'x 2 4) (vector-copy! a 1 a 0 2) a) ;=> #(1 1 2 x 5)
(list (vector-map square #(1 2 3)) (vector-binary-search #(1 3 5) 5 -)) ;=> (#(1 4 9) 2)
(list (bytevector 1 3 5) (make-bytevector 2 7) (bytevector-u8-ref #u8(1 2 3) 1) (bytevector-append #u8(1) #u8(2)) (bytevector-copy #u8(1 2 3) 1)) ;=> (#u8(1 3 5) #u8(7 7) 2 #u8(1 2) #u8(2 3))
(let ((b (bytevector 1 2 3))) (bytevector-u8-set! b 0 255) (bytevector-copy! b 1 #u8(9 8) 0 1) b) ;=> #u8(255 9 3)
(bytevector 256) ;=> !WrongType
(define-record-type <pare> (kons x y) pare? (x kar set-kar!) (y kdr)) (let ((k (kons 1 2))) (set-kar! k 3) (list (pare? k) (pare? (cons 1 2)) (kar k) (kdr k))) ;=> (#t #f 3 2)
(kar 5) ;=> !WrongType
(kons 1) ;=> !ArityError
(kons 1 2) ;=> #<pare x: 1 y: 2>
(define-record-type point (make-point y) point? (x point-x set-point-x!) (y point-y)) (point-y (make-point 5)) ;=> 5
(let () (define-record-type t (mk v) t? (v v-of)) (map v-of (map mk '(1 2)))) ;=> (1 2)
(make-vector (expt 10 10)) ;=> !OutOfMemory
(make-vector -1) ;=> !WrongType
`,
);

checkTable(
  "hash tables",
  String.raw`
(define t (make-hash-table)) (hash-table-set! t 'a 1) (hash-table-set! t "b" 2) (hash-table-set! t '(1 2) 3) (list (hash-table-ref t 'a) (hash-table-ref/default t "b" 0) (hash-table-ref/default t (list 1 2) 0) (hash-table-ref/default t 'z 'no) (hash-table-size t)) ;=> (1 2 3 no 3)
(hash-table-ref t 'missing) ;=> !Error
(hash-table-ref t 'missing (lambda () 'failed)) ;=> failed
(hash-table-ref t 'a (lambda () 'failed) (lambda (x) (* x 10))) ;=> 10
(hash-table-update! t 'a (lambda (x) (+ x 1))) (hash-table-update!/default t 'n (lambda (x) (+ x 1)) 0) (list (hash-table-ref t 'a) (hash-table-ref t 'n)) ;=> (2 1)
(hash-table-delete! t "b") (hash-table-delete! t '(1 2)) (list (hash-table-contains? t "b") (hash-table-keys t) (hash-table-values t) (hash-table->alist t)) ;=> (#f (a n) (2 1) ((a . 2) (n . 1)))
(let ((sum 0)) (hash-table-walk t (lambda (k v) (set! sum (+ sum v)))) sum) ;=> 3
(hash-table-fold t (lambda (k v acc) (+ v acc)) 0) ;=> 3
(let ((c (hash-table-copy t))) (hash-table-clear! c) (list (hash-table-count c) (hash-table-count t))) ;=> (0 2)
(hash-table-ref/default (alist->hash-table '((1 . a) (1.0 . b))) 1.0 #f) ;=> b
(let ((t (make-hash-table eq?))) (hash-table-set! t (list 1) 'x) (hash-table-ref/default t (list 1) 'none)) ;=> none
(let ((t (make-equal-hash-table))) (do ((i 0 (+ i 1))) ((= i 1000)) (hash-table-set! t (number->string i) i)) (hash-table-ref/default t "999" #f)) ;=> 999
`,
);
