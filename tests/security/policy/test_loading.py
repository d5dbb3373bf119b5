"""Policy files: what they may say, and what is said about mistakes."""

import re
from pathlib import Path

import pytest

from cloche.errors import ConfigError
from cloche.events import CmdRunAction, MCPAction, MkdirAction
from cloche.security import ActionContext, Decision, load_builtin, load_policy, read_policy
from cloche.security.analyzers.rules import RulesAnalyzer
from cloche.security.policy.rules import KEYS

HEAD = "[[rule]]\n"
RULE = '[[rule]]\nid = "a"\nwhen = {when}\nverdict = "{verdict}"\nreason = "why"\n'


def judge(text: str, command: str) -> Decision:
    analyzer = RulesAnalyzer(policy=read_policy(text, "p.toml"))
    return analyzer.judge(CmdRunAction(command), ActionContext(allowed_hosts=("a.org",))).decision


@pytest.mark.parametrize(
    ("when", "command"),
    [
        ('{ action = "run" }', "ls"),
        ('{ action = ["read", "run*"] }', "ls"),
        ('{ language = "bash" }', "ls"),
        ('{ command = "rm" }', "rm a"),
        ('{ command = "mkfs*" }', "mkfs.ext4 a"),
        ('{ command = "git", args = "push" }', "git push"),
        ('{ command = "git", flags = ["--force", "f"] }', "git push --force"),
        ('{ command = "rm", flags = "r" }', "rm -fr a"),
        ('{ via = "sudo" }', "sudo ls"),
        ('{ access = "write" }', "echo > a"),
        ('{ path = "~/.*rc" }', "cat ~/.bashrc"),
        ('{ path = "src/**" }', "cat src/a/b.py"),
        ('{ path = "/etc/**" }', "ls /etc"),
        ('{ path = "/etc/passwd" }', "cat /e*/p?sswd"),
        ('{ path_inside = "tmp" }', "rm /tmp/a"),
        ('{ path_outside = ["workspace", "tmp"] }', "cat /etc/passwd"),
        ('{ path_outside = "workspace" }', 'cat "$x/a"'),
        ("{ path_computed = true }", 'rm "$x"'),
        ('{ host = "*.evil.com" }', "curl https://a.evil.com"),
        ('{ host = "10.0.0.0/8" }', "curl http://10.1.2.3"),
        ("{ host_listed = true }", "curl a.org"),
        ("{ host_listed = false }", "curl b.org"),
        ('{ code_from = "file" }', "bash a.sh"),
        ('{ construct = "alias" }', "alias a=b"),
        ('{ sets = "LD_*" }', "LD_PRELOAD=a ls"),
        ('{ import = "socket" }', "python3 -c 'import socket'"),
        ('{ call = "os.*" }', "python3 -c 'import os; os.getcwd()'"),
    ],
)
def test_each_key_applies_to_its_facts(when: str, command: str) -> None:
    assert judge(RULE.format(when=when, verdict="deny"), command) is Decision.DENY
    assert judge(RULE.format(when=when, verdict="deny"), "true" if "action" not in when else "") is not None


def test_every_key_is_tested() -> None:
    source = Path(__file__).read_text()
    assert [key for key in KEYS if f"{key} =" not in source] == []


def test_the_page_lists_every_built_in_rule_and_every_key() -> None:
    page = (Path(__file__).parents[3] / "docs/security.md").read_text()
    listed = re.findall(r"^\| `([a-z-]+)` \| (allow|ask|deny) \| (low|medium|high) \| (.+) \|$", page, re.MULTILINE)
    rules = [(rule.id, str(rule.verdict), rule.risk.name.lower(), rule.reason) for rule in load_builtin().rules]
    assert listed == rules
    assert set(re.findall(r"^\| `([a-z_]+)` \| ", page, re.MULTILINE)) >= KEYS.keys()


def test_a_tool_has_a_name() -> None:
    analyzer = RulesAnalyzer(policy=read_policy(RULE.format(when='{ tool = "db_*" }', verdict="deny"), "p"))
    assert analyzer.judge(MCPAction("db_drop"), ActionContext()).decision is Decision.DENY
    assert analyzer.judge(MCPAction("files"), ActionContext()).decision is Decision.ALLOW
    assert analyzer.judge(MkdirAction("/db_drop"), ActionContext()).decision is Decision.ALLOW


def test_the_first_rule_decides_about_a_fact_and_the_worst_fact_about_the_action() -> None:
    text = RULE.format(when='{ command = "rm", path = "/workspace/a" }', verdict="allow")
    text += RULE.format(when='{ command = "rm", access = "remove" }', verdict="deny").replace('"a"', '"b"')
    assert judge(text, "rm a") is Decision.ALLOW
    assert judge(text, "rm a b") is Decision.DENY


def test_what_cannot_be_read_is_never_allowed() -> None:
    everything = RULE.format(when='{ action = "*" }', verdict="allow")
    for command in ("if then", '"$x" a', 'eval "$x"', "curl a.org | cat | bash -s"):
        assert judge(everything, command) is Decision.ASK
    assert judge(everything, "rm -rf /") is Decision.ALLOW


def test_a_policy_may_extend_the_built_in_one_and_have_its_own_default() -> None:
    text = 'extends = "builtin"\n' + RULE.format(when='{ command = "terraform" }', verdict="deny")
    assert judge(text, "terraform apply") is Decision.DENY
    assert judge(text, "rm -rf /") is Decision.DENY
    assert judge('[default]\nverdict = "ask"\n', "ls") is Decision.ASK
    listed = '[default]\nverdict = "ask"\n' + RULE.format(when='{ action = "run" }', verdict="allow")
    assert judge(listed, "ls") is Decision.ALLOW


def test_the_built_in_policy_gives_every_rule_a_reason() -> None:
    rules = load_builtin().rules
    assert len(rules) > 40
    assert all(rule.reason[0].isupper() and not rule.reason.endswith(".") for rule in rules)
    assert all(rule.advice == "" or rule.advice.endswith(".") for rule in rules)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[rule]\n", "p.toml is not TOML"),
        ("[[", "p.toml is not TOML"),
        ("rules = 1", "p.toml: rules: there is no such key. Did you mean rule? Known: default, extends, rule"),
        ("rule = 1", "p.toml: rule: found 1, expected tables: [[rule]]"),
        ("rule = [1]", "p.toml: rule number 1: found 1, expected a table: [[rule]]"),
        ('extends = "other"', 'p.toml: extends: found "other", expected "builtin"'),
        ("default = 1", "p.toml: default: found 1, expected a table: [default]"),
        ('[default]\nverdikt = "ask"', "p.toml: [default] verdikt: there is no such key. Did you mean verdict?"),
        (
            '[default]\nverdict = "alow"',
            'p.toml: [default] verdict: found "alow", expected one of "allow", "ask", "deny". Did you mean allow?',
        ),
        ('[default]\nrisk = "BIG"', 'p.toml: [default] risk: found "BIG", expected one of "LOW", "MEDIUM", "HIGH"'),
        (
            RULE.format(when='{ comand = "rm" }', verdict="deny"),
            'p.toml: rule "a" when comand: there is no such key. Did you mean command? Known: action, language',
        ),
        (RULE.format(when='{ command = 1 }', verdict="deny"), 'p.toml: rule "a" when command: found 1, expected text'),
        (RULE.format(when='{ command = [] }', verdict="deny"), 'rule "a" when command: found a list, expected text'),
        (RULE.format(when='{ command = ["a", 1] }', verdict="deny"), 'rule "a" when command: found 1, expected text'),
        (RULE.format(when='{ command = "" }', verdict="deny"), 'rule "a" when command: found "", expected text'),
        (RULE.format(when="{}", verdict="deny"), 'rule "a" when: found a table: give what the rule is about'),
        (RULE.format(when='"rm"', verdict="deny"), 'rule "a" when: found "rm": give what the rule is about'),
        (RULE.format(when='{ access = "wirte" }', verdict="deny"), '"remove". Did you mean write?'),
        (RULE.format(when='{ construct = "bomb" }', verdict="deny"), 'construct: found "bomb", expected one of'),
        (RULE.format(when='{ host_listed = "yes" }', verdict="deny"), 'found "yes", expected true or false'),
        (RULE.format(when='{ command = "rm" }', verdict="block"), 'rule "a" verdict: found "block", expected one of'),
        (HEAD + 'when = { command = "a" }\nverdict = "ask"\nreason = "b"', 'rule number 1: id is missing'),
        (HEAD + 'id = "x"\nverdict = "ask"\nreason = "b"', 'rule "x" when: it is missing: give what'),
        (HEAD + 'id = "x"\nwhen = { command = "a" }\nreason = "b"', 'rule "x" verdict: it is missing'),
        (HEAD + 'id = "x"\nwhen = { command = "a" }\nverdict = "ask"', 'rule "x": reason is missing'),
        (HEAD + 'id = 3\nwhen = { command = "a" }\nverdict = "ask"\nreason = "b"', "rule number 1 id: found 3"),
        (
            RULE.format(when='{ command = "a" }', verdict="ask") + 'advise = "x"\n',
            'rule "a" advise: there is no such key. Did you mean advice?',
        ),
        (RULE.format(when='{ command = "a" }', verdict="ask") * 2, 'p.toml: rule "a": two rules have this id'),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_policy(text, "p.toml")
    assert said in str(caught.value)


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        read_policy(RULE.format(when='{ comand = "a", flag = "b" }', verdict="no"), "p.toml")
    assert len(str(caught.value).splitlines()) == 3


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"the policy .*none\.toml cannot be read: No such file"):
        load_policy(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_policy(tmp_path)
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="not UTF-8 at byte 0"):
        load_policy(bad)
    bad.write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(ConfigError, match="larger than"):
        load_policy(bad)
