"""What is asked for: one requirement, and files of them."""

import pytest

from cloche.errors import ConfigError
from cloche.sandbox.packages.requirements import FILE_LIMIT, parse_requirement, read_requirements


class Files:
    """Files that a test makes up."""

    def __init__(self, **files: str) -> None:
        self.files = {f"/w/{name.replace('_', '.')}": text for name, text in files.items()}

    async def read(self, path: str, limit: int) -> bytes:
        assert limit == FILE_LIMIT
        return self.files[path].encode()


def test_an_address_gets_the_name_of_its_file() -> None:
    assert str(parse_requirement("https://x.example/a/My_Pkg-1.0-py3-none-any.whl#sha256=00")).startswith(
        "my-pkg @ https://x"
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "-e .", "--pre", "a b", "../x", "a @ git+https://x/y", "a @ https://x/y.tar.gz", "https://x/y.zip"),
        *("a @ ftp://x/a-1-py3-none-any.whl", "x" * 2000, "a==1; nonsense == 'x'"),
    ],
)
def test_what_is_no_requirement_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_requirement(text)


async def test_a_file_of_requirements_is_read_with_those_it_names() -> None:
    digest = "0123456789abcdef" * 4
    files = Files(
        a_txt="# ours\nrich>=13  # pretty\n\n-r b.txt\n--constraint=c.txt\n--pre\n"
        f"attrs==23.1 \\\n  --hash=sha256:{digest}\n",
        b_txt="six\nwheels/mine-1.0-py3-none-any.whl\n",
        c_txt="six<2\n",
    )
    listed = await read_requirements("/w/a.txt", files.read)
    assert listed.requirements == ["rich>=13", "six", "/w/wheels/mine-1.0-py3-none-any.whl", "attrs==23.1"]
    assert (listed.constraints, listed.hashes, listed.pre) == (["six<2"], {"attrs": {digest}}, True)


@pytest.mark.parametrize(
    "line",
    [
        *("-i http://x", "--index-url=http://x", "--extra-index-url http://x", "-f x", "-fx", "--find-links x", "-e ."),
        *("--trusted-host x", "--no-such-option", "not a name", "-r a.txt"),
    ],
)
async def test_a_file_of_requirements_decides_nothing_else(line: str) -> None:
    with pytest.raises(ConfigError):
        await read_requirements("/w/a.txt", Files(a_txt=line).read)


async def test_constraints_name_no_addresses() -> None:
    for line in ("a @ https://x.example/a-1.0-py3-none-any.whl", "a===${HOME}"):
        with pytest.raises(ConfigError):
            await read_requirements("/w/c.txt", Files(c_txt=line).read, constraining=True)
