/** Forms that are macros; each is read when it is first used. */

export const MACROS: Record<string, string> = {
  "delay": `(syntax-rules () ((_ e) (%delay-force (lambda () (%promise e)))))`,
  "delay-force": `(syntax-rules () ((_ e) (%delay-force (lambda () e))))`,
  "cons-stream": `(syntax-rules () ((_ a b) (cons a (delay b))))`,
  "parameterize": `(syntax-rules ()
    ((_ ((p v) ...) body ...) (%parameterize (list (%binding p v) ...) (lambda () body ...))))`,
  "fluid-let": `(syntax-rules ()
    ((_ ((x v) ...) body ...) (%fluid-let () ((x v) ...) body ...)))`,
  "%fluid-let": `(syntax-rules ()
    ((_ ((x t v) ...) () body ...)
     (let ((t v) ...)
       (define (swap!) (let ((old x)) (set! x t) (set! t old)) ...)
       (dynamic-wind swap! (lambda () body ...) swap!)))
    ((_ (done ...) ((x v) more ...) body ...) (%fluid-let (done ... (x t v)) (more ...) body ...)))`,
  "guard": `(syntax-rules ()
    ((_ (var clause ...) body ...)
     (%guard (lambda () body ...) (lambda (var reraise) (%clauses reraise clause ...)))))`,
  "%clauses": `(syntax-rules (else =>)
    ((_ reraise) (reraise))
    ((_ reraise (else e ...)) (begin e ...))
    ((_ reraise (else => f)) (f #t))
    ((_ reraise (test => f) clause ...) (let ((t test)) (if t (f t) (%clauses reraise clause ...))))
    ((_ reraise (test) clause ...) (or test (%clauses reraise clause ...)))
    ((_ reraise (test e ...) clause ...) (if test (begin e ...) (%clauses reraise clause ...))))`,
  "let-values": `(syntax-rules ()
    ((_ ((formals e)) body ...) (call-with-values (lambda () e) (lambda formals body ...)))
    ((_ (binding ...) body ...) (%let-values "bind" (binding ...) () body ...)))`,
  "%let-values": `(syntax-rules ()
    ((_ "bind" () temps body ...) (let temps body ...))
    ((_ "bind" ((formals e) more ...) temps body ...) (%let-values "temp" formals e () (more ...) temps body ...))
    ((_ "temp" () e args more temps body ...)
     (call-with-values (lambda () e) (lambda args (%let-values "bind" more temps body ...))))
    ((_ "temp" (a . b) e (arg ...) more (temp ...) body ...)
     (%let-values "temp" b e (arg ... x) more (temp ... (a x)) body ...))
    ((_ "temp" a e (arg ...) more (temp ...) body ...)
     (call-with-values (lambda () e) (lambda (arg ... . x) (%let-values "bind" more (temp ... (a x)) body ...)))))`,
  "let*-values": `(syntax-rules ()
    ((_ () body ...) (let () body ...))
    ((_ ((formals e) more ...) body ...)
     (call-with-values (lambda () e) (lambda formals (let*-values (more ...) body ...)))))`,
  "receive": `(syntax-rules ()
    ((_ formals e body ...) (call-with-values (lambda () e) (lambda formals body ...))))`,
  "and-let*": `(syntax-rules ()
    ((_ ()) #t)
    ((_ () body ...) (let () body ...))
    ((_ ((x e)) . body) (let ((x e)) (and x (and-let* () . body))))
    ((_ ((x e) more ...) . body) (let ((x e)) (and x (and-let* (more ...) . body))))
    ((_ ((e)) ) e)
    ((_ ((e) more ...) . body) (and e (and-let* (more ...) . body)))
    ((_ (x more ...) . body) (and x (and-let* (more ...) . body))))`,
  "cut": `(syntax-rules () ((_ slot ...) (%cut () () slot ...)))`,
  "%cut": `(syntax-rules (<> <...>)
    ((_ (x ...) (part ...)) (lambda (x ...) (part ...)))
    ((_ (x ...) (part ...) <...>) (lambda (x ... . rest) (apply part ... rest)))
    ((_ (x ...) (part ...) <> slot ...) (%cut (x ... y) (part ... y) slot ...))
    ((_ xs (part ...) e slot ...) (%cut xs (part ... e) slot ...)))`,
};
