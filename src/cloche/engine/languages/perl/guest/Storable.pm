package Storable;

# Copies and files of data as Storable makes them; the files are this module's own, for no other perl.

use strict;
use warnings;
use Exporter 'import';
use Scalar::Util ();

our $VERSION = '3.37';
our @EXPORT = qw(store retrieve);
our @EXPORT_OK = qw(dclone freeze nfreeze thaw nstore store_fd nstore_fd fd_retrieve lock_store lock_nstore lock_retrieve);
our ($canonical, $Deparse, $Eval, $forgive_me) = (0, 0, 0, 0);

my $magic = "cloche-storable-1\n";

sub fail { require Carp; Carp::croak(@_) }

sub dclone {
    my ($value) = @_;
    return copy($value, {});
}

sub copy {
    my ($value, $known) = @_;
    return $value unless ref $value;
    my $address = Scalar::Util::refaddr($value);
    return $known->{$address} if exists $known->{$address};
    my ($class, $type) = (Scalar::Util::blessed($value), Scalar::Util::reftype($value));
    my $copy;
    if ($type eq 'ARRAY') {
        $known->{$address} = $copy = [];
        push @$copy, copy($_, $known) for @$value;
    } elsif ($type eq 'HASH') {
        $known->{$address} = $copy = {};
        $copy->{$_} = copy($value->{$_}, $known) for keys %$value;
    } elsif ($type eq 'SCALAR' or $type eq 'REF' or $type eq 'VSTRING' or $type eq 'LVALUE') {
        $known->{$address} = $copy = \my $inner;
        $inner = copy($$value, $known);
    } elsif ($type eq 'REGEXP') {
        $copy = $value;
    } else {
        fail("Can't store $type items");
    }
    bless $copy, $class if defined $class and $type ne 'REGEXP';
    return $copy;
}

# Each value is a letter and its contents. References have numbers, by which they are repeated.
sub write_value {
    my ($value, $known, $out) = @_;
    unless (ref $value) {
        return $$out .= 'u' unless defined $value;
        my $text = "$value";
        my $wide = utf8::is_utf8($text);
        utf8::encode($text) if $wide;
        return $$out .= ($wide ? 'w' : 's') . pack 'N/a*', $text;
    }
    my $address = Scalar::Util::refaddr($value);
    return $$out .= 'r' . pack 'N', $known->{$address} if exists $known->{$address};
    $known->{$address} = keys %$known;
    my ($class, $type) = (Scalar::Util::blessed($value), Scalar::Util::reftype($value));
    $$out .= 'b' . pack 'N/a*', $class if defined $class;
    if ($type eq 'ARRAY') {
        $$out .= 'A' . pack 'N', scalar @$value;
        write_value($_, $known, $out) for @$value;
    } elsif ($type eq 'HASH') {
        $$out .= 'H' . pack 'N', scalar keys %$value;
        for my $key ($canonical ? sort keys %$value : keys %$value) {
            write_value($key, $known, $out);
            write_value($value->{$key}, $known, $out);
        }
    } elsif ($type eq 'SCALAR' or $type eq 'REF') {
        $$out .= 'S';
        write_value($$value, $known, $out);
    } else {
        fail("Can't store $type items");
    }
}

sub read_value {
    my ($in, $known) = @_;
    my $letter = substr $$in, 0, 1, '';
    return undef if $letter eq 'u';
    return text($in) if $letter eq 's';
    if ($letter eq 'w') { my $text = text($in); utf8::decode($text); return $text }
    return $known->[number($in)] if $letter eq 'r';
    my $class;
    if ($letter eq 'b') { $class = text($in); $letter = substr $$in, 0, 1, '' }
    my $inner;
    my $value = $letter eq 'A' ? [] : $letter eq 'H' ? {} : $letter eq 'S' ? \$inner : fail('the data is damaged');
    push @$known, $value;
    bless $value, $class if defined $class;
    if ($letter eq 'A') {
        push @$value, read_value($in, $known) for 1 .. number($in);
    } elsif ($letter eq 'H') {
        for (1 .. number($in)) { my $key = read_value($in, $known); $value->{$key} = read_value($in, $known) }
    } else {
        $$value = read_value($in, $known);
    }
    return $value;
}

sub number { unpack 'N', substr $_[0]->$*, 0, 4, '' }
sub text { my ($in) = @_; my $length = number($in); substr $$in, 0, $length, '' }

sub freeze { my $out = $magic; write_value($_[0], {}, \$out); $out }
sub nfreeze { freeze(@_) }

sub thaw {
    my ($in) = @_;
    substr($in, 0, length $magic, '') eq $magic or fail('this was not frozen by the Storable of this perl');
    return read_value(\$in, []);
}

sub store {
    my ($value, $path) = @_;
    ref $value or fail('Not a reference');
    CORE::open(my $file, '>:raw', $path) or fail("can't create $path: $!");
    print $file freeze($value);
    return close $file;
}

sub retrieve {
    my ($path) = @_;
    CORE::open(my $file, '<:raw', $path) or fail("can't open $path: $!");
    local $/;
    return thaw(scalar <$file>);
}

sub store_fd { my ($value, $file) = @_; print $file freeze($value) }
sub fd_retrieve { my ($file) = @_; local $/; thaw(scalar <$file>) }
{
    no warnings 'once';
    *nstore = *lock_store = *lock_nstore = \&store;
    *nstore_fd = \&store_fd;
    *lock_retrieve = \&retrieve;
}

1;
