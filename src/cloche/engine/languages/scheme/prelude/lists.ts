/** Procedures on lists and vectors that call other procedures, in Scheme; each is compiled when it is first used. */

export const LISTS: Record<string, string> = {
  "map": `(lambda (f first . rest)
    (if (null? rest)
        (let loop ((l first) (done '()))
          (cond ((pair? l) (loop (cdr l) (cons (f (car l)) done)))
                ((null? l) (reverse done))
                (else (%no-list 'map first))))
        (let loop ((ls (%step (cons first rest))) (done '()))
          (if ls
              (let ((x (apply f (car ls)))) (loop (%step (cdr ls)) (cons x done)))
              (reverse done)))))`,
  "for-each": `(lambda (f first . rest)
    (if (null? rest)
        (let loop ((l first))
          (cond ((pair? l) (f (car l)) (loop (cdr l)))
                ((null? l) (if #f #f))
                (else (%no-list 'for-each first))))
        (let loop ((ls (%step (cons first rest))))
          (when ls (apply f (car ls)) (loop (%step (cdr ls)))))))`,
  "append-map": `(lambda (f . ls) (apply append (apply map f ls)))`,
  "filter-map": `(lambda (f . ls) (filter (lambda (x) x) (apply map f ls)))`,
  "vector-map": `(lambda (f v . rest) (list->vector (apply map f (vector->list v) (map vector->list rest))))`,
  "vector-for-each": `(lambda (f v . rest)
    (if (null? rest)
        (let ((n (vector-length v)))
          (let loop ((i 0)) (when (< i n) (f (vector-ref v i)) (loop (+ i 1)))))
        (apply for-each f (vector->list v) (map vector->list rest))))`,
  "vector-fold": `(lambda (f seed v) (fold (lambda (x acc) (f acc x)) seed (vector->list v)))`,
  "vector-tabulate": `(lambda (f n) (list->vector (list-tabulate n f)))`,
  "make-initialized-vector": `(lambda (n f) (list->vector (list-tabulate n f)))`,
  "vector-count": `(lambda (f v) (count f (vector->list v)))`,
  "vector-index": `(lambda (f v) (list-index f (vector->list v)))`,
  "vector-swap!":
    `(lambda (v i j) (let ((x (vector-ref v i))) (vector-set! v i (vector-ref v j)) (vector-set! v j x)))`,
  "vector-reverse!": `(lambda (v) (vector-copy! v 0 (list->vector (reverse (vector->list v)))))`,
  "vector-binary-search": `(lambda (v x compare)
    (let loop ((low 0) (high (vector-length v)))
      (if (>= low high) #f
          (let* ((mid (quotient (+ low high) 2)) (c (compare (vector-ref v mid) x)))
            (cond ((= c 0) mid) ((< c 0) (loop (+ mid 1) high)) (else (loop low mid)))))))`,
  "member": `(case-lambda ((x l) (%member x l)) ((x l same?) (find-tail (lambda (y) (same? x y)) l)))`,
  "assoc": `(case-lambda ((x l) (%assoc x l)) ((x l same?) (find (lambda (entry) (same? x (car entry))) l)))`,
  "filter": `(lambda (f l)
    (let loop ((rest l) (done '()))
      (cond ((pair? rest) (loop (cdr rest) (if (f (car rest)) (cons (car rest) done) done)))
            ((null? rest) (reverse done))
            (else (%no-list 'filter l)))))`,
  "remove": `(lambda (f l) (filter (lambda (x) (not (f x))) l))`,
  "partition": `(lambda (f l)
    (let loop ((l l) (in '()) (out '()))
      (cond ((null? l) (values (reverse in) (reverse out)))
            ((f (car l)) (loop (cdr l) (cons (car l) in) out))
            (else (loop (cdr l) in (cons (car l) out))))))`,
  "fold": `(lambda (f seed first . rest)
    (if (null? rest)
        (let loop ((l first) (acc seed))
          (cond ((pair? l) (loop (cdr l) (f (car l) acc)))
                ((null? l) acc)
                (else (%no-list 'fold first))))
        (let loop ((ls (%step (cons first rest))) (acc seed))
          (if ls (loop (%step (cdr ls)) (apply f (append (car ls) (list acc)))) acc))))`,
  "fold-left": `(lambda (f seed first . rest)
    (if (null? rest)
        (fold (lambda (x acc) (f acc x)) seed first)
        (let loop ((ls (%step (cons first rest))) (acc seed))
          (if ls (loop (%step (cdr ls)) (apply f acc (car ls))) acc))))`,
  "fold-right": `(lambda (f seed first . rest)
    (if (null? rest)
        (let loop ((l (reverse first)) (acc seed))
          (if (null? l) acc (loop (cdr l) (f (car l) acc))))
        (let loop ((rows (reverse (apply map list first rest))) (acc seed))
          (if (null? rows) acc (loop (cdr rows) (apply f (append (car rows) (list acc))))))))`,
  "reduce": `(lambda (f seed l) (if (null? l) seed (fold f (car l) (cdr l))))`,
  "reduce-left": `(lambda (f seed l) (if (null? l) seed (fold-left f (car l) (cdr l))))`,
  "reduce-right": `(lambda (f seed l)
    (if (null? l) seed (let ((r (reverse l))) (fold f (car r) (cdr r)))))`,
  "delete":
    `(case-lambda ((x l) (remove (lambda (y) (equal? x y)) l)) ((x l same?) (remove (lambda (y) (same? x y)) l)))`,
  "delete-duplicates": `(lambda (l . same)
    (let ((same? (if (pair? same) (car same) equal?)))
      (let loop ((l l) (done '()))
        (cond ((null? l) (reverse done))
              ((find-tail (lambda (y) (same? y (car l))) done) (loop (cdr l) done))
              (else (loop (cdr l) (cons (car l) done)))))))`,
  "any": `(lambda (f first . rest)
    (if (null? rest)
        (let loop ((l first))
          (and (pair? l) (if (null? (cdr l)) (f (car l)) (or (f (car l)) (loop (cdr l))))))
        (let loop ((ls (%step (cons first rest))))
          (and ls (or (apply f (car ls)) (loop (%step (cdr ls))))))))`,
  "every": `(lambda (f first . rest)
    (if (null? rest)
        (let loop ((l first))
          (or (null? l) (if (null? (cdr l)) (f (car l)) (and (f (car l)) (loop (cdr l))))))
        (let loop ((ls (%step (cons first rest))) (last #t))
          (if ls (let ((x (apply f (car ls)))) (and x (loop (%step (cdr ls)) x))) last))))`,
  "find": `(lambda (f l) (let loop ((l l)) (and (pair? l) (if (f (car l)) (car l) (loop (cdr l))))))`,
  "find-tail": `(lambda (f l) (let loop ((l l)) (and (pair? l) (if (f (car l)) l (loop (cdr l))))))`,
  "list-index": `(lambda (f first . rest)
    (let loop ((ls (%step (cons first rest))) (i 0))
      (and ls (if (apply f (car ls)) i (loop (%step (cdr ls)) (+ i 1))))))`,
  "count": `(lambda (f . ls) (length (filter (lambda (x) x) (apply map f ls))))`,
  "take-while": `(lambda (f l)
    (let loop ((l l) (done '()))
      (if (and (pair? l) (f (car l))) (loop (cdr l) (cons (car l) done)) (reverse done))))`,
  "drop-while": `(lambda (f l) (let loop ((l l)) (if (and (pair? l) (f (car l))) (loop (cdr l)) l)))`,
  "span": `(lambda (f l) (values (take-while f l) (drop-while f l)))`,
  "break": `(lambda (f l) (span (lambda (x) (not (f x))) l))`,
  "split-at": `(lambda (l k) (values (take l k) (drop l k)))`,
  "list-head": `(lambda (l k) (take l k))`,
  "sublist": `(lambda (l start end) (take (drop l start) (- end start)))`,
  "list-tabulate": `(lambda (n f)
    (let loop ((i (- n 1)) (done '())) (if (< i 0) done (loop (- i 1) (cons (f i) done)))))`,
  "make-initialized-list": `(lambda (n f) (list-tabulate n f))`,
  "zip": `(lambda (first . rest) (apply map list first rest))`,
  "unzip2": `(lambda (l) (values (map car l) (map cadr l)))`,
  "unfold": `(lambda (stop? f next seed . tail)
    (let loop ((seed seed) (done '()))
      (if (stop? seed)
          (append-reverse done (if (pair? tail) ((car tail) seed) '()))
          (loop (next seed) (cons (f seed) done)))))`,
  "unfold-right": `(lambda (stop? f next seed . tail)
    (let loop ((seed seed) (done (if (pair? tail) (car tail) '())))
      (if (stop? seed) done (loop (next seed) (cons (f seed) done)))))`,
  "alist-copy": `(lambda (l) (map (lambda (x) (if (pair? x) (cons (car x) (cdr x)) x)) l))`,
  "alist-delete": `(lambda (k l . same)
    (let ((same? (if (pair? same) (car same) equal?))) (remove (lambda (e) (same? k (car e))) l)))`,
  "del-assq": `(lambda (k l) (remove (lambda (e) (eq? k (car e))) l))`,
  "del-assv": `(lambda (k l) (remove (lambda (e) (eqv? k (car e))) l))`,
  "del-assoc": `(lambda (k l) (remove (lambda (e) (equal? k (car e))) l))`,
  "lset-adjoin": `(lambda (same? l . xs)
    (fold (lambda (x l) (if (member x l (lambda (a b) (same? b a))) l (append l (list x)))) l xs))`,
  "lset-union": `(lambda (same? . ls)
    (if (null? ls) '() (fold (lambda (l acc) (apply lset-adjoin same? acc l)) (car ls) (cdr ls))))`,
  "lset-intersection": `(lambda (same? l . ls)
    (filter (lambda (x) (every (lambda (other) (member x other same?)) ls)) l))`,
  "lset-difference": `(lambda (same? l . ls)
    (filter (lambda (x) (every (lambda (other) (not (member x other same?))) ls)) l))`,
  "assert": `(lambda (x . irritants) (if x x (apply error "assertion failed" irritants)))`,
  "%merge-sort": `(lambda (less items)
    (define rest items)
    (define (merge a b)
      (let ((head (list #f)))
        (let loop ((last head) (a a) (b b))
          (cond ((null? a) (set-cdr! last b))
                ((null? b) (set-cdr! last a))
                ((less (car b) (car a)) (set-cdr! last b) (loop b a (cdr b)))
                (else (set-cdr! last a) (loop a (cdr a) b))))
        (cdr head)))
    (define (step n)
      (if (= n 1)
          (let ((p (list (car rest)))) (set! rest (cdr rest)) p)
          (let* ((half (quotient n 2)) (a (step half)) (b (step (- n half)))) (merge a b))))
    (let ((n (length items))) (if (= n 0) '() (step n))))`,
  "list-sort": `(lambda (less items) (or (%native-sort less items) (%merge-sort less items)))`,
  "vector-sort": `(lambda (a b)
    (if (procedure? a)
        (list->vector (list-sort a (vector->list b)))
        (list->vector (list-sort b (vector->list a)))))`,
  "sort": `(lambda (a b)
    (cond ((procedure? a) (sort b a))
          ((vector? a) (vector-sort b a))
          (else (list-sort b a))))`,
  "vector-sort!": `(lambda (a b) (if (procedure? a) (vector-sort! b a) (vector-copy! a 0 (vector-sort b a))))`,
  "sort!": `(lambda (a b) (if (vector? a) (begin (vector-sort! a b) a) (sort a b)))`,
  "list-sorted?": `(lambda (less l)
    (or (null? l) (null? (cdr l)) (and (not (less (cadr l) (car l))) (list-sorted? less (cdr l)))))`,
};
