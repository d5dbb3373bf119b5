package mro;

# What can be known of method resolution without perl's own part of this module. Methods are always looked up depth
# first; next::method follows the C3 order.

use strict;
use warnings;

our $VERSION = '1.29';
my %order;

sub import {
    my ($class, $kind) = @_;
    set_mro(scalar caller, $kind || 'dfs');
}

sub set_mro {
    my ($class, $kind) = @_;
    die "Invalid mro name: '$kind'" unless $kind eq 'dfs' or $kind eq 'c3';
    $order{$class} = $kind;
}

sub get_mro { $order{ $_[0] } || 'dfs' }
sub is_universal { $_[0] eq 'UNIVERSAL' ? 1 : '' }
sub invalidate_all_method_caches { }
sub get_pkg_gen { 1 }
sub get_isarev { [] }

sub parents { no strict 'refs'; @{"$_[0]::ISA"} }

sub get_linear_isa {
    my ($class, $kind) = @_;
    return [c3($class)] if ($kind || get_mro($class)) eq 'c3';
    my %seen;
    return [grep { !$seen{$_}++ } depth_first($class, 0)];
}

sub depth_first {
    my ($class, $depth) = @_;
    die "Recursive inheritance detected in package '$class'" if $depth > 100;
    return ($class, map { depth_first($_, $depth + 1) } parents($class));
}

sub c3 {
    my ($class) = @_;
    my @parents = parents($class);
    my @lists = ((map { [c3($_)] } @parents), [@parents]);
    my @result = ($class);
    while (@lists = grep { @$_ } @lists) {
        my ($next) = grep { my $head = $_->[0]; !grep { my ($first, @rest) = @$_; grep { $_ eq $head } @rest } @lists } @lists;
        die "Inconsistent hierarchy during C3 merge of class '$class'" unless $next;
        my $head = $next->[0];
        push @result, $head;
        @lists = map { [grep { $_ ne $head } @$_] } @lists;
    }
    return @result;
}

# The method that comes after the one that is running.
sub next_method {
    my ($object, $needed) = @_;
    my $level = 1;
    my $name = '';
    while (($name) = (caller ++$level)[3] and $name =~ /^\(eval\)$|::__ANON__$|^next::|^maybe::/) { }
    my ($place, $method) = $name =~ /^(.*)::(\w+)$/ or die 'next::method must be used in a method';
    my @classes = c3(ref $object || $object);
    shift @classes while @classes and $classes[0] ne $place;
    shift @classes;
    for my $class (@classes) { no strict 'refs'; return \&{"${class}::$method"} if defined &{"${class}::$method"} }
    die "No next::method '$method' found for " . (ref $object || $object) if $needed;
    return;
}

package next;
sub method { my $code = mro::next_method($_[0], 1); goto &$code }
sub can { mro::next_method($_[0], 0) }

package maybe::next;
sub method { my $code = mro::next_method($_[0], 0); return unless $code; goto &$code }

1;
