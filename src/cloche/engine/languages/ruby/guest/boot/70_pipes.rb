# IO.popen: what is written is collected, and the program runs when its output is wanted.

require "stringio"

module Cloche
  class Pipe < StringIO
    def initialize(call, mode, errors)
      super(+"")
      set_encoding(Encoding::UTF_8)
      @call = call
      @errors = errors
      @input = mode.start_with?("r") && !mode.include?("+") ? nil : StringIO.new
      @kept = mode.start_with?("r") || mode.include?("+")
      start unless @input
    end

    attr_reader :pid

    %i[write print puts << printf putc syswrite write_nonblock].each do |name|
      define_method(name) do |*arguments|
        raise IOError, "not opened for writing" unless @input && !@done
        result = @input.public_send(name, *arguments)
        name == :<< ? self : result
      end
    end

    %i[read gets each each_line readline readlines getc readchar each_char each_byte getbyte eof? eof sysread
       readpartial read_nonblock].each do |name|
      define_method(name) do |*arguments, **options, &block|
        start
        super(*arguments, **options, &block)
      end
    end

    def close_write = start

    def close
      start
      $cloche_status = @status
      super unless closed?
      nil
    end

    def flush = self
    def sync = true
    def fileno = nil

    private

    def start
      return if @done
      @done = true
      out, = @call.run(input: @input&.string, output: @kept ? :kept : :live, errors: @errors)
      self.string = +out
      set_encoding(Encoding::UTF_8)
      @status = $?
      @pid = @status.pid
      nil
    end
  end
end

class IO
  class << self
    def popen(*arguments, **options)
      env = arguments.first.is_a?(Hash) ? [arguments.shift] : []
      command, mode = arguments
      raise NotImplementedError, "fork is not available in this Ruby" if command == "-"
      words = Array(command)
      errors = options.delete(:err)
      merged = [[:child, :out], :out, STDOUT, 1].include?(errors)
      options[:err] = errors if errors && !merged
      call = Cloche::Call.new([*env, *words], options.except(:external_encoding, :internal_encoding, :mode))
      pipe = Cloche::Pipe.new(call, (mode || options[:mode] || "r").to_s, merged ? :merged : :live)
      return pipe unless block_given?
      begin
        yield pipe
      ensure
        pipe.close
      end
    end
  end
end
