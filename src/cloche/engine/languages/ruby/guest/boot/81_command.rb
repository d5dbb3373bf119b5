# The command `ruby`: its options, and the program that they and the other arguments name.

module Cloche
  class Command
    VERSION = RUBY_DESCRIPTION
    HELP = <<~TEXT
      Usage: ruby [options] [--] [program file] [arguments]
        -e 'code'     one line of the program; several are joined
        -n, -p        loop over the lines of the input; -p prints each
        -a, -F PATTERN  split each line into $F; the pattern to split by
        -l            take line ends off, and put them back when printing
        -0[OCTAL]     what lines end with
        -i[EXTENSION] edit the files in place
        -r LIBRARY, -I FOLDER, -C FOLDER, -s, -c, -v, -w, -W, --version
    TEXT

    def initialize(argv)
      @argv = argv
      @code = nil
      @libraries = []
      @folders = []
      @loop = nil
    end

    # Returns the exit code.
    def run
      status, error = Cloche.guard { start && nil }
      return status unless error
      STDERR.write(Errors.traceback(error), "\n") unless error.is_a?(Interrupt)
      status
    end

    private

    def start
      return unless (catch(:ended) { parse; true })
      name, source = program
      ARGV.replace(@argv)
      switches if @switches
      $0 = name
      $LOAD_PATH.unshift(*@folders.map { |folder| File.expand_path(folder) })
      @libraries.each { |library| require library }
      return check(name, source) if @check
      execute(name, source)
    end

    def parse
      until @argv.empty?
        break unless @argv.first.start_with?("-") && @argv.first != "-"
        word = @argv.shift
        break if word == "--"
        word.start_with?("--") ? long(word) : short(word[1..])
      end
      finish if @version && !@code && @argv.empty?
    end

    def finish = throw(:ended, false)

    def long(word)
      case word
      when "--version" then (puts VERSION; finish)
      when "--help" then (puts HELP; finish)
      when "--verbose" then $VERBOSE = true
      when /\A--(?:en|dis)able|\A--(?:yjit|jit|encoding|external-encoding|internal-encoding|debug|parser)/
        @argv.shift if /\A--(?:en|dis)able\z/.match?(word)
      else wrong(word)
      end
    end

    def wrong(word)
      STDERR.write("ruby: invalid option #{word}  (-h will show valid options) (RuntimeError)\n")
      exit 1
    end

    def short(letters)
      until letters.empty?
        letter, letters = letters[0], letters[1..]
        letters = option(letter, letters)
      end
    end

    # Returns the remaining letters.
    def option(letter, rest)
      case letter
      when "e" then ((@code ||= +"") << value(rest, letter) << "\n"; "")
      when "r" then (@libraries << value(rest, letter); "")
      when "I" then (@folders.concat(value(rest, letter).split(":")); "")
      when "C", "X" then (Dir.chdir(value(rest, letter)); "")
      when "F" then (@separator = Regexp.new(rest); "")
      when "i" then (@in_place = rest; "")
      when "0" then (digits = rest[/\A[0-7]*/]; ends(digits); rest[digits.size..])
      when "W" then (warnings(rest); "")
      when "E", "K", "U" then ""
      when "h" then (puts HELP; finish)
      else flag(letter, rest)
      end
    end

    def flag(letter, rest)
      case letter
      when "n" then @loop ||= :silent
      when "p" then @loop = :printing
      when "a" then @split = true
      when "l" then @chomp = true
      when "c" then @check = true
      when "s" then @switches = true
      when "w" then $VERBOSE = true
      when "v" then (puts VERSION unless @version; @version = $VERBOSE = true)
      when "d" then $DEBUG = true
      when "S", "y" then nil
      else wrong("-#{letter}")
      end
      rest
    end

    def value(rest, letter)
      return rest unless rest.empty?
      @argv.shift or (STDERR.write("ruby: no code specified for -#{letter} (RuntimeError)\n"); exit 1)
    end

    def ends(digits)
      $/ = case digits
           when "" then "\0"
           when "0", "00" then ""
           when "777" then nil
           else digits.oct.chr
           end
    end

    def warnings(rest)
      case rest
      when "0", ":no-deprecated" then $VERBOSE = nil if rest == "0"
      when "1" then $VERBOSE = false
      when "", "2" then $VERBOSE = true
      end
    end

    # The name of the program and its text.
    def program
      return ["-e", @code] if @code
      name = @argv.shift || "-"
      return ["-", STDIN.read.force_encoding(Encoding::UTF_8)] if name == "-"
      [name, File.read(name, encoding: Encoding::UTF_8)]
    rescue SystemCallError => error
      STDERR.write("ruby: #{error.message.sub(/ @ \w+ -/, " --")} (LoadError)\n")
      exit 1
    end

    def switches
      while @argv.first&.start_with?("-")
        word = @argv.shift
        break if word == "--"
        name, value = word.sub(/\A-+/, "").split("=", 2)
        eval("$#{name.tr("-", "_")} = #{(value || true).inspect}") if /\A\w[\w-]*\z/.match?(name)
      end
      ARGV.replace(@argv)
    end

    def check(name, source)
      RubyVM::InstructionSequence.compile(source, name)
      puts "Syntax OK"
    end

    # On the command line a pattern is meant as a condition, so Ruby must not warn of it.
    def quiet
      def Warning.warn(message, **) = message.include?("regex literal in condition") ? nil : super
    end

    def execute(name, source)
      quiet if name == "-e"
      $\ = $/ if @chomp
      ARGF.inplace_mode = @in_place if @in_place
      source, blocks = Blocks.hoist(source, name, @loop) if Blocks.any?(source)
      return TOPLEVEL_BINDING.eval(looped(source, blocks), name, 0) if @loop
      return TOPLEVEL_BINDING.eval(source, name) if %w[-e -].include?(name)
      data(name, source)
      RubyVM::InstructionSequence.compile(source, name, File.realpath(name)).eval
    end

    # The program starts on the second line of this, which counts as the first.
    def looped(source, blocks)
      $cloche_separator = @separator
      define_line_methods
      again = @loop == :printing ? "($cloche_later ? print($_) : $cloche_later = true)" : "nil"
      each = "#{"$_.chomp!($/) if $/;" if @chomp}#{"$F = $_.split($cloche_separator);" if @split}"
      "#{blocks}while (#{again}; gets); #{each}\n#{source}\nend"
    end

    # With -n and -p, these change the line that was read.
    def define_line_methods
      %w[sub gsub chomp chop].each do |name|
        Kernel.define_method(name) do |*given, &block|
          $cloche_line = TOPLEVEL_BINDING.eval("$_").public_send(name, *given, &block)
          TOPLEVEL_BINDING.eval("$_ = $cloche_line")
        end
        Kernel.send(:private, name)
      end
    end

    def data(name, source)
      at = source.b =~ /^__END__\r?$\n?/n or return
      file = File.open(name)
      file.seek(at + $~[0].bytesize)
      Object.const_set(:DATA, file)
    end
  end
end
