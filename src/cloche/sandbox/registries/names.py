"""Names that many use, and names of what a language has itself, by which a misspelt one is noticed."""

# fmt: off
NAMES: dict[str, frozenset[str]] = {
    "javascript": frozenset((
        "ajv", "async", "axios", "base64-js", "bluebird", "body-parser", "buffer", "chalk", "cheerio", "chokidar",
        "classnames", "colors", "commander", "cors", "cross-spawn", "csv-parse", "d3", "date-fns", "dayjs", "debug",
        "dotenv", "ejs", "eventemitter3", "express", "fast-glob", "fs-extra", "glob", "graphql", "handlebars",
        "highlight.js", "immer", "immutable", "inquirer", "is-odd", "jquery", "js-yaml", "jsdom", "jsonwebtoken",
        "left-pad", "lodash", "lodash-es", "luxon", "markdown-it", "marked", "mathjs", "minimatch", "minimist",
        "mobx", "moment", "ms", "mustache", "nanoid", "node-fetch", "object-assign", "papaparse", "pluralize",
        "preact", "prettier", "prop-types", "qs", "ramda", "react", "react-dom", "redux", "request", "rxjs", "semver",
        "sharp", "socket.io", "svelte", "three", "tslib", "typescript", "ulid", "underscore", "uuid", "validator",
        "vue", "winston", "ws", "xml2js", "yaml", "yargs", "zod",
    )),
    "ruby": frozenset((
        "activesupport", "addressable", "ast", "awesome_print", "bcrypt", "builder", "colorize", "concurrent-ruby",
        "diff-lcs", "dotenv", "erubi", "faker", "faraday", "haml", "httparty", "i18n", "json", "jwt", "kramdown",
        "liquid", "mail", "mime-types", "minitest", "money", "multi_json", "mustache", "nokogiri", "oj", "paint",
        "pastel", "pg", "pry", "puma", "rack", "rainbow", "rake", "redcarpet", "redis", "rouge", "rspec", "rubocop",
        "rubyzip", "sequel", "sidekiq", "sinatra", "slim", "slop", "sqlite3", "terminal-table", "thor", "tilt",
        "tty-table", "tzinfo", "zeitwerk",
    )),
    "php": frozenset((
        "brick/math", "doctrine/inflector", "doctrine/lexer", "erusev/parsedown", "fakerphp/faker",
        "guzzlehttp/guzzle", "laravel/framework", "league/commonmark", "league/csv", "league/flysystem",
        "monolog/monolog", "mustache/mustache", "myclabs/deep-copy", "nesbot/carbon", "nikic/php-parser",
        "phpunit/phpunit", "psr/container", "psr/http-message", "psr/log", "ramsey/uuid", "symfony/console",
        "symfony/process", "symfony/string", "symfony/yaml", "twig/twig", "vlucas/phpdotenv", "webmozart/assert",
    )),
    "lua": frozenset((
        "30log", "ansicolors", "argparse", "basexx", "binser", "busted", "classic", "date", "dkjson", "f-strings",
        "inspect", "json-lua", "lbase64", "lpeg", "lua-cjson", "luafilesystem", "lualinq", "luasocket", "luaunit",
        "lustache", "middleclass", "moses", "penlight", "serpent", "stateful", "template", "vector",
    )),
    "r": frozenset((
        "abind", "backports", "broom", "caret", "cli", "cowplot", "data.table", "dbplyr", "dplyr", "forcats",
        "forecast", "furrr", "ggplot2", "ggrepel", "glmnet", "glue", "gridExtra", "gt", "Hmisc", "httr2", "igraph",
        "jsonlite", "knitr", "lme4", "lubridate", "magrittr", "MASS", "Matrix", "mgcv", "plotly", "plyr", "purrr",
        "R6", "randomForest", "Rcpp", "readr", "reshape2", "rlang", "rmarkdown", "scales", "shiny", "stringi",
        "stringr", "survival", "tibble", "tidyr", "tidyverse", "vctrs", "viridis", "xgboost", "xml2", "yaml", "zoo",
    )),
    "perl": frozenset((
        "Class::Tiny", "Dancer2", "Data::Dump", "Data::Printer", "Date::Manip", "DateTime", "DateTime::Tiny",
        "Exporter::Tiny", "File::Slurp", "File::Slurper", "HTML::Tiny", "HTTP::Tiny", "IPC::Run", "JSON",
        "JSON::MaybeXS", "JSON::XS", "List::AllUtils", "List::MoreUtils", "LWP::UserAgent", "Math::Prime::Util",
        "Mojolicious", "Moo", "Moose", "Mouse", "Path::Tiny", "Regexp::Common", "Role::Tiny", "Sub::Quote",
        "Template", "Template::Tiny", "Text::CSV", "Text::CSV_PP", "Text::Table", "Text::Template", "Time::Moment",
        "Try::Tiny", "Type::Tiny", "URI", "XML::LibXML", "XML::Simple", "XML::Tiny", "YAML", "YAML::PP", "YAML::Tiny",
    )),
    "node": frozenset((
        "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram",
        "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module",
        "net", "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream",
        "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi",
        "worker_threads", "zlib",
    )),
    "ruby-default": frozenset((
        "bundler", "date", "delegate", "did_you_mean", "digest", "english", "erb", "error_highlight", "etc", "fcntl",
        "fileutils", "find", "forwardable", "io-console", "io-nonblock", "io-wait", "ipaddr", "json", "monitor",
        "net-http", "net-protocol", "objspace", "open-uri", "open3", "openssl", "optparse", "pathname", "pp",
        "prettyprint", "prism", "psych", "pty", "resolv", "ripper", "ruby2_keywords", "rubygems", "securerandom",
        "set", "shellwords", "singleton", "socket", "stringio", "strscan", "syntax_suggest", "tempfile", "time",
        "timeout", "tmpdir", "tsort", "un", "uri", "weakref", "yaml", "zlib",
    )),
    "ruby-standard": frozenset((
        "bundler", "continuation", "coverage", "date", "delegate", "did_you_mean", "digest", "digest/md5",
        "digest/sha1", "digest/sha2", "english", "English", "erb", "error_highlight", "etc", "fcntl", "fiber",
        "fileutils", "find", "forwardable", "io-console", "io-nonblock", "io-wait", "io/console", "io/wait", "ipaddr",
        "js", "js/require_remote", "json", "json/add/core", "mkmf", "monitor", "net-http", "net-protocol", "net/http",
        "net/protocol", "nkf", "objspace", "open-uri", "open3", "openssl", "optparse", "optparse/time", "pathname",
        "pp", "prettyprint", "prism", "psych", "pty", "random/formatter", "rbconfig", "readline", "reline", "resolv",
        "ripper", "ruby2_keywords", "rubygems", "securerandom", "set", "shellwords", "singleton", "socket",
        "stringio", "strscan", "syntax_suggest", "tempfile", "thwait", "time", "timeout", "tmpdir", "tsort", "un",
        "uri", "weakref", "win32ole", "yaml", "zlib",
    )),
}
# fmt: on
"""By language; then what Node, Ruby... come with."""
