/** The configuration files that PHP reads at its start. */

/** Functions that cannot work in a sandbox; calling one says so. */
export const WITHOUT_NETWORK = [
  ..."fsockopen pfsockopen stream_socket_client stream_socket_server stream_socket_pair socket_create".split(" "),
  ..."curl_exec curl_multi_exec dns_get_record dns_get_mx dns_check_record checkdnsrr getmxrr mail ftp_connect gethostbyname gethostbynamel gethostbyaddr"
    .split(
      " ",
    ),
];
export const WITHOUT_PROCESSES = [
  ..."proc_open popen pcntl_fork pcntl_exec posix_kill posix_setuid dl proc_nice".split(" "),
];
/** Megabytes for PHP's code; the rest of what it may have is for PHP itself. */
export const MEMORY = 256;

/** Where PHP looks for its settings. */
export const SETTINGS = "/usr/local/etc/php.ini";
/** Found by `require 'vendor/autoload.php'` where a project has none. */
const LIBRARY = "/usr/share/php";
export const PRELUDE = `${LIBRARY}/prelude.php`;

interface InstalledFiles {
  prelude: Uint8Array;
  /** Whether it runs a program; cells load the prelude once for all. */
  program: boolean;
}

export function filesOf({ prelude, program }: InstalledFiles): Record<string, string | Uint8Array> {
  const settings = [
    "display_errors=stderr",
    "log_errors=0",
    "html_errors=0",
    "variables_order=EGPCS",
    "allow_url_fopen=0",
    "short_open_tag=0",
    "date.timezone=UTC",
    "zend.assertions=1",
    "opcache.enable=0",
    "disable_classes=Fiber",
    `memory_limit=${MEMORY}M`,
    `include_path=".:${LIBRARY}"`,
    `auto_prepend_file=${program ? PRELUDE : ""}`,
    `disable_functions=${[...WITHOUT_NETWORK, ...WITHOUT_PROCESSES].join(",")}`,
  ];
  return {
    [SETTINGS]: `${settings.join("\n")}\n`,
    [PRELUDE]: prelude,
    [`${LIBRARY}/vendor/autoload.php`]: `<?php require_once '${PRELUDE}';\n`,
  };
}
