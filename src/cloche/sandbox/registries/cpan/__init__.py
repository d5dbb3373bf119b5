"""CPAN: packages for Perl."""
