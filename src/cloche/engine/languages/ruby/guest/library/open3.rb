# frozen_string_literal: true

# Open3 for programs that run to their end: input is collected until their output is read.
module Open3
  class << self
    def capture3(*command, stdin_data: "", binmode: false, **options)
      out, err = Cloche::Call.new(command, options).run(input: stdin_data, output: :kept, errors: :kept)
      [out, err, $?]
    end

    def capture2(*command, stdin_data: "", binmode: false, **options)
      out, = Cloche::Call.new(command, options).run(input: stdin_data, output: :kept)
      [out, $?]
    end

    def capture2e(*command, stdin_data: "", binmode: false, **options)
      out, = Cloche::Call.new(command, options).run(input: stdin_data, output: :kept, errors: :merged)
      [out, $?]
    end

    def popen3(*command, **options, &block)
      exchange = Exchange.new(Cloche::Call.new(command, options), :kept)
      hand([exchange.input, exchange.output, exchange.errors, exchange], &block)
    end

    def popen2(*command, **options, &block)
      exchange = Exchange.new(Cloche::Call.new(command, options), :live)
      hand([exchange.input, exchange.output, exchange], &block)
    end

    def popen2e(*command, **options, &block)
      exchange = Exchange.new(Cloche::Call.new(command, options), :merged)
      hand([exchange.input, exchange.output, exchange], &block)
    end

    private

    def hand(parts)
      return parts unless block_given?
      begin
        yield(*parts)
      ensure
        parts.last.value
      end
    end
  end

  # A program that starts when its input is closed, its output is read, or its end is awaited.
  class Exchange
    attr_reader :input, :output, :errors

    def initialize(call, errors)
      @call = call
      @kind = errors
      @input = Input.new(self)
      @output = Output.new(self)
      @errors = Output.new(self)
    end

    def start
      return if @status
      @status = true
      out, err = @call.run(input: @input.string, output: :kept, errors: @kind)
      @output.fill(out)
      @errors.fill(err)
      @status = $?
    end

    def value = (start; @status)
    def pid = value.pid
    def join(*) = (start; self)
    def alive? = !@status
    def [](key) = key == :pid ? pid : nil
  end

  class Input < StringIO
    def initialize(exchange)
      super(+"")
      @exchange = exchange
    end

    def close
      @exchange.start
      super unless closed?
      nil
    end

    def sync=(value)
      value
    end
  end

  class Output < StringIO
    def initialize(exchange)
      super(+"")
      @exchange = exchange
    end

    def fill(data)
      self.string = +data
      set_encoding(Encoding::UTF_8)
    end

    %i[read gets each each_line readline readlines getc readchar each_char each_byte getbyte eof? eof sysread
       readpartial read_nonblock].each do |name|
      define_method(name) do |*arguments, **options, &block|
        @exchange.start
        super(*arguments, **options, &block)
      end
    end
  end
end
