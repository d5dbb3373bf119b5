"""Names of popular gems, to detect misspelt ones, and of what Ruby itself has."""

# fmt: off
POPULAR = frozenset((
    "activesupport", "addressable", "ast", "awesome_print", "bcrypt", "builder", "colorize", "concurrent-ruby",
    "diff-lcs", "dotenv", "erubi", "faker", "faraday", "haml", "httparty", "i18n", "json", "jwt", "kramdown",
    "liquid", "mail", "mime-types", "minitest", "money", "multi_json", "mustache", "nokogiri", "oj", "paint",
    "pastel", "pg", "pry", "puma", "rack", "rainbow", "rake", "redcarpet", "redis", "rouge", "rspec", "rubocop",
    "rubyzip", "sequel", "sidekiq", "sinatra", "slim", "slop", "sqlite3", "terminal-table", "thor", "tilt",
    "tty-table", "tzinfo", "zeitwerk",
))

DEFAULT_GEMS = frozenset((
    "bundler", "date", "delegate", "did_you_mean", "digest", "english", "erb", "error_highlight", "etc", "fcntl",
    "fileutils", "find", "forwardable", "io-console", "io-nonblock", "io-wait", "ipaddr", "json", "monitor",
    "net-http", "net-protocol", "objspace", "open-uri", "open3", "openssl", "optparse", "pathname", "pp",
    "prettyprint", "prism", "psych", "pty", "resolv", "ripper", "ruby2_keywords", "rubygems", "securerandom",
    "set", "shellwords", "singleton", "socket", "stringio", "strscan", "syntax_suggest", "tempfile", "time",
    "timeout", "tmpdir", "tsort", "un", "uri", "weakref", "yaml", "zlib",
))
"""Gems that are part of Ruby."""

STANDARD = frozenset((
    "bundler", "continuation", "coverage", "date", "delegate", "did_you_mean", "digest", "digest/md5",
    "digest/sha1", "digest/sha2", "english", "English", "erb", "error_highlight", "etc", "fcntl", "fiber",
    "fileutils", "find", "forwardable", "io-console", "io-nonblock", "io-wait", "io/console", "io/wait", "ipaddr",
    "js", "js/require_remote", "json", "json/add/core", "mkmf", "monitor", "net-http", "net-protocol", "net/http",
    "net/protocol", "nkf", "objspace", "open-uri", "open3", "openssl", "optparse", "optparse/time", "pathname",
    "pp", "prettyprint", "prism", "psych", "pty", "random/formatter", "rbconfig", "readline", "reline", "resolv",
    "ripper", "ruby2_keywords", "rubygems", "securerandom", "set", "shellwords", "singleton", "socket",
    "stringio", "strscan", "syntax_suggest", "tempfile", "thwait", "time", "timeout", "tmpdir", "tsort", "un",
    "uri", "weakref", "win32ole", "yaml", "zlib",
))
"""What `require` finds in Ruby's own library."""
# fmt: on
