# Other programs: bash runs them to their end while Ruby waits.

module Cloche
  # The value of `$?`; a Process::Status cannot be made here.
  class Status
    attr_reader :pid, :exitstatus

    def initialize(pid, exitstatus)
      @pid = pid
      @exitstatus = exitstatus
    end

    def success? = @exitstatus == 0
    def exited? = true
    def signaled? = false
    def stopped? = false
    def coredump? = false
    def termsig = nil
    def stopsig = nil
    def to_i = @exitstatus << 8
    def to_s = "pid #{@pid} exit #{@exitstatus}"
    def inspect = "#<Process::Status: #{self}>"
    def ==(other) = other.respond_to?(:to_i) && to_i == other.to_i
    def is_a?(other) = other == Process::Status || super
    alias kind_of? is_a?
  end

  # A program, from the arguments of system() and its relatives.
  class Call
    attr_reader :exception

    def initialize(arguments, options = {})
      @env = arguments.first.is_a?(Hash) ? arguments.shift : {}
      options = arguments.pop.merge(options) if arguments.last.is_a?(Hash)
      raise ArgumentError, "wrong number of arguments (given 0, expected 1+)" if arguments.empty?
      @words = arguments.map { |word| word.is_a?(Array) ? word.first : word }.map { |word| word.to_str.dup }
      @redirects = options.reject { |key, _| key.is_a?(Symbol) && !%i[in out err].include?(key) }
      @directory = options[:chdir] || Dir.pwd
      @exception = options[:exception]
      @unset = options[:unsetenv_others]
    end

    def name = @words.first

    # Streams are :live, :kept or :merged. Returns the output on stdout and stderr that is kept.
    def run(input: nil, output: :live, errors: :live)
      input, input_file = redirected_input(input)
      outputs = { 1 => output, 2 => errors }
      files = redirected_outputs(outputs)
      kept = outputs.values != %i[live live]
      merged = outputs[2] == :merged
      code, out, err = exchange(input || input_file, kept, merged)
      out, err = deliver(outputs, files, out, err) if kept
      Processes.ended(code)
      [out, err]
    end

    private

    def exchange(input, kept, merged)
      env = (@unset ? {} : ENV.to_h).merge(@env.to_h { |key, value| [key.to_s, value&.to_s] }).compact
      form = @words.size == 1 ? "script" : "argv"
      flags = "#{"k" if kept}#{"m" if merged}#{"i" if input}"
      fields = [form, flags, @directory, input.to_s, @words.size, *@words, *env.flatten]
      code, out, err = Cloche.ask("exec", *fields)
      Packages.refresh
      [code.to_i, out.to_s, err.to_s]
    end

    def redirected_input(input)
      source = @redirects[:in] || @redirects[STDIN] || @redirects[0]
      case source
      when nil then [input, nil]
      when String then [input, File.binread(source)]
      when Array then [input, File.binread(source.first)]
      when Symbol then [input, ""]
      else [input, source.respond_to?(:read) && source != STDIN ? source.read : nil]
      end
    end

    def redirected_outputs(outputs)
      files = {}
      @redirects.each do |stream, sink|
        Array(stream).each do |each|
          number = { :out => 1, STDOUT => 1, 1 => 1, :err => 2, STDERR => 2, 2 => 2 }[each] or next
          outputs[number] = sink_of(sink, number, files, outputs)
        end
      end
      outputs[2] = :merged if files[2].equal?(files[1]) && files[1]
      files
    end

    def sink_of(sink, number, files, outputs)
      case sink
      when [:child, :out], :out, 1, STDOUT then number == 2 ? :merged : outputs[1]
      when :err, 2, STDERR then number == 1 ? :to_errors : outputs[2]
      when :close, File::NULL then (files[number] = nil; :dropped)
      else
        files[number] = sink.is_a?(String) || sink.is_a?(Array) ? opened(sink) : sink
        :file
      end
    end

    def opened(sink)
      path, mode = sink
      mode = mode.is_a?(String) ? mode : "w"
      @opened ||= {}
      @opened[path] ||= File.open(path, mode)
    end

    def deliver(outputs, files, out, err)
      results = [[1, out], [2, err]].map do |number, data|
        case outputs[number]
        when :live then ((number == 1 ? STDOUT : STDERR).write(data); "")
        when :to_errors then (STDERR.write(data); "")
        when :file then (files[number].write(data); "")
        when :dropped then ""
        else data
        end
      end
      @opened&.each_value(&:close)
      results
    end
  end

  module Processes
    @last = 100
    @statuses = {}

    class << self
      attr_reader :statuses

      def ended(code)
        @last += 1
        status = Status.new(@last, code)
        @statuses.shift if @statuses.size > 1000
        @statuses[@last] = status
        $cloche_status = status
      end

      def system(arguments, options)
        call = Call.new(arguments, options)
        call.run
        status = $cloche_status
        return true if status.success?
        missing = status.exitstatus == 127
        raise Errno::ENOENT, "No such file or directory - #{call.name}" if call.exception && missing
        raise "Command failed with exit #{status.exitstatus}: #{call.name}" if call.exception
        missing ? nil : false
      end

      def wait(pid = -1)
        status = pid == -1 ? @statuses.values.last : @statuses[pid]
        raise Errno::ECHILD unless status
        @statuses.delete(status.pid)
        $cloche_status = status
        status.pid
      end
    end
  end

  # Replaces the thread that waits for a program.
  Waiter = Struct.new(:pid, :value) do
    def join(*) = self
    def alive? = false
    def status = false
    def [](key) = key == :pid ? pid : nil
  end
end

alias $? $cloche_status

module Kernel
  def system(*arguments, **options) = Cloche::Processes.system(arguments, options)

  def `(command)
    Cloche::Call.new([command.to_str]).run(output: :kept).first
  end

  def spawn(*arguments, **options)
    Cloche::Call.new(arguments, options).run
    $?.pid
  end

  def exec(*arguments, **options)
    Cloche::Call.new(arguments, options).run
    exit!($?.exitstatus)
  end

  private :system, :`, :spawn, :exec
  module_function :system, :`, :spawn, :exec
end

module Process
  class << self
    def spawn(...) = Kernel.spawn(...)
    def exec(...) = Kernel.exec(...)
    def last_status = $?
    def wait(pid = -1, _ = 0) = Cloche::Processes.wait(pid)
    def wait2(pid = -1, _ = 0) = [Cloche::Processes.wait(pid), $?]
    def detach(pid) = Cloche::Waiter.new(pid, Cloche::Processes.statuses[pid])
    alias waitpid wait
    alias waitpid2 wait2

    def waitall
      Cloche::Processes.statuses.keys.map { |pid| wait2(pid) }
    end
  end
end
