"""LuaRocks: packages for Lua."""
