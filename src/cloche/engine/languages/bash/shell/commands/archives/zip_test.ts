import { prints } from "../../../harness_test.ts";

prints("zip and unzip say and do what Info-ZIP's do", {
  "echo hi > a; mkdir d; echo x > d/f; zip z.zip a d; zip -r z.zip d a nix; zip z.zip nix; echo $?; zip -d z.zip a":
    "  adding: a (stored 0%)\n  adding: d/ (stored 0%)\n\tzip warning: name not matched: nix\n" +
    "updating: a (stored 0%)\nupdating: d/ (stored 0%)\n  adding: d/f (stored 0%)\n" +
    "\tzip warning: name not matched: nix\n\nzip error: Nothing to do! (z.zip)\n12\ndeleting: a\n",
  "mkdir d; echo x > d/f; echo y > d/g; zip -qr z.zip d -x '*g'; mkdir o; unzip z.zip -d o; unzip -n z.zip -d o; unzip z.zip nix; echo $?":
    "Archive:  z.zip\n   creating: o/d/\n extracting: o/d/f                   \nArchive:  z.zip\nArchive:  z.zip\n11\n",
  "echo x > f; ln -s f l; zip -qy z.zip l; rm l; unzip -q z.zip; readlink l; unzip nix 2>&1; echo $?":
    "f\nunzip:  cannot find or open nix, nix.zip or nix.ZIP.\n9\n",
});
