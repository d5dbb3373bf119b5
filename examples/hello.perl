printf "Hello from Perl %vd\n", $^V;
