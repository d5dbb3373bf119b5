import { prints } from "../../../harness_test.ts";

prints("iconv: what GNU prints", {
  "printf 'h\\351' | iconv -f latin1 -t utf8; printf 'hi' | iconv -t UTF-16LE | wc -c": "h\u00e94\n",
});
