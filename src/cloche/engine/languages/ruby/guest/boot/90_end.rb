# The last steps before Ruby's memory is saved.

$LOAD_PATH.replace(["/opt/ruby/4.0.0", "/opt/ruby/gems"])
require "did_you_mean"
# Removes the way to JavaScript, which cannot be loaded again.
require "js.so"
JS.constants.each { |name| JS.send(:remove_const, name) }
JS.singleton_methods.each { |name| JS.singleton_class.undef_method(name) }
Object.send(:remove_const, :JS)
[STDIN, STDOUT, STDERR].each { |stream| stream.set_encoding(Encoding::UTF_8) }
STDOUT.sync = STDERR.sync = true
Encoding.default_external = Encoding::UTF_8
$0 = "<cell>"
Object.send(:private_constant, :Cloche)
GC.start
GC.start
