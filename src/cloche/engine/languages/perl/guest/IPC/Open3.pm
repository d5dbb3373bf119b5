package IPC::Open3;

# Runs a command to its end with all of its input, which must have been written before.

use strict;
use warnings;
use Exporter 'import';
use Carp ();

our $VERSION = '1.24';
our @EXPORT = qw(open3);

sub open3 {
    my (undef, undef, undef, @command) = @_;
    Carp::croak('open3: a handle for the input that is written later is not possible in a sandbox; use open() with "|-"')
        if defined $_[0] and !ref $_[0] and $_[0] !~ /^<&/;
    my ($out, $err) = ('', '');
    my $mark = "/tmp/.open3-$$-" . int rand 1e9;
    my $text = @command == 1 ? $command[0] : join ' ', map { my $word = $_; $word =~ s/'/'\\''/g; "'$word'" } @command;
    $out = Cloche::command('stdout', '', defined $_[2] ? "{ $text\n} 2>$mark" : "{ $text\n} 2>&1");
    my $status = $?;
    if (defined $_[2] and CORE::open(my $file, '<', $mark)) { local $/; $err = <$file>; close $file; unlink $mark }
    my $package = caller;
    CORE::open($_[0] = \do { local *HANDLE }, '>', '/dev/null') unless defined $_[0];
    CORE::open(_handle($_[1], $package), '<', \$out);
    CORE::open(_handle($_[2], $package), '<', \$err) if defined $_[2];
    $? = $status;
    return $$ + 1;
}

sub _handle {
    $_[0] = \do { local *HANDLE } unless defined $_[0];
    return Cloche::handle($_[0], $_[1]);
}

1;
