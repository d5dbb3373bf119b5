"""The Python inside the sandbox, which packages must be compatible with."""

from functools import cached_property

from packaging.tags import Tag, compatible_tags, cpython_tags


class PythonTarget:
    """A Python built for WebAssembly: which wheels and requirements are for it."""

    def __init__(self, python: str, platform: str) -> None:
        self.python = python
        """Its full version."""
        self.platform = platform
        """The last part of the names of wheels that are built for it."""
        major, minor, *_ = (int(part) for part in python.split(".")[:2])
        self._release = (major, minor)
        self.release = f"{major}.{minor}"
        self.abi = f"cp{major}{minor}"

    @cached_property
    def tags(self) -> frozenset[Tag]:
        """Every tag that a wheel may have."""
        native = cpython_tags(self._release, [self.abi], [self.platform])
        return frozenset([*native, *compatible_tags(self._release, self.abi, [self.platform])])

    @cached_property
    def environment(self) -> dict[str, str]:
        """The values for the markers of requirements."""
        return {
            "implementation_name": "cpython",
            "implementation_version": self.python,
            "os_name": "posix",
            "platform_machine": "wasm32",
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_system": "Emscripten",
            "platform_version": "",
            "python_full_version": self.python,
            "python_version": self.release,
            "sys_platform": "emscripten",
        }

    @cached_property
    def pip_environment(self) -> list[str]:
        """The same as options for pip."""
        return [
            f"--platform={self.platform}",
            f"--python-version={self.release}",
            "--implementation=cp",
            f"--abi={self.abi}",
        ]

    @cached_property
    def pip_options(self) -> list[str]:
        """Options for pip that let it take wheels for this Python, and nothing else."""
        return [*self.pip_environment, "--only-binary=:all:"]
