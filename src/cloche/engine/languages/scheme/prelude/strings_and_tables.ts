/** Procedures on strings, tables and ports that call other procedures, in Scheme. */

export const STRINGS_AND_TABLES: Record<string, string> = {
  "string-map": `(lambda (f s . rest)
    (list->string (apply map f (string->list s) (map string->list rest))))`,
  "string-for-each": `(lambda (f s . rest)
    (apply for-each f (string->list s) (map string->list rest)))`,
  "string-count": `(lambda (s f) (count (%char-test f) (string->list s)))`,
  "%char-test": `(lambda (f) (if (char? f) (lambda (c) (char=? c f)) f))`,
  "string-index": `(lambda (s f) (list-index (%char-test f) (string->list s)))`,
  "string-rindex": `(lambda (s f)
    (let ((i (list-index (%char-test f) (reverse (string->list s))))) (and i (- (string-length s) i 1))))`,
  "string-index-right": `(lambda (s f) (string-rindex s f))`,
  "string-skip": `(lambda (s f) (let ((f (%char-test f))) (list-index (lambda (c) (not (f c))) (string->list s))))`,
  "string-any": `(lambda (f s) (any (%char-test f) (string->list s)))`,
  "string-every": `(lambda (f s) (every (%char-test f) (string->list s)))`,
  "string-filter": `(lambda (f s)
    (if (string? f) (string-filter s f) (list->string (filter (%char-test f) (string->list s)))))`,
  "string-remove": `(lambda (f s) (list->string (remove (%char-test f) (string->list s))))`,
  "string-delete": `(lambda (f s) (if (string? f) (string-remove s f) (string-remove f s)))`,
  "string-fold": `(lambda (f seed s) (fold f seed (string->list s)))`,
  "string-tabulate": `(lambda (f n) (list->string (list-tabulate n f)))`,
  "string-take": `(lambda (s n) (substring s 0 n))`,
  "string-drop": `(lambda (s n) (substring s n))`,
  "string-take-right": `(lambda (s n) (substring s (- (string-length s) n)))`,
  "string-drop-right": `(lambda (s n) (substring s 0 (- (string-length s) n)))`,
  "string-head": `(lambda (s n) (substring s 0 n))`,
  "string-tail": `(lambda (s n) (substring s n))`,
  "string-trim": `(lambda (s . f)
    (let ((f (%char-test (if (pair? f) (car f) char-whitespace?)))) (list->string (drop-while f (string->list s)))))`,
  "string-trim-right": `(lambda (s . f)
    (let ((f (%char-test (if (pair? f) (car f) char-whitespace?))))
      (list->string (reverse (drop-while f (reverse (string->list s)))))))`,
  "string-trim-both": `(lambda (s . f) (apply string-trim-right (apply string-trim s f) f))`,
  "string-trim-left": `(lambda (s . f) (apply string-trim s f))`,
  "string-split": `(lambda (s . by)
    (cond ((null? by) (filter (lambda (part) (not (string-null? part))) (string-split s char-whitespace?)))
          ((procedure? (car by))
           (let loop ((l (string->list s)) (part '()) (done '()))
             (cond ((null? l) (reverse (cons (list->string (reverse part)) done)))
                   (((car by) (car l)) (loop (cdr l) '() (cons (list->string (reverse part)) done)))
                   (else (loop (cdr l) (cons (car l) part) done)))))
          ((char? s) (string-split (car by) s))
          (else (%string-split s (car by)))))`,
  "hash-table-ref": `(lambda (t k . more)
    (if (hash-table-contains? t k)
        (let ((v (hash-table-ref/default t k #f)))
          (if (and (pair? more) (pair? (cdr more))) ((cadr more) v) v))
        (if (and (pair? more) (car more)) ((car more)) (error "hash-table-ref: no such key:" k))))`,
  "hash-table-update!": `(lambda (t k f . more)
    (hash-table-set! t k (f (apply hash-table-ref t k more))))`,
  "hash-table-update!/default": `(lambda (t k f d) (hash-table-set! t k (f (hash-table-ref/default t k d))))`,
  "hash-table-intern!": `(lambda (t k f)
    (unless (hash-table-contains? t k) (hash-table-set! t k (f)))
    (hash-table-ref/default t k #f))`,
  "hash-table-walk": `(lambda (t f) (for-each (lambda (e) (f (car e) (cdr e))) (hash-table->alist t)))`,
  "hash-table-for-each": `(lambda (a b) (if (procedure? a) (hash-table-walk b a) (hash-table-walk a b)))`,
  "hash-table-map->list": `(lambda (f t) (map (lambda (e) (f (car e) (cdr e))) (hash-table->alist t)))`,
  "hash-table-fold": `(lambda (a b c)
    (if (procedure? a)
        (fold (lambda (e acc) (a (car e) (cdr e) acc)) b (hash-table->alist c))
        (hash-table-fold b c a)))`,
  "hash-table-prune!": `(lambda (f t)
    (hash-table-walk t (lambda (k v) (if (f k v) (hash-table-delete! t k)))))`,
  "call-with-port": `(lambda (port f)
    (call-with-values (lambda () (f port)) (lambda results (close-port port) (apply values results))))`,
  "call-with-input-file": `(lambda (path f) (call-with-port (open-input-file path) f))`,
  "call-with-output-file": `(lambda (path f) (call-with-port (open-output-file path) f))`,
  "with-input-from-file": `(lambda (path f)
    (call-with-input-file path (lambda (port) (parameterize ((current-input-port port)) (f)))))`,
  "with-output-to-file": `(lambda (path f)
    (call-with-output-file path (lambda (port) (parameterize ((current-output-port port)) (f)))))`,
  "call-with-output-string": `(lambda (f) (let ((port (open-output-string))) (f port) (get-output-string port)))`,
  "with-output-to-string": `(lambda (f)
    (let ((port (open-output-string))) (parameterize ((current-output-port port)) (f)) (get-output-string port)))`,
  "with-input-from-string": `(lambda (s f) (parameterize ((current-input-port (open-input-string s))) (f)))`,
  "read-lines": `(lambda port
    (let loop ((done '()))
      (let ((line (apply read-line port))) (if (eof-object? line) (reverse done) (loop (cons line done))))))`,
  "stream-pair?": `(lambda (x) (and (pair? x) (promise? (cdr x))))`,
  "stream-car": `(lambda (x) (car x))`,
  "stream-cdr": `(lambda (x) (force (cdr x)))`,
  "stream-null?": `(lambda (x) (null? x))`,
  "empty-stream?": `(lambda (x) (null? x))`,
  "stream-head": `(lambda (s n) (if (= n 0) '() (cons (stream-car s) (stream-head (stream-cdr s) (- n 1)))))`,
};
