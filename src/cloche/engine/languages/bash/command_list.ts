/** The shell's own commands; `make fmt` writes this file, see build/command_list.ts. */

export const SHELL_COMMANDS = `
[ ar arch awk b2sum base32 base64 basename basenc bash bc bunzip2 bzcat bzgrep bzip2 cal cat chgrp chmod chown
cksum clear cmp column comm cp cpio csplit curl cut dash date dc dd df diff dir dirname du echo ed egrep env
envsubst expand expr factor fallocate false fgrep file find flock fmt fold free gawk getconf getopt git gmake
grep groups gunzip gzip hd head hexdump hostname html-to-markdown iconv id install ionice irb join jq kill
killall less link ln locale logname look ls lzcat make mawk md5sum mkdir mkfifo mknod mktemp more mv nawk nice
nl nohup nproc npx numfmt od openssl pager paste patch pathchk pgrep pip pip3 pkill pr printenv printf ps pwd
readlink realpath reset rev rg rm rmdir rsync sed seq setsid sh sha1sum sha224sum sha256sum sha384sum
sha512sum shasum shred shuf sleep sort split stat stdbuf strings stty sudo sum sync tac tail tar tee test time
timeout touch tput tr tree true truncate tsort tty uname unexpand uniq unlink unlzma unxz unzip unzstd uptime
users uudecode uuencode uuidgen vdir w watch wc wget which who whoami xan xargs xxd xz xzcat xzgrep yes yq
zcat zegrep zfgrep zgrep zip zstd zstdcat zstdgrep
`.trim().split(/\s+/);
