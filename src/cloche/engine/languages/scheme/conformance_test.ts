/** What R7RS asks of expressions, macros and control, section by section. */

import { checkTable } from "./harness_test.ts";

checkTable(
  "primitive expressions",
  String.raw`
(quote a) ;=> a
'#(a b c) ;=> #(a b c)
'"abc" ;=> "abc"
''a ;=> 'a
'(quote a) ;=> 'a
'(quasiquote (a (unquote b) (unquote-splicing c))) ;=> ${"`"}(a ,b ,@c)
#\a ;=> #\a
#u8(1 2 255) ;=> #u8(1 2 255)
((lambda (x) (+ x x)) 4) ;=> 8
(define reverse-subtract (lambda (x y) (- y x))) (reverse-subtract 7 10) ;=> 3
(define add4 (let ((x 4)) (lambda (y) (+ x y)))) (add4 6) ;=> 10
((lambda x x) 3 4 5 6) ;=> (3 4 5 6)
((lambda (x y . z) z) 3 4 5 6) ;=> (5 6)
((lambda (a b c d e . f) (list a b c d e f)) 1 2 3 4 5 6 7) ;=> (1 2 3 4 5 (6 7))
(if (> 3 2) 'yes 'no) ;=> yes
(if #f #f) ;=> null
(define x 2) (set! x 4) (+ x 1) ;=> 5
(begin) ;=> null
(let () (define-values (a b . c) (values 1 2 3 4)) (list a b c)) ;=> (1 2 (3 4))
(define-values (p q) (floor/ 7 2)) (list p q) ;=> (3 1)
(define ((curried a) b) (list a b)) ((curried 1) 2) ;=> (1 2)
`,
);

checkTable(
  "derived expressions",
  String.raw`
(cond ((> 3 2) 'greater) ((< 3 2) 'less)) ;=> greater
(cond ((assv 'b '((a 1) (b 2))) => cadr) (else #f)) ;=> 2
(cond (#f 1) (2)) ;=> 2
(cond ((values 1)) (else 2)) ;=> 1
(cond (#f 1)) ;=> null
(case (* 2 3) ((2 3 5 7) 'prime) ((1 4 6 8 9) 'composite)) ;=> composite
(case (car '(c d)) ((a e i o u) 'vowel) ((w y) 'semivowel) (else => (lambda (x) x))) ;=> c
(case 'x ((x) => (lambda (y) (list y y))) (else 1)) ;=> (x x)
(case 2.0 ((2) 'exact) ((2.0) 'inexact) (else 'none)) ;=> inexact
(case "a" (("a") 1) (else 2)) ;=> 2
(case #\a ((#\b) 1) ((#\a) 2)) ;=> 2
(case '() ((()) 'empty) (else 'other)) ;=> empty
(and 1 2 'c '(f g)) ;=> (f g)
(and) ;=> #t
(or #f #f) ;=> #f
(or (memq 'b '(a b c)) (/ 3 0)) ;=> (b c)
(when #f 1) ;=> null
(unless #f 1 2) ;=> 2
(let ((x 2) (y 3)) (let* ((x 7) (z (+ x y))) (* z x))) ;=> 70
(letrec ((even? (lambda (n) (if (zero? n) #t (odd? (- n 1))))) (odd? (lambda (n) (if (zero? n) #f (even? (- n 1)))))) (even? 88)) ;=> #t
(letrec* ((p (lambda (x) (+ 1 (q (- x 1))))) (q (lambda (y) (if (zero? y) 0 (+ 1 (p (- y 1)))))) (x (p 5)) (y x)) y) ;=> 5
(letrec ((a b) (b 1)) a) ;=> !UnassignedVariable
(let-values (((root rem) (exact-integer-sqrt 32))) (* root rem)) ;=> 35
(let ((a 'a) (b 'b) (x 'x) (y 'y)) (let*-values (((a b) (values x y)) ((x y) (values a b))) (list a b x y))) ;=> (x y x y)
(let ((a 'a) (b 'b) (x 'x) (y 'y)) (let-values (((a b) (values x y)) ((x y) (values a b))) (list a b x y))) ;=> (x y a b)
(let-values (((a . rest) (values 1 2 3)) (all (values 4 5))) (list a rest all)) ;=> (1 (2 3) (4 5))
(do ((vec (make-vector 5)) (i 0 (+ i 1))) ((= i 5) vec) (vector-set! vec i i)) ;=> #(0 1 2 3 4)
(let ((x '(1 3 5 7 9))) (do ((x x (cdr x)) (sum 0 (+ sum (car x)))) ((null? x) sum))) ;=> 25
(do ((i 0 (+ i 1))) ((= i 3))) ;=> null
(let loop ((numbers '(3 -2 1 6 -5)) (nonneg '()) (neg '())) (cond ((null? numbers) (list nonneg neg)) ((>= (car numbers) 0) (loop (cdr numbers) (cons (car numbers) nonneg) neg)) (else (loop (cdr numbers) nonneg (cons (car numbers) neg))))) ;=> ((6 1 3) (-5 -2))
(let loop ((loop 1)) loop) ;=> 1
(define range (case-lambda ((e) (range 0 e)) ((b e) (do ((r '() (cons e r)) (e (- e 1) (- e 1))) ((< e b) r))))) (list (range 3) (range 3 5)) ;=> ((0 1 2) (3 4))
((case-lambda ((x) 'one) ((x . r) 'more)) 1 2) ;=> more
((case-lambda ((x) 'one)) 1 2) ;=> !ArityError
(define f (lambda (n) (define a 1) (define (g) (+ a n)) (g))) (f 2) ;=> 3
(define (h) (define a b) (define b 2) a) (h) ;=> !UnassignedVariable
(let () (define x 1) (set! x (+ x 1)) (define y x) (* x y)) ;=> 4
(let () (begin (define z 3) (define w 4)) (+ z w)) ;=> 7
(receive (a . b) (values 1 2 3) (list a b)) ;=> (1 (2 3))
(and-let* ((x 5) ((> x 3)) (y (* x 2))) y) ;=> 10
(define z 1) (fluid-let ((z 2)) (set! z (+ z 1))) z ;=> 1
((cut list 1 <> 3 <>) 2 4) ;=> (1 2 3 4)
`,
);

checkTable(
  "quasiquotation",
  String.raw`
${"`"}(list ,(+ 1 2) 4) ;=> (list 3 4)
(let ((name 'a)) ${"`"}(list ,name ',name)) ;=> (list a 'a)
${"`"}(a ,(+ 1 2) ,@(map abs '(4 -5 6)) b) ;=> (a 3 4 5 6 b)
${"`"}((foo ,(- 10 3)) ,@(cdr '(c)) . ,(car '(cons))) ;=> ((foo 7) . cons)
${"`"}#(10 5 ,(sqrt 4) ,@(map sqrt '(16 9)) 8) ;=> #(10 5 2 4 3 8)
${"`"}(a ${"`"}(b ,(c ,(+ 1 2)))) ;=> (a ${"`"}(b ,(c 3)))
${"`"}(a ${"`"}(b ,(foo ,(+ 1 3) d) e) f) ;=> (a ${"`"}(b ,(foo 4 d) e) f)
(let ((name1 'x) (name2 'y)) ${"`"}(a ${"`"}(b ,,name1 ,',name2 d) e)) ;=> (a ${"`"}(b ,x ,'y d) e)
${"`"}(1 . ,(+ 1 1)) ;=> (1 . 2)
${"`"},@(list 1) ;=> !SyntaxError
${"`"}(x ,@'() . y) ;=> (x . y)
(quasiquote (a (unquote (+ 1 2)))) ;=> (a 3)
${"`"}(1 ${"`"}(2 ,@(3 ,@(list 4 5)))) ;=> (1 ${"`"}(2 ,@(3 4 5)))
(eq? (let ((f (lambda () ${"`"}(a b)))) (f)) 1) ;=> #f
`,
);

checkTable(
  "macros",
  String.raw`
(let-syntax ((given-that (syntax-rules () ((_ test stmt ...) (if test (begin stmt ...)))))) (let ((if #t)) (given-that if (set! if 'now)) if)) ;=> now
(let ((x 'outer)) (let-syntax ((m (syntax-rules () ((m) x)))) (let ((x 'inner)) (m)))) ;=> outer
(letrec-syntax ((my-or (syntax-rules () ((my-or) #f) ((my-or e) e) ((my-or e1 e2 ...) (let ((temp e1)) (if temp temp (my-or e2 ...))))))) (let ((x #f) (y 7) (temp 8) (let odd?) (if even?)) (my-or x (let temp) (if y) y))) ;=> 7
(define-syntax my-or2 (syntax-rules () ((_ a b) (let ((t a)) (if t t b))))) (let ((t 5)) (my-or2 #f t)) ;=> 5
(define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp))))) (let ((tmp 1) (other 2)) (swap! tmp other) (list tmp other)) ;=> (2 1)
(define-syntax while (syntax-rules () ((_ c body ...) (let lp () (when c body ... (lp)))))) (let ((i 0) (lp 10)) (while (< i 3) (set! i (+ i 1)) (set! lp (+ lp i))) (list i lp)) ;=> (3 16)
(define-syntax while2 (syntax-rules () ((_ break c body ...) (call/cc (lambda (break) (let loop () (if c (begin body ... (loop))))))))) (let ((n 0)) (while2 stop #t (set! n (+ n 1)) (if (= n 5) (stop n)))) ;=> 5
(define-syntax be-like-begin (syntax-rules () ((be-like-begin name) (define-syntax name (syntax-rules () ((name expr (... ...)) (begin expr (... ...)))))))) (be-like-begin sequence) (sequence 1 2 3 4) ;=> 4
(let ((=> #f)) (cond (#t => 'ok))) ;=> ok
(define-syntax simple-let (syntax-rules () ((_ (head ... ((x . y) val) . tail) body1 body2 ...) (syntax-error "expected an identifier" (x . y))) ((_ ((name val) ...) body1 body2 ...) ((lambda (name ...) body1 body2 ...) val ...)))) (simple-let ((a 1) (b 2)) (+ a b)) ;=> 3
(simple-let (((a . b) 1)) a) ;=> !SyntaxError
(define-syntax my-let* (syntax-rules () ((_ () body ...) (let () body ...)) ((_ ((x v) more ...) body ...) (let ((x v)) (my-let* (more ...) body ...))))) (my-let* ((a 1) (b (+ a 1))) (list a b)) ;=> (1 2)
(define-syntax lets (syntax-rules () ((_ ((n v) ...) ...) '((n ... / v ...) ...)))) (lets ((a 1) (b 2)) () ((c 3))) ;=> ((a b / 1 2) (/) (c / 3))
(define-syntax flat (syntax-rules () ((_ (a ...) ...) '(a ... ...)))) (flat (1 2) () (3)) ;=> (1 2 3)
(define-syntax last-of (syntax-rules () ((_ a ... z) 'z))) (last-of 1 2 3) ;=> 3
(define-syntax ends (syntax-rules () ((_ a b ... y z) '(a (b ...) y z)))) (ends 1 2 3 4 5) ;=> (1 (2 3) 4 5)
(define-syntax dotted (syntax-rules () ((_ a ... . r) '((a ...) r)))) (dotted 1 2 . 3) ;=> ((1 2) 3)
(define-syntax vecs (syntax-rules () ((_ #(a b ...)) '(a #(b ... end))))) (vecs #(1 2 3)) ;=> (1 #(2 3 end))
(define-syntax my-if (syntax-rules (then else) ((_ c then a else b) (if c a b)))) (my-if #t then 1 else 2) ;=> 1
(let ((then 1)) (my-if #t then 1 else 2)) ;=> !SyntaxError
(define-syntax colon (syntax-rules ::: () ((_ a :::) '(a ::: ...)))) (colon 1 2) ;=> (1 2 ...)
(define-syntax under (syntax-rules () ((_ _ x _) 'x))) (under 1 2 3) ;=> 2
(define-syntax kw (syntax-rules () ((_ "add" a b) (+ a b)) ((_ 1 a b) (- a b)))) (list (kw "add" 1 2) (kw 1 5 3)) ;=> (3 2)
(define-syntax def2 (syntax-rules () ((_ a b v) (begin (define a v) (define b v))))) (def2 m1 m2 9) (+ m1 m2) ;=> 18
(let () (def2 n1 n2 4) (* n1 n2)) ;=> 16
(define-syntax counter (syntax-rules () ((_ name) (begin (define n 0) (define (name) (set! n (+ n 1)) n))))) (counter c1) (counter c2) (c1) (c1) (c2) (list (c1) (c2)) ;=> (3 2)
(define n 'mine) (counter c3) (c3) n ;=> mine
(define-syntax ten (syntax-rules () ((_) 10))) (define (use-ten) (ten)) (use-ten) ;=> 10
(let loop ((i 0)) (define-syntax inc (syntax-rules () ((_ x) (+ x 1)))) (if (< i 5) (loop (inc i)) i)) ;=> 5
(define-syntax my-list-of (syntax-rules () ((_ e for x in l) (map (lambda (x) e) l)))) (my-list-of (* x x) for x in '(1 2 3)) ;=> (1 4 9)
(define-syntax loop-until (syntax-rules () ((_ (v init) test step) (let lp ((v init)) (if test v (lp step)))))) (let ((if list)) (loop-until (x 1) (> x 100) (* x 2))) ;=> 128
(define-syntax q (syntax-rules () ((_ x) '(x y)))) (q z) ;=> (z y)
(let ((else #f)) (cond (else 1) (#t 2))) ;=> 2
(let-syntax ((foo (syntax-rules () ((_ a) (let ((b 2)) (+ a b)))))) (let ((b 1)) (foo b))) ;=> 3
(define-syntax m3 (syntax-rules () ((_ x) (let-syntax ((n (syntax-rules () ((_) x)))) (let ((x 5)) (n)))))) (let ((y 1)) (m3 y)) ;=> 1
(define-syntax no-match (syntax-rules () ((_ a) a))) (no-match 1 2) ;=> !SyntaxError
(define-syntax bad 5) ;=> !SyntaxError
(let ((quote -)) '1) ;=> -1
(define-syntax ell (syntax-rules () ((_ (a b ...) ...) '((b ... a) ...)))) (ell (1 2 3) (4)) ;=> ((2 3 1) (4))
(define-syntax tree (syntax-rules () ((_ ((a (b ...)) ...)) '((a b ...) ...)))) (tree ((x (1 2)) (y ()))) ;=> ((x 1 2) (y))
(let () (define-record-type p (mk a) p? (a get)) (define-syntax wrap (syntax-rules () ((_ v) (get (mk v))))) (wrap 3)) ;=> 3
`,
);

checkTable(
  "procedures and tail calls",
  String.raw`
(define (count n) (cond ((= n 0) => (lambda (x) x)) (else (count (- n 1))))) (count 100000) ;=> #t
(define (a n) (and #t (if (= n 0) 'done (a (- n 1))))) (a 100000) ;=> done
(define (o n) (or #f (if (= n 0) 'done (o (- n 1))))) (o 100000) ;=> done
(define (c n) (case n ((0) 'done) (else (c (- n 1))))) (c 100000) ;=> done
(define (w n) (when #t (if (= n 0) 'done (w (- n 1))))) (w 100000) ;=> done
(define (u n) (unless #f (if (= n 0) 'done (u (- n 1))))) (u 100000) ;=> done
(define (ap n) (if (= n 0) 'done (apply ap (list (- n 1))))) (ap 100000) ;=> done
(define (d n) (do () (#t (if (= n 0) 'done (d (- n 1)))))) (d 100000) ;=> done
(define (cv n) (if (= n 0) 'done (call-with-values (lambda () (- n 1)) cv))) (cv 100000) ;=> done
(define (cc n) (if (= n 0) 'done (call/cc (lambda (k) (cc (- n 1)))))) (cc 100000) ;=> done
(define (l n) (let ((m (- n 1))) (let* () (letrec ((x 1)) (if (= m 0) 'done (l m)))))) (l 100000) ;=> done
(define (ev? n) (if (= n 0) #t (od? (- n 1)))) (define (od? n) (if (= n 0) #f (ev? (- n 1)))) (ev? 100001) ;=> #f
(define (deep n) (if (= n 0) 0 (+ 1 (deep (- n 1))))) (deep 1000000) ;=> 1000000
(define (build n) (if (= n 0) '() (cons n (build (- n 1))))) (length (build 200000)) ;=> 200000
(apply + 1 2 '(3 4)) ;=> 10
(apply max '(1 5 3)) ;=> 5
(length (apply list (iota 200000))) ;=> 200000
(map + '(1 2) '(10 20 30)) ;=> (11 22)
(string-map char-foldcase "AbdEgH") ;=> "abdegh"
(string-map (lambda (c k) ((if (eqv? k #\u) char-upcase char-downcase) c)) "studlycaps xxx" "ululululul") ;=> "StUdLyCaPs"
(vector-map * #(1 2) #(10 20)) ;=> #(10 40)
(let ((v (make-vector 5))) (for-each (lambda (i) (vector-set! v i (* i i))) '(0 1 2 3 4)) v) ;=> #(0 1 4 9 16)
(let ((v '())) (string-for-each (lambda (c) (set! v (cons (char->integer c) v))) "abcde") v) ;=> (101 100 99 98 97)
(let ((v (make-list 5))) (vector-for-each (lambda (i) (list-set! v i (* i i))) #(0 1 2 3 4)) v) ;=> (0 1 4 9 16)
(call-with-values (lambda () (values 4 5)) (lambda (a b) b)) ;=> 5
(call-with-values * -) ;=> -1
(procedure? car) ;=> #t
(procedure? (call/cc (lambda (k) k))) ;=> #t
(car 1 2) ;=> !ArityError
((lambda (x) x)) ;=> !ArityError
(1 2) ;=> !NotProcedure
(undefined-thing) ;=> !UnboundVariable
(map car 5) ;=> !WrongType
(define (square x) (list 'mine x)) (square 2) ;=> (mine 2)
`,
);
