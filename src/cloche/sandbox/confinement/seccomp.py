"""The seccomp filter of a sandbox process, as hand-written BPF: refuses the system calls it never needs."""

import errno
import platform
import struct

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_REFUSE = 0x00050000 | errno.EPERM
_MISSING = 0x00050000 | errno.ENOSYS

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Architecture to its column in the tables below and its AUDIT_ARCH value."""

_X32 = 0x40000000
"""Set in the numbers of the x32 ABI, which would name the same calls a second time."""

_REFUSED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "fork": (57, None),
    "vfork": (58, None),
    "execveat": (322, 281),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    # files by means other than a path, and owners and attributes of files
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "fanotify_init": (300, 262),
    # memory and messages shared by name
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # large interfaces of the kernel
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    # the machine
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "iopl": (172, None),
    "ioperm": (173, None),
}

_MODES: dict[str, tuple[int | None, int | None]] = {"chmod": (90, None), "fchmodat": (268, 53), "fchmodat2": (452, 452)}
"""Change of mode by path: no Landlock right covers it, so that a link could lead it out."""

_GIVING_MODE: tuple[tuple[int | None, int | None, int], ...] = (
    (90, None, 1),  # chmod
    (91, 52, 1),  # fchmod
    (268, 53, 2),  # fchmodat
    (452, 452, 2),  # fchmodat2
    (85, None, 1),  # creat
)
"""Calls that give a file its mode, and which argument that is."""

_OPENING: tuple[tuple[int | None, int | None, int], ...] = ((2, None, 1), (257, 56, 2))
"""open and openat, and which argument holds the flags; the mode comes next, and counts if a file is made."""

_SET_USER_ID = 0o4000
_MAKES_FILE = 0x400040
"""O_CREAT and O_TMPFILE."""

_OPENAT2 = (437, 437)
_SOCKET, _SOCKETPAIR, _CLONE, _CLONE3 = (41, 198), (53, 199), (56, 220), (435, 435)
_IOCTL, _PRCTL, _PRLIMIT = (16, 29), (157, 167), (302, 261)

_AF_UNIX = 1
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_PR_SET_PDEATHSIG = 1
_CLONE_THREAD = 0x00010000
_CLONE_NEW = 0x7E020000
"""Every namespace flag that clone takes."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH = 0, 4
"""Offsets in the data the kernel shows to the filter."""

_Code = list[tuple[int, int, int, int]]


def is_supported(architecture: str | None = None) -> bool:
    """Whether the filter can be built for this machine."""
    return (architecture or platform.machine()) in _ARCHITECTURES


def build_filter(architecture: str | None = None, *, modes_by_path: bool = True) -> bytes:
    """The filter as an array of `struct sock_filter`; without `modes_by_path`, chmod works on open files only."""
    column, arch = _ARCHITECTURES[architecture or platform.machine()]
    code = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, arch), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    if column == 0:
        code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _REFUSE)]
    for numbers in (_REFUSED if modes_by_path else _REFUSED | _MODES).values():
        if (number := numbers[column]) is not None:
            code += _answer_call(number, [], _REFUSE)
    code += _by_argument(column) + _set_user_id(column)
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _by_argument(column: int) -> _Code:
    code: _Code = []
    for call in (_SOCKET, _SOCKETPAIR):
        code += _answer_call(call[column], [_load_argument(0), (_EQUAL, 1, 0, _AF_UNIX)], _REFUSE)
    # A thread may be started, a process or a namespace may not. clone3 takes its flags through a pointer that a filter
    # cannot follow; libc uses clone if clone3 does not exist.
    code += _answer_call(_CLONE[column], [_load_argument(0), (_ANY_BIT, 1, 0, _CLONE_THREAD)], _REFUSE)
    code += _answer_call(_CLONE[column], [_load_argument(0), (_ANY_BIT, 0, 1, _CLONE_NEW)], _REFUSE)
    code += _answer_call(_CLONE3[column], [], _MISSING)
    code += _answer_call(_IOCTL[column], [_load_argument(1), (_EQUAL, 0, 1, _TIOCSTI)], _REFUSE)
    code += _answer_call(_IOCTL[column], [_load_argument(1), (_EQUAL, 0, 1, _TIOCLINUX)], _REFUSE)
    code += _answer_call(_PRCTL[column], [_load_argument(0), (_EQUAL, 0, 1, _PR_SET_PDEATHSIG)], _REFUSE)
    code += _answer_call(_PRLIMIT[column], [_load_argument(0), (_EQUAL, 1, 0, 0)], _REFUSE)
    return code


def _set_user_id(column: int) -> _Code:
    """No setuid bit on a file: a file of root with it would run as root."""
    bit = (_ANY_BIT, 0, 1, _SET_USER_ID)
    # Like clone3, openat2 takes what matters through a pointer, and callers fall back to an older call.
    code = _answer_call(_OPENAT2[column], [], _MISSING)
    for *numbers, mode in _GIVING_MODE:
        if (number := numbers[column]) is not None:
            code += _answer_call(number, [_load_argument(mode), bit], _REFUSE)
    for *numbers, flags in _OPENING:
        if (number := numbers[column]) is not None:
            makes = (_ANY_BIT, 0, 3, _MAKES_FILE)
            code += _answer_call(number, [_load_argument(flags), makes, _load_argument(flags + 1), bit], _REFUSE)
    return code


def _load_argument(index: int) -> tuple[int, int, int, int]:
    """Load the low half of an argument: the kernel reads no more of those tested here (all machines little-endian)."""
    return (_LOAD, 0, 0, 16 + 8 * index)


def _answer_call(number: int, test: _Code, action: int) -> _Code:
    """Answer `action` to call `number` if `test` is true; `test` jumps over the answer if not."""
    body = [*test, (_RETURN, 0, 0, action)]
    if test:
        body.append((_LOAD, 0, 0, _NUMBER))
    return [(_EQUAL, 0, len(body), number), *body]
