# Writes the value of a cell as JSON if it is plain data. Calls no methods of the objects, which may return anything.

module Cloche
  module Plain
    LENGTH, DEPTH, VALUES = DATA_LIMITS
    CONTROL = /["\\\x00-\x1f]/
    KIND = Kernel.instance_method(:class)
    EACH = Array.instance_method(:each)
    SIZE = Array.instance_method(:size)
    PAIRS = Hash.instance_method(:each_pair)
    FORMS = {
      NilClass => :word, TrueClass => :word, FalseClass => :word, Integer => :integer, Float => :real,
      String => :text, Symbol => :text, Array => :list, Hash => :object,
    }.compare_by_identity.freeze

    class << self
      # Nil if it is not plain data, or too large.
      def write(value)
        @left, @json = VALUES, +""
        catch(self) do
          add(value, 0)
          @json if @json.bytesize <= LENGTH
        end
      rescue StandardError
        nil
      ensure
        @json = nil
      end

      private

      def refuse = throw(self, nil)

      def add(value, depth)
        case FORMS[KIND.bind_call(value)]
        when :integer then value.bit_length < 64 ? @json << value.to_s : refuse
        when :text then text(value)
        when :list then list(value, depth)
        when :object then object(value, depth)
        when :real then value.finite? ? @json << value.to_s : refuse
        when :word then @json << (true.equal?(value) ? "true" : false.equal?(value) ? "false" : "null")
        else refuse
        end
      end

      def text(value)
        string = String.new(KIND.bind_call(value).equal?(Symbol) ? value.name : value)
        refuse if string.bytesize + @json.bytesize > LENGTH
        string = string.encode(Encoding::UTF_8) unless string.encoding.equal?(Encoding::UTF_8)
        refuse unless string.valid_encoding?
        string.gsub!(CONTROL) { |char| format('\u%04x', char.ord) }
        @json << '"' << string << '"'
        string
      end

      def list(value, depth)
        refuse if depth == DEPTH || (@left -= SIZE.bind_call(value)) < 0
        @json << "["
        EACH.bind_call(value) do |item|
          add(item, depth + 1)
          @json << ","
        end
        finish("]")
      end

      # Keys must be strings or symbols, without duplicates.
      def object(value, depth)
        refuse if depth == DEPTH
        names = {}
        @json << "{"
        PAIRS.bind_call(value) do |key, item|
          refuse if (@left -= 1) < 0 || FORMS[KIND.bind_call(key)] != :text
          name = text(key)
          refuse if names.key?(name)
          names[name] = true
          @json << ":"
          add(item, depth + 1)
          @json << ","
        end
        finish("}")
      end

      def finish(mark)
        refuse if @json.bytesize > LENGTH + 1
        @json.delete_suffix!(",")
        @json << mark
      end
    end
  end
end
