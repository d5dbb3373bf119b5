"""Names of popular npm packages, to detect misspelt ones, and of what Node itself has."""

# fmt: off
POPULAR = frozenset((
    "ajv", "async", "axios", "base64-js", "bluebird", "body-parser", "buffer", "chalk", "cheerio", "chokidar",
    "classnames", "colors", "commander", "cors", "cross-spawn", "csv-parse", "d3", "date-fns", "dayjs", "debug",
    "dotenv", "ejs", "eventemitter3", "express", "fast-glob", "fs-extra", "glob", "graphql", "handlebars",
    "highlight.js", "immer", "immutable", "inquirer", "is-odd", "jquery", "js-yaml", "jsdom", "jsonwebtoken",
    "left-pad", "lodash", "lodash-es", "luxon", "markdown-it", "marked", "mathjs", "minimatch", "minimist",
    "mobx", "moment", "ms", "mustache", "nanoid", "node-fetch", "object-assign", "papaparse", "pluralize",
    "preact", "prettier", "prop-types", "qs", "ramda", "react", "react-dom", "redux", "request", "rxjs", "semver",
    "sharp", "socket.io", "svelte", "three", "tslib", "typescript", "ulid", "underscore", "uuid", "validator",
    "vue", "winston", "ws", "xml2js", "yaml", "yargs", "zod",
))

NODE_MODULES = frozenset((
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram",
    "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module",
    "net", "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream",
    "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi",
    "worker_threads", "zlib",
))
"""Modules that Node has itself."""
# fmt: on
