"""The filter of system calls, evaluated as the kernel would, for machines this one is not as well."""

import errno
import struct

import pytest

from cloche.sandbox.confinement import seccomp

ALLOWED, REFUSED, MISSING, KILLED = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS, 0x80000000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = sorted(AUDIT)

THREAD = 0x3D0F00
"""The flags libc starts a thread with."""


def answer(program: bytes, audit: int, number: int, *arguments: int) -> int:
    """What the kernel does with a call, found by running the filter."""
    data = struct.pack("=iIQ6Q", number, audit, 0, *arguments, *[0] * (6 - len(arguments)))
    code = list(struct.iter_unpack("=HBBI", program))
    value, at = 0, 0
    while True:
        operation, yes, no, operand = code[at]
        at += 1
        match operation:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, operand)
            case 0x06:
                return operand
            case _:
                tests = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}
                at += yes if tests[operation] else no


def ask(machine: str, x86: int, arm: int, *arguments: int) -> int:
    return answer(seccomp.build_filter(machine), AUDIT[machine], x86 if machine == "x86_64" else arm, *arguments)


@pytest.mark.parametrize("machine", MACHINES)
def test_reading_writing_and_waiting_are_allowed(machine: str) -> None:
    for x86, arm in ((0, 63), (1, 64), (257, 56), (202, 98), (9, 222), (59, 221)):
        assert ask(machine, x86, arm) == ALLOWED


@pytest.mark.parametrize("machine", MACHINES)
def test_ptrace_signals_mounts_and_new_processes_are_refused(machine: str) -> None:
    for x86, arm in ((101, 117), (62, 129), (234, 131), (165, 40), (272, 97), (425, 425), (321, 280), (304, 265)):
        assert ask(machine, x86, arm) == REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_only_unix_sockets_can_be_made(machine: str) -> None:
    assert ask(machine, 41, 198, 1) == ALLOWED
    assert ask(machine, 53, 199, 1) == ALLOWED
    for family in (0, 2, 10, 16, 17, 40):
        assert ask(machine, 41, 198, family) == REFUSED
    # The kernel looks at the low half of the family only, and so must the filter.
    assert ask(machine, 41, 198, 1 << 32 | 2) == REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_may_be_started_but_not_processes_or_namespaces(machine: str) -> None:
    assert ask(machine, 56, 220, THREAD) == ALLOWED
    assert ask(machine, 56, 220, 17) == REFUSED
    for namespace in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert ask(machine, 56, 220, THREAD | namespace) == REFUSED
    assert ask(machine, 435, 435) == MISSING


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_are_refused_by_what_they_ask_for(machine: str) -> None:
    assert ask(machine, 16, 29, 0, 0x5413) == ALLOWED
    assert ask(machine, 16, 29, 0, 0x5412) == REFUSED
    assert ask(machine, 157, 167, 15) == ALLOWED
    assert ask(machine, 157, 167, 1) == REFUSED
    assert ask(machine, 302, 261, 0) == ALLOWED
    assert ask(machine, 302, 261, 1) == REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_modes_by_path_are_refused_where_links_could_lead_out(machine: str) -> None:
    number = 268 if machine == "x86_64" else 53
    assert answer(seccomp.build_filter(machine), AUDIT[machine], number) == ALLOWED
    assert answer(seccomp.build_filter(machine, modes_by_path=False), AUDIT[machine], number) == REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_no_file_can_be_made_to_run_as_its_owner(machine: str) -> None:
    creating = 0x40
    for x86, arm, before in ((91, 52, (3,)), (268, 53, (3, 0)), (257, 56, (3, 0, creating))):
        assert ask(machine, x86, arm, *before, 0o755) == ALLOWED
        assert ask(machine, x86, arm, *before, 0o4755) == REFUSED
    # Without a file to make, there is no mode, whatever the register holds.
    assert ask(machine, 257, 56, 3, 0, 0, 0o4755) == ALLOWED
    assert ask(machine, 437, 437) == MISSING


def test_calls_by_another_calling_convention_do_not_pass() -> None:
    program = seccomp.build_filter("x86_64")
    assert answer(program, 0x40000003, 20) == KILLED
    assert answer(program, AUDIT["x86_64"], 0x40000000 | 41, 2) == REFUSED
    assert answer(seccomp.build_filter("aarch64"), 0x40000028, 20) == KILLED


def test_an_unknown_machine_is_said_to_be_unsupported() -> None:
    assert seccomp.is_supported("x86_64")
    assert not seccomp.is_supported("riscv64")
