<?php
/** Functions for cells: run once, when the pack is built. */
namespace Cloche;

\define('STDIN', \fopen('php://stdin', 'r'));
\define('STDOUT', \fopen('php://stdout', 'w'));
\define('STDERR', \fopen('php://stderr', 'w'));

/** Characters of a value that are shown, and how deep. */
const LENGTH = 20000;
const DEPTH = 12;
const WIDTH = 100;
/** How data is written as JSON; pack.ts adds its limits. */
const DATA_FLAGS = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION;

/** Statements that have no value worth showing. */
const SILENT = [
    T_ECHO, T_PRINT, T_IF, T_ELSE, T_ELSEIF, T_ENDIF, T_WHILE, T_ENDWHILE, T_FOR, T_ENDFOR, T_FOREACH, T_ENDFOREACH,
    T_SWITCH, T_ENDSWITCH, T_DO, T_FUNCTION, T_CLASS, T_ABSTRACT, T_FINAL, T_READONLY, T_INTERFACE, T_TRAIT, T_ENUM,
    T_RETURN, T_THROW, T_TRY, T_USE, T_NAMESPACE, T_GLOBAL, T_STATIC, T_UNSET, T_CONST, T_DECLARE, T_ENDDECLARE, T_GOTO,
    T_BREAK, T_CONTINUE, T_INLINE_HTML, T_OPEN_TAG, T_OPEN_TAG_WITH_ECHO, T_CLOSE_TAG, T_EXIT, T_INCLUDE,
    T_INCLUDE_ONCE, T_REQUIRE, T_REQUIRE_ONCE, T_HALT_COMPILER, T_ATTRIBUTE,
];
/** Tokens that continue an expression after a block. */
const FOLLOWING = [
    ';', ',', ')', ']', '.', '?', ':', '+', '-', '*', '/', '%', '=', '<', '>', '&', '|', '^', '(', '[',
    T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_DOUBLE_COLON, T_ELSE, T_ELSEIF, T_CATCH, T_FINALLY, T_WHILE,
    T_INSTANCEOF, T_COALESCE, T_BOOLEAN_AND, T_BOOLEAN_OR, T_IS_EQUAL, T_IS_IDENTICAL, T_IS_NOT_EQUAL,
    T_IS_NOT_IDENTICAL,
];
const ASSIGNING = [
    '=', T_PLUS_EQUAL, T_MINUS_EQUAL, T_MUL_EQUAL, T_DIV_EQUAL, T_CONCAT_EQUAL, T_MOD_EQUAL, T_AND_EQUAL, T_OR_EQUAL,
    T_XOR_EQUAL, T_SL_EQUAL, T_SR_EQUAL, T_POW_EQUAL, T_COALESCE_EQUAL,
];

/** Continues in another environment and at another time than PHP was started in. */
function wake(): void
{
    environment();
    $_SERVER['REQUEST_TIME_FLOAT'] = \microtime(true);
    $_SERVER['REQUEST_TIME'] = (int) $_SERVER['REQUEST_TIME_FLOAT'];
    \chdir('/workspace');
    Packages::refresh();
}

/** Reads the next cell, and answers with the code to run and the definitions that it replaces. */
function prepare(): void
{
    // Forgets the unread input of an earlier cell.
    if (\is_resource(\STDIN)) {
        @\fseek(\STDIN, 0);
    }
    begin(...\json_decode(\post_message_to_js('program'), true));
    $code = \post_message_to_js('code');
    $tokens = parse($code) ?? parse($ended = ended($code));
    if ($tokens === null) {
        return;
    }
    $code = $ended ?? $code;
    foreach (definitions($tokens) as [$kind, $name]) {
        \post_message_to_js("$kind\n$name");
    }
    \post_message_to_js("run\n" . (shown($tokens) ?? $code));
}

/** Files that have been run as cells. */
final class Names
{
    public static array $known = [];
}

/** Sets a cell's arguments, if they change. */
function begin(string $name, ?array $words): void
{
    Names::$known[$name] = true;
    if ($words !== null) {
        $GLOBALS['argv'] = $_SERVER['argv'] = $words;
        $GLOBALS['argc'] = $_SERVER['argc'] = \count($words);
    }
}

/** @return \PhpToken[]|null */
function parse(string $code): ?array
{
    try {
        return \PhpToken::tokenize($code, TOKEN_PARSE);
    } catch (\ParseError) {
        return null;
    }
}

/** The code with a semicolon at its end. */
function ended(string $code): string
{
    $tokens = \PhpToken::tokenize($code);
    for ($last = \count($tokens) - 1; $last > 0 && $tokens[$last]->isIgnorable(); $last--);
    return join($tokens, [$last + 1 => ';']);
}

/** The code with its last expression shown; null when it ends with something else. */
function shown(array $tokens): ?string
{
    [$start, $end] = last_statement($tokens);
    while ($start < $end && ($tokens[$start]->is(T_RETURN) || $tokens[$start]->isIgnorable())) {
        $start++;
    }
    if ($start >= $end || $tokens[$start]->is(SILENT) || assigns($tokens, $start, $end)) {
        return null;
    }
    $code = join($tokens, [$start => '\Cloche\value(', $end => ')']);
    return parse($code) === null ? null : $code;
}

/** The first token of the last statement, and the one after its last. */
function last_statement(array $tokens): array
{
    $count = \count($tokens);
    [$depth, $start, $from, $to] = [0, 1, 1, 1];
    foreach ($tokens as $at => $token) {
        $depth += depth($token);
        if ($depth !== 0 || $at === 0) {
            continue;
        }
        $block = $token->text === '}' && !next_token($tokens, $at)?->is(FOLLOWING);
        if ($token->text === ';' || $block || $token->is([T_OPEN_TAG, T_CLOSE_TAG])) {
            [$from, $to, $start] = [$start, $at, $at + 1];
        }
    }
    for ($last = $count; $last > $start && $tokens[$last - 1]->isIgnorable(); $last--);
    if ($last > $start) {
        [$from, $to] = [$start, $last];
    }
    for (; $to > $from && $tokens[$to - 1]->isIgnorable(); $to--);
    for (; $from < $to && $tokens[$from]->isIgnorable(); $from++);
    return [$from, $to];
}

function depth(\PhpToken $token): int
{
    if ($token->is(['{', '(', '[', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES, T_ATTRIBUTE])) {
        return 1;
    }
    return $token->is(['}', ')', ']']) ? -1 : 0;
}

function next_token(array $tokens, int $at): ?\PhpToken
{
    do {
        $token = $tokens[++$at] ?? null;
    } while ($token?->isIgnorable());
    return $token;
}

function assigns(array $tokens, int $start, int $end): bool
{
    for ($depth = 0, $at = $start; $at < $end; $at++) {
        $depth += depth($tokens[$at]);
        if ($depth === 0 && $tokens[$at]->is(ASSIGNING)) {
            return true;
        }
    }
    return false;
}

/** Joins tokens, with texts inserted before some of them. */
function join(array $tokens, array $put): string
{
    $code = '';
    foreach ($tokens as $at => $token) {
        $code .= ($put[$at] ?? '') . $token->text;
    }
    return $code . ($put[\count($tokens)] ?? '');
}

/** Functions and classes of earlier cells that these tokens define again: kind and name in lower case. */
function definitions(array $tokens): array
{
    $found = [];
    $space = '';
    for ($depth = 0, $at = 0; $at < \count($tokens); $at++) {
        $token = $tokens[$at];
        $depth += depth($token);
        if ($token->is(T_NAMESPACE) && next_token($tokens, $at)?->is([T_STRING, T_NAME_QUALIFIED])) {
            $space = next_token($tokens, $at)->text . '\\';
        }
        $kind = $token->is(T_FUNCTION) ? 'function' : 'class';
        if ($depth !== 0 || !$token->is([T_FUNCTION, T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM])) {
            continue;
        }
        $name = next_token($tokens, $at);
        if ($name?->text === '&') {
            $name = next_token($tokens, \array_search($name, $tokens, true));
        }
        if ($name?->is(T_STRING) && from_cell($kind, $space . $name->text)) {
            $found[] = [$kind, \strtolower($space . $name->text)];
        }
    }
    return $found;
}

function from_cell(string $kind, string $name): bool
{
    if ($kind === 'function') {
        return \function_exists($name) && isset(Names::$known[(new \ReflectionFunction($name))->getFileName()]);
    }
    $known = \class_exists($name, false) || \interface_exists($name, false) || \trait_exists($name, false);
    return $known && isset(Names::$known[(new \ReflectionClass($name))->getFileName()]);
}

/** Called by a cell with its last value. */
function value(mixed $value): void
{
    if ($value === null) {
        return;
    }
    \post_message_to_js("data\n" . data($value));
    $text = show($value, 0, LENGTH);
    \post_message_to_js("value\n" . (\strlen($text) > LENGTH ? \mb_strcut($text, 0, LENGTH, 'UTF-8') . '…' : $text));
}

/** A value as JSON, if it is plain data: of objects, only those of stdClass, which have no code. */
function data(mixed $value): string
{
    [$left, $room] = [DATA_VALUES, DATA_LENGTH];
    $json = is_data($value, 0, $left, $room) ? @\json_encode($value, DATA_FLAGS, DATA_DEPTH + 1) : '';
    return \is_string($json) && \strlen($json) <= DATA_LENGTH ? $json : '';
}

/** Takes from the number of values and the length of texts that are still allowed. */
function is_data(mixed $value, int $depth, int &$left, int &$room): bool
{
    if (\is_string($value)) {
        $room -= \strlen($value);
        return $room >= 0;
    }
    if (\is_object($value) && $value::class === 'stdClass') {
        $value = \get_mangled_object_vars($value);
    }
    if (!\is_array($value)) {
        return $value === null || \is_scalar($value);
    }
    $left -= \count($value);
    if ($left < 0 || $depth === DATA_DEPTH) {
        return false;
    }
    foreach ($value as $key => $each) {
        if (!is_data($key, $depth, $left, $room) || !is_data($each, $depth + 1, $left, $room)) {
            return false;
        }
    }
    return true;
}

function show(mixed $value, int $depth, int $left): string
{
    if (\is_array($value)) {
        return show_array($value, $depth, $left);
    }
    if (\is_string($value)) {
        return \var_export(\mb_strcut(\mb_scrub($value, 'UTF-8'), 0, LENGTH, 'UTF-8'), true);
    }
    if (\is_float($value)) {
        return \var_export($value, true);
    }
    if ($value instanceof \UnitEnum) {
        return '\\' . $value::class . '::' . $value->name;
    }
    return \is_object($value) ? show_object($value, $depth, $left) : (\is_null($value) ? 'null' : \var_export($value, true));
}

/** As print_r does it, but bounded. */
function show_object(object $value, int $depth, int $left): string
{
    static $shown = [];
    $class = \preg_replace('/@anonymous.*/s', '@anonymous', $value::class);
    if ($value instanceof \DateTimeInterface) {
        return "$class Object (" . $value->format('Y-m-d H:i:s.u T') . ')';
    }
    $id = \spl_object_id($value);
    if ($value instanceof \Closure || isset($shown[$id]) || $depth >= DEPTH) {
        return "$class Object" . (isset($shown[$id]) ? ' *RECURSION*' : '');
    }
    if ((new \ReflectionObject($value))->isInternal()) {
        return \trim(\print_r($value, true));
    }
    $shown[$id] = true;
    try {
        return "$class Object\n" . show_properties(\get_mangled_object_vars($value), $depth, $left);
    } finally {
        unset($shown[$id]);
    }
}

function show_properties(array $properties, int $depth, int $left): string
{
    $indent = \str_repeat('    ', $depth);
    $lines = '';
    foreach ($properties as $name => $each) {
        [$name, $class] = \array_pad(\array_reverse(\explode("\0", \ltrim((string) $name, "\0"))), 2, '');
        $kind = $class === '' ? '' : ($class === '*' ? ':protected' : ":$class:private");
        $lines .= "$indent    [$name$kind] => " . show($each, $depth + 1, $left - \strlen($lines)) . "\n";
        if (\strlen($lines) > $left) {
            $lines .= "$indent    ...\n";
            break;
        }
    }
    return "$indent(\n$lines$indent)";
}

function show_array(array $value, int $depth, int $left): string
{
    if ($depth >= DEPTH) {
        return '[...]';
    }
    $parts = [];
    foreach ($value as $key => $each) {
        $text = (\array_is_list($value) ? '' : \var_export($key, true) . ' => ') . show($each, $depth + 1, $left);
        $parts[] = $text;
        $left -= \strlen($text);
        if ($left < 0) {
            $parts[] = '...';
            break;
        }
    }
    $line = '[' . \implode(', ', $parts) . ']';
    if (\strlen($line) + 4 * $depth <= WIDTH && !\str_contains($line, "\n")) {
        return $line;
    }
    $indent = \str_repeat('    ', $depth);
    return "[\n$indent    " . \implode(",\n$indent    ", $parts) . ",\n$indent]";
}

/** Sets environment variables; null removes one. */
function environment(): void
{
    foreach (\json_decode(\post_message_to_js('environment'), true) ?? [] as $name => $value) {
        \putenv($value === null ? $name : "$name=$value");
        if ($value === null) {
            unset($_ENV[$name], $_SERVER[$name]);
        } else {
            $_ENV[$name] = $_SERVER[$name] = $value;
        }
    }
}

/** Whether the code can run as it is. */
function completeness(): void
{
    $code = \post_message_to_js('code');
    $status = 'complete';
    if (parse($code) === null && parse(ended($code)) === null) {
        try {
            \PhpToken::tokenize($code, TOKEN_PARSE);
        } catch (\ParseError $error) {
            $open = \preg_match('/^Unclosed|unexpected end of file/', $error->getMessage());
            $status = $open ? 'incomplete' : 'invalid';
        }
    }
    \post_message_to_js("answer\n$status");
}

/** Completions, one per line. */
function completions(): void
{
    $word = \post_message_to_js('code');
    \post_message_to_js("answer\n" . \implode("\n", \array_slice(candidates($word), 0, 200)));
}

function candidates(string $word): array
{
    if (\preg_match('/^\$(\w+)->(\w*)$/', $word, $match)) {
        $value = $GLOBALS[$match[1]] ?? null;
        $names = \is_object($value) ? [...\array_keys(\get_object_vars($value)), ...\get_class_methods($value)] : [];
        return starting($names, $match[2], "\$$match[1]->");
    }
    if (\preg_match('/^([\w\\\\]+)::(\w*)$/', $word, $match)) {
        $class = \class_exists($match[1]) ? new \ReflectionClass($match[1]) : null;
        $names = $class ? [...\array_keys($class->getConstants()), ...\get_class_methods($match[1])] : [];
        return starting($names, $match[2], "$match[1]::");
    }
    if (\str_starts_with($word, '$')) {
        return starting(\array_keys($GLOBALS), \substr($word, 1), '$');
    }
    ['internal' => $own, 'user' => $user] = \get_defined_functions();
    $names = [...$user, ...$own, ...\get_declared_classes(), ...\array_keys(\get_defined_constants())];
    return $word === '' ? [] : starting($names, $word, '');
}

function starting(array $names, string $prefix, string $before): array
{
    $found = \array_filter($names, fn ($name) => \strncasecmp($name, $prefix, \strlen($prefix)) === 0);
    $found = \array_values(\array_unique(\array_map(fn ($name) => $before . $name, $found)));
    \sort($found);
    return $found;
}

/** The description of a function or class. */
function description(): void
{
    $name = \post_message_to_js('code');
    $known = match (true) {
        \function_exists($name) => new \ReflectionFunction($name),
        \class_exists($name) => new \ReflectionClass($name),
        default => null,
    };
    if ($known !== null) {
        $text = \trim(($known->getDocComment() ?: '') . "\n" . $known);
        \post_message_to_js("answer\n" . \mb_strcut($text, 0, LENGTH, 'UTF-8'));
    }
}
