package POSIX;

# The part of POSIX that programs use most; perl's own is not in this build.

use strict;
use warnings;
use Exporter 'import';
use Fcntl ();
use Errno ();

our $VERSION = '2.23';

my %constants = (
    CHAR_BIT => 8, CHAR_MAX => 127, CHAR_MIN => -128, SCHAR_MAX => 127, SCHAR_MIN => -128, UCHAR_MAX => 255,
    SHRT_MAX => 32767, SHRT_MIN => -32768, USHRT_MAX => 65535,
    INT_MAX => 2147483647, INT_MIN => -2147483648, UINT_MAX => 4294967295,
    LONG_MAX => 9223372036854775807, LONG_MIN => -9223372036854775807 - 1, ULONG_MAX => 18446744073709551615,
    DBL_MAX => 1.7976931348623157e308, DBL_MIN => 2.2250738585072014e-308, DBL_EPSILON => 2.220446049250313e-16,
    DBL_DIG => 15, DBL_MANT_DIG => 53, FLT_MAX => 3.40282346638529e38, FLT_MIN => 1.17549435082229e-38,
    FLT_EPSILON => 1.19209289550781e-07, FLT_DIG => 6,
    EXIT_SUCCESS => 0, EXIT_FAILURE => 1, RAND_MAX => 2147483647, BUFSIZ => 8192, EOF => -1, PATH_MAX => 4096,
    CLOCKS_PER_SEC => 1000000, STDIN_FILENO => 0, STDOUT_FILENO => 1, STDERR_FILENO => 2,
    LC_CTYPE => 0, LC_NUMERIC => 1, LC_TIME => 2, LC_COLLATE => 3, LC_MONETARY => 4, LC_MESSAGES => 5, LC_ALL => 6,
    WNOHANG => 1, WUNTRACED => 2, R_OK => 4, W_OK => 2, X_OK => 1, F_OK => 0,
    SIGHUP => 1, SIGINT => 2, SIGQUIT => 3, SIGKILL => 9, SIGALRM => 14, SIGTERM => 15, SIGCHLD => 17,
    M_PI => 3.14159265358979323846, M_E => 2.71828182845904523536, M_SQRT2 => 1.41421356237309504880,
    M_LN2 => 0.69314718055994530942, M_LN10 => 2.30258509299404568402, M_PI_2 => 1.57079632679489661923,
    INFINITY => 9**9**9, NAN => -sin(9**9**9), FLT_RADIX => 2,
    FE_TONEAREST => 0,
);
{
    no strict 'refs';
    while (my ($name, $value) = each %constants) { *$name = sub () { $value } }
    for my $name (@Fcntl::EXPORT, qw(SEEK_SET SEEK_CUR SEEK_END S_ISDIR S_ISREG S_IRUSR S_IWUSR S_IXUSR)) {
        *$name = \&{"Fcntl::$name"};
    }
    *$_ = \&{"Errno::$_"} for @{ $Errno::EXPORT_TAGS{POSIX} };
}

sub floor { my $int = int $_[0]; $int > $_[0] ? $int - 1 : $int }
sub ceil { my $int = int $_[0]; $int < $_[0] ? $int + 1 : $int }
sub trunc { int $_[0] }
sub round { $_[0] < 0 ? -floor(-$_[0] + 0.5) : floor($_[0] + 0.5) }
sub lround { round($_[0]) }
sub rint { my $whole = floor($_[0]); my $rest = $_[0] - $whole;
    $rest < 0.5 ? $whole : $rest > 0.5 ? $whole + 1 : $whole % 2 ? $whole + 1 : $whole }
sub fmod { my ($x, $y) = @_; $x - $y * int($x / $y) }
sub fmax { $_[0] > $_[1] ? $_[0] : $_[1] }
sub fmin { $_[0] < $_[1] ? $_[0] : $_[1] }
sub fabs { abs $_[0] }
sub pow { $_[0]**$_[1] }
sub log10 { log($_[0]) / log(10) }
sub log2 { log($_[0]) / log(2) }
sub log1p { log(1 + $_[0]) }
sub expm1 { exp($_[0]) - 1 }
sub cbrt { $_[0] < 0 ? -((-$_[0])**(1 / 3)) : $_[0]**(1 / 3) }
sub tan { sin($_[0]) / cos($_[0]) }
sub asin { atan2($_[0], sqrt(1 - $_[0] * $_[0])) }
sub acos { atan2(sqrt(1 - $_[0] * $_[0]), $_[0]) }
sub atan { atan2($_[0], 1) }
sub sinh { (exp($_[0]) - exp(-$_[0])) / 2 }
sub cosh { (exp($_[0]) + exp(-$_[0])) / 2 }
sub tanh { my ($x) = @_; my $e = exp(2 * $x); ($e - 1) / ($e + 1) }
sub copysign { my ($x, $y) = @_; abs($x) * ($y < 0 || "$y" =~ /^-/ ? -1 : 1) }
sub isnan { $_[0] != $_[0] ? 1 : 0 }
sub isinf { $_[0] == 9**9**9 || $_[0] == -9**9**9 ? 1 : 0 }
sub isfinite { isnan($_[0]) || isinf($_[0]) ? 0 : 1 }
sub signbit { $_[0] < 0 ? 1 : 0 }
sub ldexp { $_[0] * 2**$_[1] }
sub modf { my $int = int $_[0]; ($_[0] - $int, $int) }

sub frexp {
    my ($x) = @_;
    return (0, 0) if $x == 0;
    my $exponent = floor(log2(abs $x)) + 1;
    my $part = $x / 2**$exponent;
    return abs $part >= 1 ? ($part / 2, $exponent + 1) : ($part, $exponent);
}

sub strtol {
    my ($text, $base) = (@_, 10);
    $base ||= $text =~ /^\s*[-+]?0[xX]/ ? 16 : $text =~ /^\s*[-+]?0/ ? 8 : 10;
    my ($sign, $rest) = $text =~ /^\s*([-+]?)(.*)$/s;
    $rest =~ s/^0[xX]// if $base == 16;
    my $value = 0;
    while ($rest =~ /^([0-9a-zA-Z])/) {
        my $digit = $1 =~ /\d/ ? $1 : ord(lc $1) - ord('a') + 10;
        last if $digit >= $base;
        $value = $value * $base + $digit;
        $rest = substr $rest, 1;
    }
    $value = -$value if $sign eq '-';
    return wantarray ? ($value, length $rest) : $value;
}
sub strtoul { strtol(@_) }

sub strtod {
    my ($text) = @_;
    my ($number) = $text =~ /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/;
    my $rest = defined $number ? length($text) - $+[1] : length $text;
    my $value = defined $number ? $number + 0 : 0;
    return wantarray ? ($value, $rest) : $value;
}

sub toupper { uc $_[0] }
sub tolower { lc $_[0] }
sub strstr { index $_[0], $_[1] }
sub strcoll { $_[0] cmp $_[1] }
sub strerror { local $! = $_[0]; "$!" }
sub errno { $! + 0 }
sub perror { print STDERR @_ ? "$_[0]: $!\n" : "$!\n" }

my @days = qw(Sunday Monday Tuesday Wednesday Thursday Friday Saturday);
my @months = qw(January February March April May June July August September October November December);

sub mktime {
    my ($second, $minute, $hour, $day, $month, $year) = @_;
    require Time::Local;
    $year += floor($month / 12);
    $month %= 12;
    # All but the month may lie outside of their ranges.
    my $first = Time::Local::timegm(0, 0, 0, 1, $month, $year + 1900);
    return $first + ($day - 1) * 86400 + $hour * 3600 + $minute * 60 + $second;
}

sub iso_week {
    my ($year, $yday, $wday) = @_;
    my $week = int(($yday - ($wday + 6) % 7 + 10) / 7);
    my $leap = sub { my $y = shift; $y % 4 == 0 && ($y % 100 || $y % 400 == 0) };
    my $weeks = sub {
        my $y = shift;
        my $p = sub { my $n = shift; ($n + int($n / 4) - int($n / 100) + int($n / 400)) % 7 };
        $p->($y) == 4 || $p->($y - 1) == 3 ? 53 : 52;
    };
    return ($year - 1, $weeks->($year - 1)) if $week < 1;
    return ($year + 1, 1) if $week > $weeks->($year);
    return ($year, $week);
}

my %shorthands = (
    D => '%m/%d/%y', F => '%Y-%m-%d', R => '%H:%M', T => '%H:%M:%S', r => '%I:%M:%S %p', c => '%a %b %e %H:%M:%S %Y',
    x => '%m/%d/%y', X => '%H:%M:%S', h => '%b',
);

sub strftime {
    my ($format, @given) = @_;
    my $time = mktime(@given[0 .. 5]);
    my ($second, $minute, $hour, $day, $month, $year, $wday, $yday) = gmtime $time;
    my $full = $year + 1900;
    my $twelve = $hour % 12 || 12;
    my %values = (
        Y => $full, y => sprintf('%02d', $full % 100), C => sprintf('%02d', $full / 100),
        m => sprintf('%02d', $month + 1), d => sprintf('%02d', $day), e => sprintf('%2d', $day),
        H => sprintf('%02d', $hour), I => sprintf('%02d', $twelve), k => sprintf('%2d', $hour), l => sprintf('%2d', $twelve),
        M => sprintf('%02d', $minute), S => sprintf('%02d', $second), p => $hour < 12 ? 'AM' : 'PM',
        P => $hour < 12 ? 'am' : 'pm', j => sprintf('%03d', $yday + 1), w => $wday, u => $wday || 7,
        a => substr($days[$wday], 0, 3), A => $days[$wday], b => substr($months[$month], 0, 3), B => $months[$month],
        s => $time, n => "\n", t => "\t", '%' => '%', z => '+0000', Z => 'UTC',
        U => sprintf('%02d', int(($yday + 7 - $wday) / 7)), W => sprintf('%02d', int(($yday + 7 - ($wday + 6) % 7) / 7)),
        G => (iso_week($full, $yday, $wday))[0], V => sprintf('%02d', (iso_week($full, $yday, $wday))[1]),
    );
    1 while $format =~ s/(?<!%)((?:%%)*)%([DFRTrcxXh])/$1$shorthands{$2}/g;
    $format =~ s/%[EO_-]?([a-zA-Z%])/exists $values{$1} ? $values{$1} : "%$1"/ge;
    return $format;
}

sub asctime { my $text = strftime('%a %b %e %H:%M:%S %Y', @_); "$text\n" }
sub ctime { asctime(localtime $_[0]) }
sub difftime { $_[0] - $_[1] }
sub clock { int((Cloche::ask('times'))[0] * 1000000) }
sub tzset { }
sub tzname { ('UTC', 'UTC') }

sub uname { ('Linux', 'sandbox', '6', '1', 'wasm32') }
sub getpid { $$ }
sub getcwd { require Cwd; Cwd::getcwd() }
sub isatty { -t (ref $_[0] || $_[0] !~ /^\d+$/ ? $_[0] : (\*STDIN, \*STDOUT, \*STDERR)[$_[0]]) }
sub access { my ($path, $mode) = @_; -e $path && (!($mode & 4) || -r _) && (!($mode & 2) || -w _) ? '0 but true' : undef }
sub setlocale { 'C' }
sub localeconv { { decimal_point => '.' } }
sub _exit { CORE::exit($_[0]) }
sub abort { CORE::exit(134) }
sub dup2 { Cloche::ask('duplicate', @_[0, 1]); $_[1] || '0 but true' }
sub times { my @times = (Cloche::ask('times'), 0, 0, 0); (CORE::time, @times) }
sub WIFEXITED { ($_[0] & 127) == 0 }
sub WEXITSTATUS { ($_[0] >> 8) & 255 }
sub WIFSIGNALED { ($_[0] & 127) != 0 }
sub WTERMSIG { $_[0] & 127 }

my @functions = qw(
    floor ceil trunc round lround rint fmod fmax fmin fabs pow log10 log2 log1p expm1 cbrt tan asin acos atan sinh cosh tanh
    copysign isnan isinf isfinite signbit ldexp modf frexp strtol strtoul strtod toupper tolower strstr strcoll strerror
    errno perror mktime strftime asctime ctime difftime clock tzset tzname uname getpid getcwd isatty access setlocale
    localeconv _exit abort dup2 WIFEXITED WEXITSTATUS WIFSIGNALED WTERMSIG
);
# Names that perl's own POSIX exports only on request.
my %asked = map { $_ => 1 } qw(
    trunc round lround rint fmax fmin log2 log1p expm1 cbrt copysign isnan isinf isfinite signbit M_PI M_E M_SQRT2 M_LN2
    M_LN10 M_PI_2 INFINITY NAN FE_TONEAREST
);
my @errors = @{ $Errno::EXPORT_TAGS{POSIX} };
my @all = (@functions, keys %constants, @Fcntl::EXPORT, @errors);
our @EXPORT = grep { !$asked{$_} } @all;
our @EXPORT_OK = (keys %asked, 'times');
our %EXPORT_TAGS = (
    limits_h => [grep { /_(?:MAX|MIN|BIT)$/ } keys %constants],
    float_h => [grep { /^(?:DBL|FLT)_/ } keys %constants],
    math_h => [qw(floor ceil fmod pow tan asin acos atan sinh cosh tanh log10 frexp ldexp modf fabs)],
    math_h_c99 => [qw(trunc round lround rint fmax fmin log2 log1p expm1 cbrt copysign isnan isinf isfinite signbit)],
    time_h => [qw(mktime strftime asctime ctime difftime clock tzset tzname CLOCKS_PER_SEC)],
    sys_wait_h => [qw(WNOHANG WUNTRACED WIFEXITED WEXITSTATUS WIFSIGNALED WTERMSIG)],
    stdlib_h => [qw(EXIT_FAILURE EXIT_SUCCESS RAND_MAX abort strtod strtol strtoul)],
    string_h => [qw(strcoll strerror strstr)], unistd_h => [qw(R_OK W_OK X_OK F_OK STDIN_FILENO STDOUT_FILENO
        STDERR_FILENO _exit access dup2 getcwd getpid isatty)],
    errno_h => [@errors, 'errno'], fcntl_h => [@Fcntl::EXPORT], locale_h => [grep { /^LC_/ } keys %constants],
    signal_h => [grep { /^SIG/ } keys %constants], ctype_h => [qw(tolower toupper)], sys_utsname_h => ['uname'],
);

1;
