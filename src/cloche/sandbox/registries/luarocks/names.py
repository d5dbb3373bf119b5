"""Names of popular rocks, to detect misspelt ones."""

# fmt: off
POPULAR = frozenset((
    "30log", "ansicolors", "argparse", "basexx", "binser", "busted", "classic", "date", "dkjson", "f-strings",
    "inspect", "json-lua", "lbase64", "lpeg", "lua-cjson", "luafilesystem", "lualinq", "luasocket", "luaunit",
    "lustache", "middleclass", "moses", "penlight", "serpent", "stateful", "template", "vector",
))
# fmt: on
