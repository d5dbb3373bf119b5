package Cloche;

# Adapts perl to the sandbox; loaded before every program. Small, and without other modules: each of
# them takes time at every start. The host answers through one file: a request is written, its answer is read.

my $host;

sub begin {
    CORE::open($host, '+<', '/dev/host') or die "/dev/host: $!";
    my ($cwd, $flush) = ask('begin');
    chdir $cwd;
    $| = $flush;
}

# Called before this perl is saved, to continue elsewhere with begin().
sub leave { CORE::close($host) }

# Sends strings and returns those of the answer.
sub ask {
    local ($!, $@);
    my @fields = map { my $field = defined $_ ? "$_" : ''; utf8::encode($field) if utf8::is_utf8($field); $field } @_;
    syswrite $host, pack '(N/a*)*', @fields;
    my ($head, $answer) = ('', '');
    sysread $host, $head, 4;
    my $size = unpack 'N', $head;
    while (length $answer < $size) {
        sysread $host, $answer, $size - length $answer, length $answer or last;
    }
    my ($how, @answer) = unpack '(N/a*)*', $answer;
    die bless { message => 'interrupted' }, 'KeyboardInterrupt' if $how eq 'interrupted';
    return @answer;
}

# Runs a command in the shell; returns its output, unless it goes directly to ours.
sub command {
    my ($kept, $input, @command) = @_;
    require Cwd;
    $| = 1, $| = 0 unless $|;
    my ($code, $output) = ask('command', $kept, $input, Cwd::getcwd(), scalar(@command), @command, %ENV);
    $? = $code << 8;
    return $output;
}

# system { PROGRAM } LIST and exec { PROGRAM } LIST: no shell splits them, whatever they have.
sub indirect {
    my ($program, undef, @words) = @_;
    command('', '', @words ? ($program->(), @words) : ('/usr/bin/env', $program->()));
}
sub system_as (&@) { indirect(@_); $? }
sub exec_as (&@) { indirect(@_); CORE::exit($? >> 8) }

sub lines {
    my ($text) = @_;
    return $text unless wantarray;
    return () if $text eq '';
    return $text unless defined $/;
    return split /(?<=\Q$\/\E)/, $text;
}

sub handle {
    my ($name, $package) = @_;
    return $name if ref $name or ref \$name eq 'GLOB';
    return \*{"main::$name"} if $name =~ /^(?:STD(?:IN|OUT|ERR)|ARGV|ENV|INC)$/;
    return \*{$name =~ /::|'/ ? $name : "${package}::$name"};
}

# The mode and the target of an open() with two arguments that is for a pipe or a copy of another file.
sub special {
    my ($how) = @_;
    return ('|-', $1) if $how =~ /^\s*\|\s*(.+?)\s*$/s;
    return ('-|', $1) if $how =~ /^\s*(.+?)\s*\|\s*$/s;
    return ($1, $2) if $how =~ /^\s*(\+?[<>]{1,2}&)\s*([^=\s]\S*)\s*$/;
    return;
}

# Redirects a standard stream, which stays open.
sub redirect {
    my ($stream, $other) = @_;
    my $before = select $stream;
    $| = 1, $| = 0 unless $|;
    select $before;
    ask('duplicate', fileno $other, fileno $stream);
    return 1;
}

sub opened (*;$@) {
    $_[0] = \do { local *HANDLE } unless defined $_[0];
    my $handle = handle($_[0], scalar caller);
    my ($mode, @rest) = @_[1 .. $#_];
    return CORE::open($handle) unless defined $mode;
    if (@_ == 2 and my @special = special($mode)) { ($mode, @rest) = @special }
    if (my $hints = (caller 0)[10]) {
        my $layers = $hints->{$mode =~ />/ ? 'open>' : 'open<'};
        $mode .= " $layers" if $layers and @rest and $mode !~ /[:&|]/;
    }
    if ($mode =~ /^(-\||\|-)/) {
        require Cloche::Pipe;
        return Cloche::Pipe::connect($handle, $1, @rest);
    }
    if ($mode =~ /^(\+?[<>]{1,2})&$/) {
        $mode = $1;
        my $source = $rest[0] =~ /^\d+$/ ? $rest[0] : fileno handle($rest[0], scalar caller);
        return unless defined $source;
        @rest = ("/dev/fd/$source");
    }
    my $number = @rest && defined(fileno $handle) && !tied(*$handle) ? fileno $handle : -1;
    if ($number >= 0 and $number <= 2) {
        CORE::open(my $other, $mode, @rest) or return;
        return redirect($handle, $other);
    }
    return CORE::open($handle, $mode) unless @rest;
    return defined $rest[0] ? CORE::open($handle, $mode, @rest) : CORE::open($handle, $mode, undef);
}

# The last place to search for modules: the host may be able to install one. Modules that others only try are ignored.
sub find {
    my ($self, $file) = @_;
    return if (caller 0)[1] =~ m{^(?:/zeroperl|/opt/languages|/usr/share/perl5)/};
    my ($provided) = ask('provide', $file);
    return unless $provided;
    CORE::open(my $handle, '<', "/opt/languages/perl/$file") or return;
    $INC{$file} = "/opt/languages/perl/$file";
    return $handle;
}

sub absolute {
    my ($path) = @_;
    return $path if $path =~ m{^/};
    require Cwd;
    return Cwd::getcwd() . "/$path";
}

my @user = ('user', 'x', 0, 0, '', '', 'user', '/home/user', '/bin/bash');
sub user { wantarray ? @user : $user[0] }

*CORE::GLOBAL::system = sub { command('', '', @_); $? };
*CORE::GLOBAL::readpipe = sub { lines(command('stdout', '', $_[0])) };
*CORE::GLOBAL::exec = sub { command('', '', @_); CORE::exit($? >> 8) };
*CORE::GLOBAL::open = \&opened;
*CORE::GLOBAL::sleep = sub (;$) { (ask('sleep', $_[0]))[0] };
*CORE::GLOBAL::times = sub () { my ($user) = ask('times'); wantarray ? ($user, 0, 0, 0) : $user };
*CORE::GLOBAL::chmod = sub (@) { my $mode = shift; (ask('chmod', $mode, map { absolute($_) } @_))[0] };
*CORE::GLOBAL::fork = sub () {
    require Carp;
    Carp::croak('fork is not possible in a sandbox; system(), backticks and open() with a pipe run commands');
};
*CORE::GLOBAL::getpwuid = sub ($) { $_[0] == 0 ? user() : () };
*CORE::GLOBAL::getpwnam = sub ($) { $_[0] eq 'user' ? (wantarray ? @user : 0) : () };
*CORE::GLOBAL::getlogin = sub () { 'user' };
*CORE::GLOBAL::getppid = sub () { 1 };
begin();
push @INC, \&find;

# die() has the number of the last error as its exit code, and there was none of the program's own yet.
INIT { ask('running'); $! = 0 }

1;
