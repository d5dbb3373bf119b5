/** Programs that a sandbox cannot have, and what to use instead. */

const PACKAGES = "this sandbox has no system packages; those of languages can be installed with pip, npm, gem...";
const EDITOR = "there is no screen to edit on; change files with sed -i, a here-document (cat > file <<'EOF') or patch";
const SCREEN = "there is no screen to draw on";
const CONTAINER = "containers cannot run in this sandbox";
const COMPILER = "there is no compiler for native code in this sandbox; python3, node and others run without one";
const REMOTE = "connections other than HTTP cannot be made; HTTP works where allow_net lets it (curl, wget)";
const SERVICES = "this sandbox has no services; start programs in the background with &";
const ROOT = "needs the rights of root, which this sandbox does not have";

const REASONS: [names: string, reason: string][] = [
  ["apt apt-get aptitude dpkg brew yum dnf apk pacman zypper snap", PACKAGES],
  ["vim vi nvim nano emacs pico joe micro", EDITOR],
  ["top htop btop atop", `${SCREEN}; ps aux lists the processes`],
  ["tmux screen", `${SCREEN}; start programs in the background with &`],
  ["docker podman docker-compose kubectl minikube", CONTAINER],
  ["gcc g++ cc c++ clang clang++ ld as nasm tcc", COMPILER],
  ["cmake ninja meson", `${COMPILER}; make works`],
  ["ssh scp sftp ssh-keygen ssh-add telnet ftp nc ncat netcat socat", REMOTE],
  ["ping traceroute nslookup dig host ifconfig ip netstat ss", REMOTE],
  ["systemctl service journalctl crontab at", SERVICES],
  ["mount umount chroot fdisk mkfs modprobe insmod iptables useradd usermod groupadd", ROOT],
  ["strace ltrace gdb lldb valgrind perf", "programs cannot be traced in this sandbox; set -x traces the shell"],
  ["go cargo rustc javac java dotnet", "this language is not in the sandbox"],
  ["virtualenv", "python3 -m venv makes virtual environments"],
  ["uv pipenv poetry pdm pyenv conda mamba", "use pip, and python3 -m venv for virtual environments"],
  ["pipx", "pip install makes the commands of packages available"],
  ["yarn pnpm bun", "use npm and npx"],
  ["code subl gedit", EDITOR],
  ["open xdg-open firefox chromium google-chrome", SCREEN],
  ["lsof fuser", "files that processes hold open cannot be listed; ps aux lists the processes"],
  ["psql mysql redis-cli mongo mongosh", "there are no database servers in this sandbox; sqlite3 works"],
  ["terraform aws gcloud az", `this program is not in the sandbox; ${REMOTE}`],
  [
    "ffmpeg convert magick pandoc latex pdflatex",
    "this program is not in the sandbox; look for a package with pip or npm",
  ],
  ["gpg gpg2", "keys and signatures are not in this sandbox; openssl dgst and enc work"],
  ["parallel", "use xargs -P, or & and wait"],
  ["fd fdfind", "use find, or rg --files"],
  ["ag ack", "use rg or grep -r"],
  ["zless zmore", "decompress first: zcat FILE | less; likewise bzcat, xzcat, zstdcat"],
  ["7z 7za rar unrar", "this program is not in the sandbox; tar, zip, gzip, xz, bzip2 and zstd are"],
  ["nm objdump readelf ldd strip", "there is no native code to look into in this sandbox"],
  ["xmllint xsltproc", "this program is not in the sandbox; python3 has xml.etree"],
  ["tsc", "ts FILE runs TypeScript; npm install typescript@5 brings the compiler, and npx tsc runs it"],
  ["script expect", "there is no terminal to record or to play in this sandbox"],
  ["pytest black flake8 pylint mypy isort tox ipython jupyter", "install it first: pip install NAME"],
  ["dos2unix", "use sed -i 's/\\r$//' FILE"],
  ["unix2dos", "use sed -i 's/$/\\r/' FILE"],
  ["whereis locate", "use command -v for programs, find for files"],
  ["pidof pstree", "use pgrep and ps"],
  ["csvcut csvgrep csvlook mlr xsv", "use xan, awk or python3"],
  ["man info", "there are no manual pages; most commands have --help"],
];

const BY_NAME = new Map(REASONS.flatMap(([names, reason]) => names.split(" ").map((name) => [name, reason] as const)));

/** Why there is no program of this name, if it is one that cannot be. */
export function explainAbsence(name: string): string | undefined {
  return BY_NAME.get(name)?.replace("NAME", name);
}
