"""What is known of programs: which start others, run code, read, write and remove files, or use the network."""

from typing import Literal

from msgspec import Struct

from cloche.security.facts.spelling import split_words


class Wrapper(Struct, frozen=True, kw_only=True):
    """A program that starts the command in its arguments."""

    values: frozenset[str] = frozenset()
    """Its options that take a value."""
    skip: int = 0
    """Its own operands before the command."""
    after: frozenset[str] = frozenset()
    """It starts a command only after one of these words: `uv run`."""
    text: frozenset[str] = frozenset()
    """Options whose value is a command in one text."""
    asks: frozenset[str] = frozenset()
    """With one of these options it starts nothing."""


def _wrapper(values: str = "", skip: int = 0, *, after: str = "", text: str = "", asks: str = "") -> Wrapper:
    words = (frozenset(each.split()) for each in (values, after, text, asks))
    split_values, split_after, split_text, split_asks = words
    return Wrapper(values=split_values, skip=skip, after=split_after, text=split_text, asks=split_asks)


_RUN = _wrapper("--with --python -p --project --env-file --group --extra -n --name", after="run")

WRAPPERS: dict[str, Wrapper] = {
    "sudo": _wrapper("-u -g -h -p -C -r -t -T -U -D -R --user --group --host --chdir --prompt"),
    "doas": _wrapper("-u -C"),
    "su": _wrapper("-g -G -s --shell", text="-c --command", after=" "),
    "runuser": _wrapper("-u --user -g -G -s", text="-c --command"),
    "gosu": _wrapper(skip=1),
    "su-exec": _wrapper(skip=1),
    "env": _wrapper("-u --unset -C --chdir", text="-S --split-string"),
    "timeout": _wrapper("-k -s --signal --kill-after", 1),
    "time": _wrapper("-f -o --format --output"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n -p --class --classdata"),
    "chrt": _wrapper("-T -P -D", 1),
    "taskset": _wrapper(skip=1),
    "nohup": _wrapper(),
    "setsid": _wrapper(),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "unbuffer": _wrapper(),
    "command": _wrapper(asks="-v -V"),
    "builtin": _wrapper(),
    "exec": _wrapper("-a"),
    "coproc": _wrapper(),
    "busybox": _wrapper(),
    "toybox": _wrapper(),
    "xargs": _wrapper(
        "-I -i -n -P -L -d -a -s -E --replace --max-args --max-procs --max-lines --delimiter --arg-file --max-chars"
    ),
    "parallel": _wrapper("-j -I -a -N -n -S --jobs --arg-file --colsep --delay --joblog --results --timeout"),
    "watch": _wrapper("-n --interval"),
    "strace": _wrapper("-e -o -p -s -E"),
    "ltrace": _wrapper("-e -o -p -s"),
    "chroot": _wrapper("--userspec --groups", 1),
    "unshare": _wrapper("-S -G -R -w --root --wd"),
    "nsenter": _wrapper("-t -S -G --target"),
    "fakeroot": _wrapper("-l -s -i"),
    "flock": _wrapper("-w -E --timeout", 1, text="-c --command"),
    "script": _wrapper("-O -I -B -T -m -E -o", text="-c --command", after=" "),
    "setarch": _wrapper(skip=1),
    "torsocks": _wrapper(),
    "proxychains": _wrapper("-f"),
    "xvfb-run": _wrapper("-n -s -e -w -f -p"),
    "ssh-agent": _wrapper("-a -t -E"),
    "systemd-run": _wrapper("-p -u --unit --property --slice"),
    "npx": _wrapper("-p --package", text="-c --call"),
    "npm": _wrapper("-p --package", after="exec x", text="-c --call"),
    "pnpm": _wrapper("-p --package", after="exec dlx", text="-c"),
    "yarn": _wrapper(after="exec dlx"),
    "compgen": _wrapper("-A -G -W -F -X -P -S", after=" ", text="-C"),
    "complete": _wrapper("-A -G -W -F -X -P -S", after=" ", text="-C"),
    "mapfile": _wrapper("-d -n -O -s -u -c", after=" ", text="-C"),
    "readarray": _wrapper("-d -n -O -s -u -c", after=" ", text="-C"),
    "uvx": _wrapper("--with --from --python -p"),
    "uv": _RUN,
    "poetry": _RUN,
    "pipenv": _RUN,
    "pdm": _RUN,
    "hatch": _RUN,
    "conda": _RUN,
}

SHELLS = split_words("sh bash dash zsh ksh mksh ash rbash csh tcsh fish")

INTERPRETERS: dict[str, tuple[str, frozenset[str]]] = {
    "python": ("python", frozenset({"-c"})),
    "pypy": ("python", frozenset({"-c"})),
    "ipython": ("python", frozenset({"-c"})),
    "node": ("javascript", frozenset({"-e", "--eval", "-p", "--print"})),
    "nodejs": ("javascript", frozenset({"-e", "--eval", "-p", "--print"})),
    "bun": ("javascript", frozenset({"-e", "--eval", "-p", "--print"})),
    "deno": ("javascript", frozenset({"eval"})),
    "ts-node": ("typescript", frozenset({"-e", "-p"})),
    "tsx": ("typescript", frozenset({"-e", "-p"})),
    "ruby": ("ruby", frozenset({"-e"})),
    "perl": ("perl", frozenset({"-e", "-E"})),
    "php": ("php", frozenset({"-r"})),
    "lua": ("lua", frozenset({"-e"})),
    "luajit": ("lua", frozenset({"-e"})),
    "R": ("r", frozenset({"-e"})),
    "Rscript": ("r", frozenset({"-e"})),
    "guile": ("scheme", frozenset({"-c"})),
    "scheme": ("scheme", frozenset({"-c"})),
    "osascript": ("other", frozenset({"-e"})),
    "tclsh": ("other", frozenset()),
}
"""Programs that run code: its language, and the options whose value is code."""

CODE_OPTIONS = frozenset({"-c", "-e", "-E", "-r", "-m", "--eval", "--print", "-p", "--expression"})
"""Options whose value is no path."""

FETCHERS = split_words(
    "curl wget fetch aria2c axel lynx w3m links http https xh nc ncat netcat socat ssh scp sftp ftp tftp telnet rsync "
    "gsutil"
)
"""What they print or write has come over the network."""

DECODERS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("base64", "base32", "basenc", "gpg"), frozenset({"d", "D", "decode", "decrypt"})),
    **dict.fromkeys(("gzip", "bzip2", "xz", "zstd", "lz4"), frozenset({"d", "decompress", "uncompress"})),
    **dict.fromkeys(
        ("gunzip", "bunzip2", "unxz", "zcat", "bzcat", "xzcat", "zstdcat", "uudecode", "rev", "tr", "iconv"),
        frozenset[str](),
    ),
    "xxd": frozenset({"r"}),
    "openssl": frozenset({"d"}),
}
"""What makes text of what no reader of the command can read; with one of these flags, or always if there are none."""

PASSING = split_words("cat tee pv head tail sponge")
"""They print what they read."""

FileUse = Literal["remove", "write", "copy", "move", "mode", "edit", "output", "none"]

FILE_USES: dict[str, FileUse] = {
    **dict.fromkeys(("rm", "rmdir", "unlink", "shred", "srm", "wipe"), "remove"),
    **dict.fromkeys(
        ("tee", "touch", "mkdir", "truncate", "mknod", "mkfifo", "ed", "ex", "vi", "vim", "nano", "emacs", "fallocate"),
        "write",
    ),
    **dict.fromkeys(
        ("fdisk", "sfdisk", "gdisk", "parted", "wipefs", "blkdiscard", "hdparm", "mkswap", "badblocks", "visudo"),
        "write",
    ),
    **dict.fromkeys(("cp", "install", "ln", "rsync", "scp", "link"), "copy"),
    "mv": "move",
    "rename": "move",
    **dict.fromkeys(("chmod", "chown", "chgrp", "chattr", "setfacl", "setcap", "chcon"), "mode"),
    **dict.fromkeys(("sed", "gsed", "perl", "ruby"), "edit"),
    **dict.fromkeys(("curl", "wget", "sort", "tar", "unzip", "openssl", "gcc", "cc", "clang", "split"), "output"),
    **dict.fromkeys(
        ("echo", "printf", "test", "[", "true", "false", "basename", "dirname", "which", "type", "cd", "pushd", "let"),
        "none",
    ),
}
"""How a program uses the paths in its arguments; one that is not named reads those that look like paths."""

OUTPUT_OPTIONS: dict[str, frozenset[str]] = {
    "curl": frozenset({"-o", "--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar"}),
    "wget": frozenset({"-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file", "-a"}),
    "sort": frozenset({"-o", "--output"}),
    "tar": frozenset({"-C", "--directory"}),
    "unzip": frozenset({"-d"}),
    "openssl": frozenset({"-out"}),
    **dict.fromkeys(("gcc", "cc", "clang"), frozenset({"-o"})),
}
"""The options that name a file or folder to write."""

VALUE_OPTIONS: dict[str, frozenset[str]] = {
    "curl": split_words(
        "-o --output -d --data --data-raw --data-binary --data-urlencode --json -H --header -X --request -u --user -A "
        "--user-agent -e --referer -F --form -b --cookie -c --cookie-jar -T --upload-file -K --config -m --max-time "
        "--connect-timeout --retry --retry-delay -w --write-out -x --proxy -D --dump-header --cacert -E --cert --key "
        "-r --range --output-dir --resolve --interface --limit-rate -y -Y -z --max-redirs"
    ),
    "wget": split_words(
        "-O --output-document -o --output-file -a --append-output -P --directory-prefix -U --user-agent -T --timeout "
        "-t --tries --header --post-data --post-file -e --execute -Q -l -A -R -D -w --wait --user --password"
    ),
    "nc": frozenset({"-p", "-s", "-w", "-i", "-x", "-X", "-q", "-e", "-c", "-I", "-O"}),
    "ssh": split_words("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"),
    "scp": split_words("-c -D -F -i -J -l -o -P -S -X"),
    "sftp": split_words("-B -b -c -D -F -i -J -l -o -P -R -S -s"),
    "ping": split_words("-c -i -W -w -s -t -I"),
    "dig": split_words("-p -t -b -f -k -y -x -q"),
    "sed": split_words("-e -f -l --expression --file --line-length"),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "nawk"),
        split_words("-v -F -f -i -l -e -E --assign --field-separator --file --include --load --source --exec"),
    ),
    **dict.fromkeys(("cp", "mv", "ln"), frozenset({"-t", "--target-directory", "-S", "--suffix"})),
    "truncate": split_words("-s --size -r --reference"),
    "touch": split_words("-d -t -r --date --reference"),
    "mkdir": split_words("-m --mode"),
    "install": split_words("-t --target-directory -m -o -g -S --mode --owner --group"),
    "shred": split_words("-n -s --iterations --size"),
    "bash": split_words("-c -o -O +o +O --rcfile --init-file"),
    "python": split_words("-c -m -W -X"),
    **{name: options[1] for name, options in INTERPRETERS.items() if options[1] and name not in ("python", "deno")},
}
"""The options of programs that take a value; without them the value would count as an operand."""

NO_HOSTS = split_words(
    "grep egrep fgrep rg ag sed gsed awk gawk mawk jq yq find cat head tail less diff cmp sort wc tr cut perl ruby "
    "python node nodejs php lua export declare local readonly"
)
"""Addresses in their arguments are text."""
GIT_REMOTE = split_words("clone fetch pull push remote submodule ls-remote")
"""What of git goes to the network."""
URL_OPERANDS = split_words("curl wget http https xh lynx w3m links axel aria2c fetch")
"""Their operands are addresses, also without a scheme."""
HOST_OPERANDS = split_words("ssh sftp scp rsync")
"""Their operands may be user@host:path."""
HOST_FIRST = split_words(
    "nc ncat netcat telnet ping ping6 dig nslookup host whois traceroute tracepath mtr ftp tftp nmap"
)
"""Their first operand is a host."""
