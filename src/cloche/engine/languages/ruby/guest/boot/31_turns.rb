# Takes work from the engine: one piece at a time, requested and answered through the channel.

module Cloche
  class << self
    def turn
      kind, *fields = ask("work")
      answer = send("do_#{kind}", *fields)
      ask("done", *answer)
    rescue Exception => error
      ask("done", *failure(error))
    end

    # Runs the blocks of at_exit(), the latest first, and returns the exit code.
    def finish(status)
      while (block = ENDS.pop)
        status, error = guard(status) { block.call && nil }
        $stderr.write(Errors.traceback(error), "\n") if error
      end
      status
    end

    # The exit code, the exception that ended the block, if any, and its value.
    def guard(status = 0)
      value = yield
      [status, nil, value]
    rescue SystemExit => exit
      [exit.status, nil, nil]
    rescue Exception => error
      [error.is_a?(Interrupt) ? 130 : 1, error, nil]
    end

    private

    # Words are the program's name and its arguments, if they change.
    def do_cell(code, file, *words)
      introduce(*words) unless words.empty?
      data = nil
      status, error, shown = guard do
        value = TOPLEVEL_BINDING.eval(code, file)
        TOPLEVEL_BINDING.local_variable_set(:_, value)
        data = Plain.write(value)
        value.nil? ? nil : text(value.inspect)
      end
      status = finish(status)
      [status, shown ? 1 : 0, shown, data, *(Errors.report(error) if error)]
    ensure
      $stdout, $stderr, $stdin = STDOUT, STDERR, STDIN
      # The next cell must not read what one cell has left.
      ask("ended")
      STDIN.read
    end

    def introduce(name, *arguments)
      $0 = name
      ARGV.replace(arguments)
    end

    def failure(error)
      [error.is_a?(Interrupt) ? 130 : 1, 0, "", "", *Errors.report(error)]
    end

    def do_program(directory, *argv)
      Dir.chdir(directory)
      status = finish(Command.new(argv).run)
      write_files
      [status]
    end

    # Writes what is left in the buffers of open files, as the end of a process does.
    def write_files
      ObjectSpace.each_object(File) do |file|
        file.flush unless file.closed?
      rescue SystemCallError, IOError
        next
      end
    end

    def do_start(directory)
      Dir.chdir(directory)
      []
    end

    def do_env(*pairs)
      ENV.replace(pairs.each_slice(2).to_h)
      []
    end

    def do_paths(*paths)
      Packages.paths = paths
      []
    end

    def do_complete(code)
      Complete.matches(code)
    end

    def do_inspect(expression)
      Complete.describe(expression)
    end

    # The error in code, if there is one.
    def do_check(code)
      verbose, $VERBOSE = $VERBOSE, nil
      RubyVM::InstructionSequence.compile(code, "<cell>")
      []
    rescue SyntaxError => error
      [text(error.message)]
    ensure
      $VERBOSE = verbose
    end
  end

  ENDS = []
end
