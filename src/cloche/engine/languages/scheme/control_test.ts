/** Continuations, dynamic-wind, errors, promises, parameters. */

import { checkTable } from "./harness_test.ts";

checkTable(
  "continuations",
  String.raw`
(call/cc (lambda (exit) (for-each (lambda (x) (if (negative? x) (exit x))) '(54 0 37 -3 245 19)) #t)) ;=> -3
(define r '()) (define k #f) (define n 0)
(set! r (cons (+ 100 (call/cc (lambda (c) (set! k c) 0))) r))
(set! n (+ n 1))
(if (< n 4) (k n))
r ;=> (103 102 101 100)
(define (make-gen l) (define return #f) (define (gen) (call/cc (lambda (r) (set! return r) (for-each (lambda (x) (call/cc (lambda (next) (set! gen (lambda () (next #f))) (return x)))) l) (return 'done)))) (lambda () (call/cc (lambda (r) (set! return r) (gen)))))
(define g (make-gen '(1 2 3))) (let* ((a (g)) (b (g)) (c (g)) (d (g))) (list a b c d)) ;=> (1 2 3 done)
(define (tree->generator tree) (define caller #f) (define (loop t) (cond ((null? t) 'skip) ((pair? t) (loop (car t)) (loop (cdr t))) (else (call/cc (lambda (rest) (set! resume (lambda () (rest 'x))) (caller t)))))) (define resume (lambda () (loop tree) (caller '()))) (lambda () (call/cc (lambda (k) (set! caller k) (resume)))))
(define (same-fringe? a b) (let ((x (tree->generator a)) (y (tree->generator b))) (let loop () (let ((u (x)) (v (y))) (cond ((not (eqv? u v)) #f) ((null? u) #t) (else (loop)))))))
(list (same-fringe? '(1 (2 3)) '((1 2) 3)) (same-fringe? '(1 2 3) '(1 (3 2)))) ;=> (#t #f)
(define fail #f) (define (amb-list l) (call/cc (lambda (k) (let ((old fail)) (for-each (lambda (x) (call/cc (lambda (next) (set! fail (lambda () (next #f))) (k x)))) l) (set! fail old) (fail)))))
(call/cc (lambda (out) (set! fail (lambda () (out 'none))) (let* ((a (amb-list '(1 2 3 4 5 6 7))) (b (amb-list '(1 2 3 4 5 6 7))) (c (amb-list '(1 2 3 4 5 6 7)))) (if (not (and (= (* c c) (+ (* a a) (* b b))) (< a b))) (fail)) (list a b c)))) ;=> (3 4 5)
(let ((k* #f) (y* 1)) (set! y* (* (call/cc (lambda (k) (set! k* k) 1)) (+ y* 1))) (if (< y* 10) (k* y*) y*)) ;=> 42
(let ((count 0) (k #f)) (let ((x (map (lambda (i) (call/cc (lambda (c) (if (= i 2) (set! k c)) i))) '(1 2 3)))) (set! count (+ count 1)) (if (< count 3) (k (* count 10)) x))) ;=> (1 20 3)
(let ((saved '()) (again #f)) (let ((v (list (call/cc (lambda (c) (set! again c) 1)) 2))) (set! saved (cons v saved)) (if (< (length saved) 2) (again 5)) saved)) ;=> ((5 2) (1 2))
(+ 1 (call/cc (lambda (k) (+ 10 (k 1))))) ;=> 2
(call-with-values (lambda () (call/cc (lambda (k) (k 1 2 3)))) list) ;=> (1 2 3)
(let loop ((i 0) (sum 0)) (if (= i 10000) sum (loop (+ i 1) (+ sum (call/cc (lambda (k) (if (even? i) (k 1) 0))))))) ;=> 5000
(define (deep-escape n k) (if (= n 0) (k 'out) (+ 1 (deep-escape (- n 1) k)))) (call/cc (lambda (k) (deep-escape 50000 k))) ;=> out
(define kk #f) (define (deep n) (if (= n 0) (call/cc (lambda (c) (set! kk c) 0)) (+ 1 (deep (- n 1))))) (define times 0) (let ((v (deep 20000))) (set! times (+ times 1)) (if (< times 3) (kk (* times 1000)) v)) ;=> 22000
(within-continuation (call/cc (lambda (k) k)) (lambda () 1)) ;=> !WrongType
`,
);

checkTable(
  "dynamic-wind",
  String.raw`
(let ((path '()) (c #f)) (let ((add (lambda (s) (set! path (cons s path))))) (dynamic-wind (lambda () (add 'connect)) (lambda () (add (call/cc (lambda (c0) (set! c c0) 'talk1)))) (lambda () (add 'disconnect))) (if (< (length path) 4) (c 'talk2) (reverse path)))) ;=> (connect talk1 disconnect connect talk2 disconnect)
(let ((out '())) (define (note x) (set! out (cons x out))) (call/cc (lambda (k) (dynamic-wind (lambda () (note 'in1)) (lambda () (dynamic-wind (lambda () (note 'in2)) (lambda () (k 1)) (lambda () (note 'out2)))) (lambda () (note 'out1))))) (reverse out)) ;=> (in1 in2 out2 out1)
(let ((out '()) (k1 #f) (n 0)) (define (note x) (set! out (cons x out))) (dynamic-wind (lambda () (note 'a)) (lambda () (dynamic-wind (lambda () (note 'b)) (lambda () (call/cc (lambda (k) (set! k1 k))) (note 'body)) (lambda () (note 'c)))) (lambda () (note 'd))) (set! n (+ n 1)) (if (< n 2) (k1 #f)) (reverse out)) ;=> (a b body c d a b body c d)
(let ((out '())) (guard (e (#t (set! out (cons (list 'caught e) out)))) (dynamic-wind (lambda () (set! out (cons 'in out))) (lambda () (raise 'oops)) (lambda () (set! out (cons 'out out))))) (reverse out)) ;=> (in out (caught oops))
(let ((out '())) (guard (e2 (#t (set! out (cons (list 'outer e2) out)))) (guard (e ((number? e) 'no)) (dynamic-wind (lambda () (set! out (cons 'in out))) (lambda () (raise 'boom)) (lambda () (set! out (cons 'out out)))))) (reverse out)) ;=> (in out in out (outer boom))
(call-with-values (lambda () (dynamic-wind (lambda () 1) (lambda () (values 2 3)) (lambda () 4))) list) ;=> (2 3)
(let ((x 0)) (dynamic-wind (lambda () (set! x 1)) (lambda () x) (lambda () (set! x 2))) x) ;=> 2
(let ((p (make-parameter 1)) (seen '())) (dynamic-wind (lambda () (set! seen (cons (p) seen))) (lambda () (parameterize ((p 2)) (call/cc (lambda (k) (k (p)))))) (lambda () (set! seen (cons (p) seen)))) seen) ;=> (1 1)
(let ((p (make-parameter 'a)) (k #f) (n 0) (out '())) (parameterize ((p 'b)) (call/cc (lambda (c) (set! k c))) (set! out (cons (p) out))) (set! out (cons (p) out)) (set! n (+ n 1)) (if (< n 2) (k #f) (reverse out))) ;=> (b a b a)
`,
);

checkTable(
  "errors",
  String.raw`
(call/cc (lambda (k) (with-exception-handler (lambda (e) (k (list 'condition e))) (lambda () (+ 1 (raise 'an-error)))))) ;=> (condition an-error)
(with-exception-handler (lambda (con) (cond ((string? con) 42) (else 0))) (lambda () (+ (raise-continuable "should be a number") 23))) ;=> 65
(with-exception-handler (lambda (e) 'ignored) (lambda () (+ 1 (raise 'oops)))) ;=> !Error
(guard (e ((symbol? e) (list 'outer e))) (with-exception-handler (lambda (e) (raise 'second)) (lambda () (raise 'first)))) ;=> (outer second)
(guard (condition ((assq 'a condition) => cdr) ((assq 'b condition))) (raise (list (cons 'a 42)))) ;=> 42
(guard (condition ((assq 'a condition) => cdr) ((assq 'b condition))) (raise (list (cons 'b 23)))) ;=> (b . 23)
(guard (e (#f 'never)) (raise 'through)) ;=> !Raised
(guard (e ((string? e) 'outer)) (guard (e2 ((number? e2) 'inner)) (raise "s"))) ;=> outer
(with-exception-handler (lambda (e) 10) (lambda () (guard (e ((string? e) 'no)) (+ 1 (raise-continuable 5))))) ;=> 11
(guard (e (#t (list (error-object-message e) (error-object-irritants e)))) (error "msg" 1 "two" 'three)) ;=> ("msg" (1 "two" three))
(guard (e ((error-object? e) 'object)) (car 5)) ;=> object
(guard (e (#t (condition/report-string e))) (vector-ref (vector 1 2) 9)) ;=> "vector-ref: index out of range: 9"
(guard (e (#t (error-object-type e))) (undefined-name)) ;=> "UnboundVariable"
(guard (e (#t 'deep)) (let loop ((n 0)) (if (= n 10000) (raise 'x) (+ 1 (loop (+ n 1)))))) ;=> deep
(guard (e (#t (list 'reraised e))) (guard (e2 ((begin (set! seen e2) #f) 1)) (raise 'y))) ;=> (reraised #<error the variable seen is not defined>)
(let ((x (guard (e (else 'else)) (raise 1)))) x) ;=> else
(guard (e ((symbol? e) => (lambda (x) (list x e)))) (raise 'z)) ;=> (#t z)
(guard (e (#t e)) (+ 1 (guard (e2 ((string? e2) 2)) (raise 'inner)))) ;=> inner
(let loop ((i 0) (sum 0)) (if (= i 2000) sum (loop (+ i 1) (+ sum (guard (e (#t e)) (raise 1)))))) ;=> 2000
(guard (e ((read-error? e) 'read)) (read (open-input-string "(1 2"))) ;=> read
(guard (e ((file-error? e) 'file)) (open-input-file "/nowhere")) ;=> file
(error "boom" 1) ;=> !Error
(raise 42) ;=> !Raised
(assert (= 1 2)) ;=> !Error
(guard (e (#t 'assertion)) (assert #f)) ;=> assertion
(exit 3) ;=> exit 3
(exit) ;=> exit 0
(exit #f) ;=> exit 1
(emergency-exit 7) ;=> exit 7
(with-exception-handler 5 (lambda () 1)) ;=> !WrongType
(let ((log '())) (guard (e (#t #f)) (dynamic-wind (lambda () #f) (lambda () (error "x")) (lambda () (set! log (cons 'cleaned log))))) log) ;=> (cleaned)
(error-object-message 5) ;=> !WrongType
(let ((k (call/cc (lambda (c) c)))) (if (procedure? k) (guard (e (#t (k (list 'again e)))) (raise 1)) k)) ;=> (again 1)
`,
);

checkTable(
  "promises and parameters",
  String.raw`
(force (delay (+ 1 2))) ;=> 3
(let ((p (delay (+ 1 2)))) (list (force p) (force p))) ;=> (3 3)
(define count 0) (define p (delay (begin (set! count (+ count 1)) (if (> count x) count (force p))))) (define x 5) (list (force p) (begin (set! x 10) (force p))) ;=> (6 6)
(define (stream-loop n) (if (= n 0) (delay 'end) (delay-force (stream-loop (- n 1))))) (force (stream-loop 100000)) ;=> end
(define integers (letrec ((next (lambda (n) (delay (cons n (next (+ n 1))))))) (next 0))) (define (head s) (car (force s))) (define (tail s) (cdr (force s))) (head (tail (tail integers))) ;=> 2
(force 5) ;=> 5
(force (make-promise 6)) ;=> 6
(promise? (make-promise (delay 1))) ;=> #t
(promise? (force (delay (delay 1)))) ;=> #t
(define q (let ((n 0)) (delay (begin (set! n (+ n 1)) (if (< n 3) (force q) n))))) (force q) ;=> 3
(stream-head (let ones () (cons-stream 1 (ones))) 3) ;=> (1 1 1)
(define radix (make-parameter 10 (lambda (x) (if (and (exact-integer? x) (<= 2 x 16)) x (error "invalid radix"))))) (define (f n) (number->string n (radix))) (list (f 12) (parameterize ((radix 2)) (f 12)) (f 12)) ;=> ("12" "1100" "12")
(parameterize ((radix 0)) (f 12)) ;=> !Error
(define pp (make-parameter 5 (lambda (x) (* x 2)))) (list (pp) (parameterize ((pp 3)) (pp)) (pp)) ;=> (10 6 10)
(define a (make-parameter 1)) (define b (make-parameter 2)) (parameterize ((a (b)) (b (a))) (list (a) (b))) ;=> (2 1)
(parameterize ((5 1)) 1) ;=> !WrongType
(define (pl n) (if (= n 0) (a) (parameterize ((a n)) (pl (- n 1))))) (pl 1000) ;=> 1
(with-output-to-string (lambda () (display "x") (write "y"))) ;=> "x\"y\""
`,
);
