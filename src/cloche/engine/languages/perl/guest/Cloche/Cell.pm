package Cloche::Cell;

# Runs cells: pieces of a program that come one after another and share their package variables and subs.

use feature 'say', 'state';

# First in the file, so that no variable of this module is seen by the cell.
sub evaluate { package main; eval $Cloche::Cell::code }

my $most = 1 << 20;
my ($place, @frames);

# Continues from a perl that started at another time.
sub wake {
    Cloche::begin();
    my ($salt, @env) = Cloche::ask('wake');
    %ENV = @env;
    # The order of keys comes from what was put into hashes before.
    my %salted;
    @salted{unpack '(a2)*', $salt} = ();
    $^T = time;
    $| = 1;
    $! = 0;
}

sub run {
    our $code;
    my ($kind, $name, $source, $data, @pairs) = Cloche::ask('cell');
    declare(splice @pairs, 0, shift @pairs);
    # The program's name and its arguments, if they change.
    my @words = splice @pairs, 0, shift @pairs;
    ($0, @ARGV) = @words if @words;
    while (my ($name, $value) = splice @pairs, 0, 2) { $ENV{$name} = $value }
    streams();
    if ($data ne '') { my $text = $data; CORE::open(*main::DATA, '<', \$text) }
    ($place, @frames) = ('');
    $code = "#line 1 \"$name\"\n$source\n";
    my @values = evaluate();
    my $error = $@;
    undef $code;
    return fail($error) if ref $error or $error ne '';
    my $data = $kind eq 'none' ? '' : data($kind, @values);
    my @shown = eval { show($kind, @values) };
    # Some are nested too deeply.
    @shown = "$values[0]" if $@;
    Cloche::ask('value', @shown ? ($shown[0], $data) : ());
}

# Drops what an earlier cell has left in the buffer, and reopens what it has closed.
sub streams {
    CORE::close(STDIN);
    CORE::open(STDIN, '<', '/dev/input') and Cloche::ask('duplicate', fileno STDIN, 0);
    reopen(\*STDOUT, '/dev/output') unless defined fileno STDOUT;
    reopen(\*STDERR, '/dev/errors') unless defined fileno STDERR;
}

sub reopen {
    my ($stream, $path) = @_;
    CORE::open($stream, '>', $path);
    my $before = select $stream;
    $| = 1;
    select $before;
}

# Declares variables for `use strict`, which accepts those that another package has put there.
sub declare {
    for my $name (@_) {
        my ($sigil, $rest) = $name =~ /^([\$\@%])(\w+)$/ or next;
        *{"main::$rest"} = $sigil eq '$' ? \${"main::$rest"} : $sigil eq '@' ? \@{"main::$rest"} : \%{"main::$rest"};
    }
}

sub show {
    my ($kind, @values) = @_;
    return if $kind eq 'none' or !@values && $kind eq 'auto';
    return hash(@values) if $kind eq 'hash' and @values % 2 == 0;
    return list(@values) if $kind ne 'auto' or @values > 1;
    return unless defined $values[0];
    return cut(ref $values[0] ? dump_of($values[0]) : $values[0]);
}

sub list {
    my @texts = map { element($_) } @_;
    my $line = '(' . join(', ', @texts) . ')';
    return $line if length $line <= 100 and $line !~ /\n/;
    s/^/  /mg for @texts;
    return cut("(\n" . join(",\n", @texts) . "\n)");
}

sub hash {
    my %hash = @_;
    return '()' unless %hash;
    my @texts = map { element("$_") . ' => ' . element($hash{$_}) } sort keys %hash;
    s/^/  /mg for @texts;
    return cut("(\n" . join(",\n", @texts) . "\n)");
}

sub element {
    my ($value) = @_;
    return 'undef' unless defined $value;
    return dump_of($value);
}

sub dump_of {
    my ($value) = @_;
    my $class = ref $value;
    return "$value" if $class eq 'CODE' or $class eq 'GLOB' or $class eq 'Regexp';
    require overload;
    return "$value" if $class and overload::Method($value, '""');
    require Data::Dumper;
    my $dumper = Data::Dumper->new([$value]);
    my $text = $dumper->Terse(1)->Indent(1)->Sortkeys(1)->Dump;
    chomp $text;
    return $text;
}

sub cut { length $_[0] > $most ? substr($_[0], 0, $most) . '...' : $_[0] }

# Written when the pack is built.
require Cloche::DataLimits;
my ($long, $deep, $many) = ($Cloche::DataLimits::length, $Cloche::DataLimits::depth, $Cloche::DataLimits::values);
my ($left, $room);

# The values of a cell as JSON, if they are plain data.
sub data {
    my ($kind, @values) = @_;
    my $whole = $kind eq 'hash' && @values % 2 == 0 ? {@values} : $kind ne 'auto' || @values > 1 ? \@values : $values[0];
    ($left, $room) = ($many, $long);
    local ($@, $SIG{__DIE__}, $SIG{__WARN__}) = ('', '', sub { });
    my $json = eval { ref $whole ? encode($whole, 0) : scalar_of($whole) } // '';
    utf8::encode($json);
    return length $json <= $long ? $json : '';
}

# Nearly all values are numbers and texts: those are written here, because calls are slow.
sub encode {
    my ($value, $depth) = @_;
    my $kind = ref $value;
    die if $depth++ == $deep or builtin::blessed($value);
    if ($kind eq 'ARRAY') {
        die if tied @$value or ($left -= @$value) < 0;
        my @parts = map {
            ref $_ ? encode($_, $depth) : builtin::created_as_number($_) && $_ * 0 == 0 ? $_ : scalar_of($_)
        } @$value;
        return '[' . join(',', @parts) . ']';
    }
    die if $kind ne 'HASH' or tied %$value or ($left -= keys %$value) < 0;
    my @parts = map {
        my $item = $value->{$_};
        quote($_) . ':' . (ref $item ? encode($item, $depth) : scalar_of($item))
    } sort keys %$value;
    return '{' . join(',', @parts) . '}';
}

sub scalar_of {
    my ($value) = @_;
    return 'null' unless defined $value;
    return $value ? 'true' : 'false' if builtin::is_bool($value);
    return quote($value) unless builtin::created_as_number($value);
    die unless $value * 0 == 0;
    return $value;
}

sub quote {
    my ($text) = @_;
    die if ($room -= length $text) < 0;
    # Bytes of UTF-8 are decoded to text.
    utf8::decode($text) unless utf8::is_utf8($text);
    $text =~ s/(["\\\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
    return "\"$text\"";
}

# Called at every die(): where it happened is known only now.
sub note {
    my (undef, $file, $line) = caller 0;
    ($place, @frames) = ("at $file line $line");
    for (my $level = 1; my @caller = caller $level; $level++) {
        my ($package, $file, $line, $name) = @caller;
        last if $name eq 'Cloche::Cell::evaluate' or @frames >= 100;
        push @frames, "$name called at $file line $line" unless $name eq '(eval)';
    }
}

sub fail {
    my ($error) = @_;
    my ($class, $message) = ('', $error);
    if (ref $error) {
        $class = ref $error;
        $message = eval { $error->can('message') ? $error->message : undef };
        $message = eval { dump_of($error) } // $class unless defined $message;
    }
    Cloche::ask('error', $class, $message, $place, @frames);
}

# Names in the symbol tables with this prefix.
sub complete {
    my ($sigil, $package, $start) = Cloche::ask('word');
    my $table = \%{"${package}::"};
    my @found;
    for my $name (grep { /^\Q$start\E/ and /^\w+(?:::)?$/ } keys %$table) {
        my $glob = \$table->{$name};
        push @found, $name =~ /::$/ ? $name : has($glob, $sigil) ? $name : ();
    }
    Cloche::ask('found', sort @found);
}

sub has {
    my ($glob, $sigil) = @_;
    return $sigil eq '' || $sigil eq '&' unless ref $glob eq 'GLOB';
    return defined ${ *$glob{SCALAR} } || *$glob{ARRAY} || *$glob{HASH} if $sigil eq '$';
    return *$glob{$sigil eq '@' ? 'ARRAY' : $sigil eq '%' ? 'HASH' : 'CODE'};
}

$SIG{__DIE__} = \&note;
# Comes before the host's finder, which is the last.
splice @INC, -1, 0, '/workspace';
$| = 1;

1;
