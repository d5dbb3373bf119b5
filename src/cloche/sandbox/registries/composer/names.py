"""Names of popular Composer packages, to detect misspelt ones, and of what PHP itself has."""

# fmt: off
POPULAR = frozenset((
    "brick/math", "doctrine/inflector", "doctrine/lexer", "erusev/parsedown", "fakerphp/faker",
    "guzzlehttp/guzzle", "laravel/framework", "league/commonmark", "league/csv", "league/flysystem",
    "monolog/monolog", "mustache/mustache", "myclabs/deep-copy", "nesbot/carbon", "nikic/php-parser",
    "phpunit/phpunit", "psr/container", "psr/http-message", "psr/log", "ramsey/uuid", "symfony/console",
    "symfony/process", "symfony/string", "symfony/yaml", "twig/twig", "vlucas/phpdotenv", "webmozart/assert",
))

EXTENSIONS = frozenset((
    "bcmath", "calendar", "core", "ctype", "curl", "date", "dom", "exif", "fileinfo", "filter", "gd", "hash",
    "iconv", "json", "libxml", "mbstring", "mysqli", "mysqlnd", "openssl", "pcre", "pdo", "pdo-sqlite", "phar",
    "random", "reflection", "session", "simplexml", "soap", "sodium", "spl", "sqlite3", "standard", "tokenizer",
    "xml", "xmlreader", "xmlwriter", "zend-opcache", "zip", "zlib",
))
"""Extensions that the sandbox's PHP has."""
# fmt: on
