<?php
/** For cells and programs: lines of input, and the classes of installed packages. */
namespace Cloche {
    /** Where the host has put the packages, and which classes they have. */
    final class Packages
    {
        private const MAP = '/opt/languages/php/autoload.json';
        private static array $map = ['psr-4' => [], 'psr-0' => [], 'classmap' => [], 'files' => []];
        private static int $time = -1;

        /** Reads the list of classes again if it may have changed, and runs the files that packages autoload. */
        public static function refresh(bool $changed = false): void
        {
            \clearstatcache(true, self::MAP);
            // The list itself has no time, its folder has.
            $time = \is_file(self::MAP) ? 1 + \filemtime(\dirname(self::MAP)) : 0;
            if ($time === self::$time && !$changed) {
                return;
            }
            self::$time = $time;
            $map = $time === 0 ? null : \json_decode((string) \file_get_contents(self::MAP), true);
            self::$map = (\is_array($map) ? $map : []) + ['psr-4' => [], 'psr-0' => [], 'classmap' => [], 'files' => []];
            foreach (self::$map['files'] as $file) {
                (static fn () => require_once $file)();
            }
        }

        public static function load(string $class): void
        {
            self::refresh();
            $found = self::find($class);
            if ($found === null && \str_contains($class, '\\') && \post_message_to_js("provide\n$class") === 'done') {
                self::refresh(true);
                $found = self::find($class);
            }
            if ($found !== null) {
                (static fn () => require_once $found)();
            }
        }

        private static function find(string $class): ?string
        {
            if (isset(self::$map['classmap'][$class])) {
                return self::$map['classmap'][$class];
            }
            $path = \strtr($class, '\\', '/') . '.php';
            return self::search('psr-4', $class, fn ($prefix) => \substr($path, \strlen($prefix)))
                ?? self::search('psr-0', $class, fn () => self::underscored($path));
        }

        /** The file of the longest prefix that has one. */
        private static function search(string $kind, string $class, \Closure $rest): ?string
        {
            $prefixes = \array_filter(\array_keys(self::$map[$kind]), fn ($each) => \str_starts_with($class, $each));
            \usort($prefixes, fn ($one, $other) => \strlen($other) - \strlen($one));
            foreach ($prefixes as $prefix) {
                foreach ((array) self::$map[$kind][$prefix] as $folder) {
                    $file = \rtrim($folder, '/') . '/' . \ltrim($rest($prefix), '/');
                    if (\is_file($file)) {
                        return $file;
                    }
                }
            }
            return null;
        }

        private static function underscored(string $path): string
        {
            $cut = (int) \strrpos($path, '/');
            return \substr($path, 0, $cut) . \strtr(\substr($path, $cut), '_', '/');
        }
    }

    \spl_autoload_register(Packages::load(...));
    Packages::refresh();
}

namespace {
    if (!function_exists('readline')) {
        function readline(?string $prompt = null): string|false
        {
            if ($prompt !== null && post_message_to_js("prompt\n$prompt") !== 'done') {
                echo $prompt;
            }
            $line = fgets(STDIN);
            return $line === false ? false : rtrim($line, "\r\n");
        }

        function readline_add_history(string $prompt): true
        {
            return true;
        }
    }
}
