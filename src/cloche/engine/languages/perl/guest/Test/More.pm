package Test::More;

# Tests in the Test Anything Protocol; perl's own is not in this build.

use strict;
use warnings;
use Scalar::Util ();

our $VERSION = '1.302210';
our $TODO;
our @EXPORT = qw(
    ok is isnt like unlike cmp_ok is_deeply pass fail diag note explain plan done_testing skip todo_skip BAIL_OUT can_ok
    isa_ok new_ok use_ok require_ok subtest eq_array eq_hash eq_set $TODO
);
my $state = fresh('');
my $pid = $$;

sub fresh { return { count => 0, failed => 0, planned => undef, done => 0, indent => $_[0] } }

sub import {
    my ($class, @options) = @_;
    my $package = caller;
    no strict 'refs';
    *{"${package}::$_"} = \&$_ for grep { !/^\$/ } @EXPORT;
    *{"${package}::TODO"} = \${"${package}::TODO"};
    plan(@options) if @options;
}

sub say_out { my $text = join '', @_; $text =~ s/^/$state->{indent}/mg; print STDOUT "$text\n" }
sub say_err { my $text = join '', @_; $text =~ s/^/$state->{indent}/mg; print STDERR "$text\n" }

sub plan {
    my ($what, $value) = @_;
    if ($what eq 'tests') { $state->{planned} = $value; say_out("1..$value") }
    elsif ($what eq 'skip_all') { say_out('1..0 # SKIP ' . ($value // '')); $state->{done} = 1; exit 0 unless $state->{indent} }
}

sub done_testing {
    my ($count) = @_;
    $state->{done} = 1;
    say_out('1..' . ($count // $state->{count})) unless defined $state->{planned};
    return 1;
}

sub place {
    my $level = 1;
    $level++ while (caller $level)[0] and (caller $level)[0] eq __PACKAGE__;
    my (undef, $file, $line) = caller $level;
    return ($file, $line);
}

sub todo { my $level = 0; my $package; do { $package = caller $level++ } while defined $package and $package eq __PACKAGE__;
    no strict 'refs'; return defined $package ? ${"${package}::TODO"} : undef }

sub ok ($;$) {
    my ($true, $name) = @_;
    my $number = ++$state->{count};
    my $todo = todo();
    my $line = ($true ? 'ok' : 'not ok') . " $number" . (defined $name && $name ne '' ? " - $name" : '');
    say_out($line . (defined $todo ? " # TODO $todo" : ''));
    return 1 if $true;
    $state->{failed}++ unless defined $todo;
    my ($file, $at) = place();
    diag('  Failed ' . (defined $todo ? '(TODO) ' : '') . 'test' . (defined $name ? " '$name'\n  " : ' ') . "at $file line $at.");
    return 0;
}

sub pass (;$) { ok(1, $_[0]) }
sub fail (;$) { ok(0, $_[0]) }
sub shown { defined $_[0] ? "'$_[0]'" : 'undef' }
sub same { my ($a, $b) = @_; defined $a && defined $b ? $a eq $b : !defined $a && !defined $b }

sub is ($$;$) {
    my ($got, $expected, $name) = @_;
    return ok(1, $name) if same($got, $expected);
    ok(0, $name);
    diag('         got: ' . shown($got) . "\n    expected: " . shown($expected));
    return 0;
}

sub isnt ($$;$) {
    my ($got, $other, $name) = @_;
    return ok(1, $name) unless same($got, $other);
    ok(0, $name);
    diag('         got: ' . shown($got) . "\n    expected: anything else");
    return 0;
}

sub like ($$;$) {
    my ($got, $pattern, $name) = @_;
    return ok(1, $name) if defined $got and $got =~ $pattern;
    ok(0, $name);
    diag('                  ' . shown($got) . "\n    doesn't match '$pattern'");
    return 0;
}

sub unlike ($$;$) {
    my ($got, $pattern, $name) = @_;
    return ok(1, $name) unless defined $got and $got =~ $pattern;
    ok(0, $name);
    diag('                  ' . shown($got) . "\n          matches '$pattern'");
    return 0;
}

sub cmp_ok ($$$;$) {
    my ($got, $operator, $expected, $name) = @_;
    my $true = eval "\$got $operator \$expected";
    return ok(1, $name) if $true;
    ok(0, $name);
    diag('    ' . shown($got) . "\n        $operator\n    " . shown($expected));
    return 0;
}

# Where two structures differ first; nothing when they are alike.
sub difference {
    my ($got, $expected, $path) = @_;
    return same($got, $expected) ? undef : [$path, $got, $expected] unless ref $got and ref $expected;
    return undef if Scalar::Util::refaddr($got) == Scalar::Util::refaddr($expected);
    my ($type, $other) = map { Scalar::Util::reftype($_) } $got, $expected;
    return [$path, $got, $expected] if $type ne $other;
    if ($type eq 'ARRAY') {
        for my $index (0 .. ($#$got > $#$expected ? $#$got : $#$expected)) {
            return ["$path\[$index]", $got->[$index], $expected->[$index]] if $index > $#$got or $index > $#$expected;
            my $found = difference($got->[$index], $expected->[$index], "$path\[$index]");
            return $found if $found;
        }
    } elsif ($type eq 'HASH') {
        for my $key (sort keys %{ { %$got, %$expected } }) {
            my $there = "$path\{$key}";
            return [$there, $got->{$key}, $expected->{$key}] unless exists $got->{$key} and exists $expected->{$key};
            my $found = difference($got->{$key}, $expected->{$key}, $there);
            return $found if $found;
        }
    } elsif ($type eq 'SCALAR' or $type eq 'REF') {
        return difference($$got, $$expected, "\${$path}");
    } elsif ("$got" ne "$expected") {
        return [$path, $got, $expected];
    }
    return undef;
}

sub is_deeply {
    my ($got, $expected, $name) = @_;
    my $found = difference($got, $expected, '$got->');
    return ok(1, $name) unless $found;
    ok(0, $name);
    my ($path, $left, $right) = @$found;
    (my $other = $path) =~ s/\$got/\$expected/;
    diag("    Structures begin differing at:\n         $path = " . shown($left) . "\n    $other = " . shown($right));
    return 0;
}

sub eq_array { !difference($_[0], $_[1], '') }
sub eq_hash { !difference($_[0], $_[1], '') }
sub eq_set { !difference([sort @{ $_[0] }], [sort @{ $_[1] }], '') }

sub commented { my $text = join '', map { defined $_ ? $_ : 'undef' } @_; $text =~ s/\n\z//; $text =~ s/^/# /mg; $text }
sub diag { say_err(commented(@_)); return 0 }
sub note { say_out(commented(@_)); return 0 }

sub explain {
    require Data::Dumper;
    return map { ref $_ ? Data::Dumper->new([$_])->Indent(1)->Terse(1)->Sortkeys(1)->Dump : $_ } @_;
}

sub skip {
    my ($why, $count) = @_;
    say_out('ok ' . ++$state->{count} . " # skip $why") for 1 .. ($count // 1);
    no warnings 'exiting';
    last SKIP;
}

sub todo_skip {
    my ($why, $count) = @_;
    say_out('not ok ' . ++$state->{count} . " # TODO & SKIP $why") for 1 .. ($count // 1);
    no warnings 'exiting';
    last TODO;
}

sub BAIL_OUT { say_out('Bail out!  ' . join '', @_); exit 255 }

sub can_ok ($@) {
    my ($thing, @methods) = @_;
    my $class = ref $thing || $thing;
    my @missing = grep { !$thing->can($_) } @methods;
    my $true = ok(!@missing, @methods == 1 ? "$class->can('$methods[0]')" : "$class->can(...)");
    diag("    $class->can('$_') failed") for @missing;
    return $true;
}

sub isa_ok ($;$$) {
    my ($thing, $class, $name) = @_;
    my $true = defined $thing && (Scalar::Util::blessed($thing) || !ref $thing ? eval { $thing->isa($class) } : ref $thing eq $class);
    $name //= Scalar::Util::blessed($thing) ? "An object of class '" . ref($thing) . "'" : ref $thing ? 'A reference' : 'The class';
    return ok($true, "$name isa '$class'");
}

sub new_ok { my ($class, $arguments) = @_; my $object = eval { $class->new(@{ $arguments || [] }) }; isa_ok($object, $class); $object }

sub require_ok ($) {
    my ($module) = @_;
    (my $file = "$module.pm") =~ s{::}{/}g;
    my $true = eval { require($module =~ /^[\w:]+$/ ? $file : $module); 1 };
    ok($true, "require $module;");
    diag("    Error: $@") unless $true;
    return $true;
}

sub use_ok ($;@) {
    my ($module, @imports) = @_;
    my $package = caller;
    my $true = eval "package $package; use $module \@imports; 1";
    ok($true, "use $module;");
    diag("    Error: $@") unless $true;
    return $true;
}

sub subtest {
    my ($name, $code, @arguments) = @_;
    my $outer = $state;
    say_out("# Subtest: $name");
    $state = fresh("$outer->{indent}    ");
    my $lived = eval { $code->(@arguments); 1 };
    my $error = $@;
    done_testing() unless $state->{done} or !$lived;
    my $true = $lived && !$state->{failed} && $state->{count} == ($state->{planned} // $state->{count});
    $state = $outer;
    die $error unless $lived;
    return ok($true, $name);
}

sub builder { bless {}, 'Test::Builder' }

END {
    if ($$ == $pid and ($state->{count} or defined $state->{planned})) {
        my $ran = $state->{count};
        my $planned = $state->{planned} // $ran;
        diag("Looks like you planned $planned tests but ran $ran.") if $planned != $ran;
        diag("Looks like you failed $state->{failed} test" . ($state->{failed} == 1 ? '' : 's') . " of $ran.") if $state->{failed};
        diag("Tests were run but no plan was declared and done_testing() was not seen.")
            unless defined $state->{planned} or $state->{done};
        $? ||= $state->{failed} > 254 ? 254 : $state->{failed} || ($planned != $ran ? 255 : 0);
    }
}

package Test::Builder;

our $Level = 1;

sub new { bless {}, shift }
sub ok { shift; Test::More::ok($_[0], $_[1]) }
sub is_eq { shift; Test::More::is($_[0], $_[1], $_[2]) }
sub is_num { shift; Test::More::cmp_ok($_[0], '==', $_[1], $_[2]) }
sub diag { shift; Test::More::diag(@_) }
sub note { shift; Test::More::note(@_) }
sub plan { shift; Test::More::plan(@_) }
sub done_testing { shift; Test::More::done_testing(@_) }

$INC{'Test/Builder.pm'} = __FILE__;

1;
