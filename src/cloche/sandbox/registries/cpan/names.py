"""Names of popular CPAN modules, to detect misspelt ones, and of what Perl itself has."""

# fmt: off
POPULAR = frozenset((
    "Class::Tiny", "Dancer2", "Data::Dump", "Data::Printer", "Date::Manip", "DateTime", "DateTime::Tiny",
    "Exporter::Tiny", "File::Slurp", "File::Slurper", "HTML::Tiny", "HTTP::Tiny", "IPC::Run", "JSON",
    "JSON::MaybeXS", "JSON::XS", "List::AllUtils", "List::MoreUtils", "LWP::UserAgent", "Math::Prime::Util",
    "Mojolicious", "Moo", "Moose", "Mouse", "Path::Tiny", "Regexp::Common", "Role::Tiny", "Sub::Quote",
    "Template", "Template::Tiny", "Text::CSV", "Text::CSV_PP", "Text::Table", "Text::Template", "Time::Moment",
    "Try::Tiny", "Type::Tiny", "URI", "XML::LibXML", "XML::Simple", "XML::Tiny", "YAML", "YAML::PP", "YAML::Tiny",
))

CORE = frozenset((
    "Archive-Tar", "Attribute-Handlers", "autodie", "AutoLoader", "autouse", "base", "bignum", "Carp",
    "Compress-Raw-Bzip2", "Compress-Raw-Zlib", "Config-Perl-V", "constant", "Data-Dumper", "Devel-SelfStubber",
    "Digest", "Digest-MD5", "Digest-SHA", "Dumpvalue", "Encode", "encoding-warnings", "Env", "experimental",
    "Exporter", "File-Fetch", "File-Path", "File-Temp", "Filter", "Filter-Simple", "Getopt-Long", "I18N-Collate",
    "I18N-LangTags", "if", "IO", "IO-Compress", "IO-Zlib", "JSON-PP", "lib", "Locale-Maketext",
    "Locale-Maketext-Simple", "Math-BigInt", "Math-BigInt-FastCalc", "Math-BigRat", "Math-Complex", "Memoize",
    "MIME-Base64", "Module-CoreList", "Module-Load", "Module-Load-Conditional", "Module-Loaded", "Module-Metadata",
    "NEXT", "Params-Check", "parent", "PathTools", "perl", "Perl-OSType", "perlfaq", "PerlIO-via-QuotedPrint",
    "Safe", "Scalar-List-Utils", "Search-Dict", "SelfLoader", "Storable", "Term-ANSIColor", "Term-Cap",
    "Term-Complete", "Term-ReadLine", "Term-Table", "Test-Simple", "Text-Abbrev", "Text-Balanced",
    "Text-ParseWords", "Text-Tabs+Wrap", "Thread-Queue",
    "Thread-Semaphore", "Tie-File", "Tie-RefHash", "Time-HiRes", "Time-Local", "Time-Piece",
    "Unicode-Collate", "Unicode-Normalize", "version", "XSLoader",
))
"""Distributions that are part of perl."""

ABSENT = frozenset((
    "B-Debug", "CPAN", "DB_File", "Devel-PPPort", "ExtUtils-CBuilder", "ExtUtils-Constant", "ExtUtils-Install",
    "ExtUtils-MakeMaker", "ExtUtils-Manifest", "ExtUtils-ParseXS", "HTTP-Tiny", "IO-Socket-IP", "IPC-SysV",
    "libnet", "Net-Ping", "Socket", "Sys-Syslog", "threads", "threads-shared",
    "Win32", "Win32API-File",
))
"""Those of them that the sandbox's Perl lacks."""

PRAGMAS = frozenset((
    "attributes", "autodie", "bigint", "bignum", "bigrat", "blib", "builtin", "bytes", "charnames", "Config",
    "constant", "deprecate", "diagnostics", "English", "Errno", "Fcntl", "feature", "fields", "File::Basename",
    "File::Copy", "File::Find", "File::stat", "FileHandle", "filetest", "FindBin", "Hash::Util", "if", "integer",
    "IO::File", "less", "lib", "List::Util", "locale", "mro", "ok", "Opcode", "open", "ops", "overload",
    "overloading", "parent", "perl", "POSIX", "re", "Scalar::Util", "SelectSaver", "sigtrap", "sort", "strict",
    "subs", "Symbol", "Tie::Array", "Tie::Hash", "Tie::Scalar", "UNIVERSAL", "utf8", "vars", "version",
    "vmsish", "warnings",
))
"""Pragmas, and modules that belong to no distribution."""
# fmt: on
