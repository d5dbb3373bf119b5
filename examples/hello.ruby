puts "Hello from Ruby #{RUBY_VERSION}"
