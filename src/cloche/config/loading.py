"""load_config: defaults, then the file, then the environment."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from cloche.config.app_config import AppConfig, Origin
from cloche.config.config_file import ConfigFile, candidate_paths, read_file
from cloche.config.environment import add_environment, note_unread
from cloche.config.option_list import OTHER_NAMES, SECTIONS, UNUSED, list_options
from cloche.config.plain_values import copy_tree, is_table
from cloche.config.reading import ConfigPlace, S, SectionReader
from cloche.config.sections import (
    A2AConfig,
    AgentConfig,
    CoreConfig,
    LLMConfig,
    MCPConfig,
    NamedServer,
    RemoteConfig,
    SandboxConfig,
    Section,
    SecurityConfig,
    ServerConfig,
)
from cloche.config.trust import check_trust
from cloche.config.wording import format_header, quote_value, suggest_word
from cloche.errors import ConfigError

T = TypeVar("T", bound=Section)
Tree = dict[str, Any]


def load_config(path: str | Path | None = None, env: Mapping[str, str] = os.environ) -> AppConfig:
    """Read the configuration: the file `path`, else the one CLOCHE_CONFIG names, else one that is found.

    Raises a ConfigError that names every wrong value with its file, its key and what to write instead.
    """
    found = find_file(path, env)
    reader = SectionReader(found.file)
    tree = _pick_sections(found.file.tables if found.file else {}, reader)
    reader.problems.extend(add_environment(tree, env))
    config = _read_sections(tree, reader)
    if reader.problems:
        raise ConfigError("\n".join(reader.problems))
    unused = [format_header((name,)) for name in UNUSED if found.file and name in found.file.tables]
    passed = [f"{found.file.path}: not used by Cloche: {', '.join(unused)}"] if found.file and unused else []
    origin = Origin(
        file=found.file.path if found.file else None,
        looked_for=tuple(found.looked_for),
        sources=reader.sources,
        notes=(*found.notes, *passed, *note_unread(env)),
    )
    return replace(config, origin=origin)


class FoundConfig(NamedTuple):
    """The result of searching for a file."""

    file: ConfigFile | None
    looked_for: list[Path]
    notes: list[str]
    """Notes about files that were skipped."""


def find_file(path: str | Path | None, env: Mapping[str, str]) -> FoundConfig:
    """Find and parse the file: the named one, else the first that exists, which must be trusted."""
    if named := path or env.get("CLOCHE_CONFIG"):
        place = Path(named).expanduser()
        return FoundConfig(read_file(place, named=True), [place], [])
    here, home = candidate_paths(env)
    notes: list[str] = []
    if os.path.lexists(here):
        file = read_file(here, named=False)
        if file.tables.keys() & SECTIONS.keys():
            check_trust(file, env)
            return FoundConfig(file, [here], [])
        notes.append(f"{here} in this folder is not read: it has no section of Cloche ({', '.join(SECTIONS)})")
    file = read_file(home, named=False) if os.path.lexists(home) else None
    return FoundConfig(file, [here, home], notes)


def _pick_sections(tables: Mapping[str, Any], reader: SectionReader) -> Tree:
    """A copy with only the sections that are read, and with our names for keys."""
    for name in tables:
        if name not in SECTIONS and name not in UNUSED:
            reader.complain(ConfigPlace((name,)), _explain_misplaced(name, tables[name]))
    tree = {name: copy_tree(tables[name]) for name in SECTIONS if name in tables}
    for name, table in tree.items():
        if is_table(table):
            _rename_keys(table, name, reader)
    return tree


def _rename_keys(table: Tree, section: str, reader: SectionReader) -> None:
    """Give keys that have another name in OpenHands ours."""
    for other, ours in OTHER_NAMES.get(section, {}).items():
        if other in table:
            value = table.pop(other)
            if ours in table:
                at = ConfigPlace((section, other))
                reader.complain(at, f"{ours} is given too, which is the same: remove one of them")
            table[ours] = [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _explain_misplaced(name: str, value: object) -> str:
    """What is wrong with a name at the top of a file that is not a section."""
    homes = [format_header((section,)) for section, kind in SECTIONS.items() if name in list_options(kind)]
    if homes and not is_table(value):
        return f"this key stands above every section: move it below {' or '.join(homes)}"
    return f"there is no such section.{suggest_word(name, SECTIONS)} Known: {', '.join(SECTIONS)}"


def _read_sections(tree: Tree, reader: SectionReader) -> AppConfig:
    core = reader.section(CoreConfig, tree.get("core", {}), ConfigPlace(("core",)))
    sandbox = reader.section(SandboxConfig, tree.get("sandbox", {}), ConfigPlace(("sandbox",)))
    security = reader.section(SecurityConfig, tree.get("security", {}), ConfigPlace(("security",)))
    a2a = reader.section(A2AConfig, tree.get("a2a", {}), ConfigPlace(("a2a",)))
    server = reader.section(ServerConfig, tree.get("server", {}), ConfigPlace(("server",)))
    remote = reader.section(RemoteConfig, tree.get("remote", {}), ConfigPlace(("remote",)))
    mcp, servers = _read_named(MCPConfig, NamedServer, "mcp", tree, reader)
    agent, agents = _read_named(AgentConfig, AgentConfig, "agent", tree, reader)
    llm, llms = _read_named(LLMConfig, LLMConfig, "llm", tree, reader)
    config = AppConfig(
        core=core or CoreConfig(),
        sandbox=sandbox or SandboxConfig(),
        mcp=replace(mcp, servers=servers),
        a2a=a2a or A2AConfig(),
        agent=agent,
        agents=agents,
        llm=llm,
        llms=llms,
        security=security or SecurityConfig(),
        server=server or ServerConfig(),
        remote=remote or RemoteConfig(),
    )
    if not reader.problems:
        _check_names(config, reader)
    return config


def _read_named(kind: type[S], inner: type[T], name: str, tree: Tree, reader: SectionReader) -> tuple[S, dict[str, T]]:
    """A section and the named ones in it; if both are of one kind, the named ones inherit from it."""
    table = tree.get(name, {})
    split = table if is_table(table) else {}
    named = {key: each for key, each in split.items() if key not in list_options(kind) and is_table(each)}
    own = {key: each for key, each in split.items() if key not in named} if table is split else table
    section: S = reader.section(kind, own, ConfigPlace((name,))) or kind()
    common: Section = section
    base = common if isinstance(common, inner) else None
    read = {key: reader.section(inner, each, ConfigPlace((name, key)), base) for key, each in named.items()}
    return section, {key: each for key, each in read.items() if each is not None}


def _check_names(config: AppConfig, reader: SectionReader) -> None:
    """Check names that refer to others, and names that must differ."""
    for keys, section in config.tables():
        if isinstance(section, AgentConfig) and section.llm_config and section.llm_config not in config.llms:
            wanted = section.llm_config
            hint = suggest_word(wanted, config.llms) or f" Known: {', '.join(config.llms) or 'none'}"
            at = ConfigPlace((*keys, "llm_config"))
            reader.complain(
                at, f"there is no section {format_header(('llm', wanted))}: add it, or remove this key.{hint}"
            )
    names = [server.name for server in config.mcp.stdio_servers]
    for name in dict.fromkeys(each for each in names if names.count(each) > 1):
        reader.complain(
            ConfigPlace(("mcp", "stdio_servers")),
            f"two servers have the name {quote_value(name)}: give one another name",
        )
