package Cloche::Pipe;

# A file handle that is a command: what it prints is read from the handle, or what is printed to the handle is its input.

sub connect {
    my ($handle, $mode, @command) = @_;
    my $self = bless { command => \@command, input => '' }, __PACKAGE__;
    if ($mode eq '-|') {
        my $output = Cloche::command('stdout', '', @command);
        $self->{status} = $?;
        CORE::open($self->{output}, '<', \$output);
    }
    tie *$handle, $self;
    return 4242;
}

sub TIEHANDLE { $_[0] }

sub PRINT {
    my $self = shift;
    $self->{input} .= join(defined $, ? $, : '', @_) . (defined $\ ? $\ : '');
    return 1;
}

sub PRINTF { my $self = shift; my $format = shift; $self->{input} .= sprintf $format, @_; 1 }

sub WRITE {
    my ($self, $data, $length, $offset) = @_;
    $data = substr $data, $offset || 0, defined $length ? $length : length $data;
    $self->{input} .= $data;
    return length $data;
}

sub READLINE { my $output = $_[0]{output} or return; <$output> }
sub GETC { my $output = $_[0]{output} or return; getc $output }
sub READ { my $output = $_[0]{output} or return; read $output, $_[1], $_[2], $_[3] || 0 }
sub EOF { my $output = $_[0]{output} or return 1; eof $output }
sub BINMODE { $_[0]{output} ? binmode $_[0]{output}, $_[1] || ':raw' : 1 }
sub FILENO { undef }

sub CLOSE {
    my ($self) = @_;
    return 0 if $self->{closed}++;
    Cloche::command('', $self->{input}, @{ $self->{command} }) unless $self->{output};
    $? = $self->{status} if $self->{output};
    return $? == 0;
}

sub UNTIE { $_[0]->CLOSE }
sub DESTROY { local $?; $_[0]->CLOSE }

1;
