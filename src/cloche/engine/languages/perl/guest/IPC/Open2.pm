package IPC::Open2;

# As IPC::Open3, without the third handle.

use strict;
use warnings;
use Exporter 'import';
use IPC::Open3 ();

our $VERSION = '1.08';
our @EXPORT = qw(open2);

sub open2 { IPC::Open3::open3($_[1], $_[0], undef, @_[2 .. $#_]) }

1;
