import { prints } from "../../../harness_test.ts";

prints("checksums and encodings: what GNU prints", {
  "printf abc > f; md5sum f; sha224sum f; sha256sum --tag f; b2sum -l 128 f":
    "900150983cd24fb0d6963f7d28e17f72  f\n23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7  f\nSHA256 (f) = ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\ncf4ab791c62b8d2b2109c90275287816  f\n",
  "seq 3 > f; sha256sum f > s; sha256sum -c --quiet s; echo $?; echo x >> f; sha256sum -c --status s; echo $?":
    "0\n1\n",
  "echo a > f; sha256sum f > s; echo b > f; sha256sum -c --ignore-missing s 2>&1":
    "f: FAILED\nsha256sum: WARNING: 1 computed checksum did NOT match\nsha256sum: s: no file was verified\n",
  "printf hello | base32; printf hello | base32 | base32 -d; printf hi | basenc --base16": "NBSWY3DP\nhello6869\n",
});

prints("cksum and sum: what GNU prints", {
  "seq 1000 > f; cksum f; sum f; sum -s < f; cksum -a sha256 f; cksum -a sha1 f > s; cksum -c s":
    "1830648734 3893 f\n20029     4 f\n31295 8\nSHA256 (f) = 67d4ff71d43921d5739f387da09746f405e425b07d727e4c69d029461d1f051f\nf: OK\n",
});

prints("shasum as Perl has it", {
  "echo hi > f; shasum f; shasum -a 256 f > s; shasum -c s; shasum -a 512 f | shasum -c; echo x > f; shasum -c s 2>&1; echo $?; shasum -a 7 f 2>&1":
    "55ca6286e3e4f4fba5d0448333fa99fc5a404a73  f\nf: OK\nf: OK\nf: FAILED\nshasum: WARNING: 1 computed checksum did NOT match\n1\nshasum: Unrecognized algorithm\nType shasum -h for help\n",
});
