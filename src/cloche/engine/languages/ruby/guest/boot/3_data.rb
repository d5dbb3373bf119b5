# The value of a cell as JSON, where it is plain data. Asks nothing of the objects themselves, which may say anything.

module Cloche
  module Plain
    LENGTH = 256 * 1024
    DEPTH = 50
    VALUES = 50_000
    WHOLE = -2**63...2**63
    CONTROL = /["\\\x00-\x1f]/
    KIND = Kernel.instance_method(:class)
    EACH = Array.instance_method(:each)
    PAIRS = Hash.instance_method(:each_pair)
    FORMS = {
      NilClass => :word, TrueClass => :word, FalseClass => :word, Integer => :integer, Float => :real,
      String => :text, Symbol => :text, Array => :list, Hash => :object,
    }.compare_by_identity.freeze

    class << self
      # Nothing where it is no data, or too much.
      def write(value)
        @left = VALUES
        json = catch(self) { part(value, 0) }
        json if json && json.bytesize <= LENGTH
      rescue StandardError
        nil
      end

      private

      def refuse = throw(self, nil)

      def part(value, depth)
        form = FORMS[KIND.bind_call(value)]
        form ? send(form, value, depth) : refuse
      end

      def word(value, _depth) = true.equal?(value) ? "true" : false.equal?(value) ? "false" : "null"

      def integer(value, _depth) = WHOLE.cover?(value) ? value.to_s : refuse

      def real(value, _depth) = value.finite? ? value.to_s : refuse

      def text(value, _depth)
        string = String.new(value.name) if KIND.bind_call(value).equal?(Symbol)
        string ||= String.new(value)
        refuse if string.bytesize > LENGTH
        string = string.encode(Encoding::UTF_8)
        refuse unless string.valid_encoding?
        "\"#{string.gsub(CONTROL) { |char| format('\u%04x', char.ord) }}\""
      end

      def list(value, depth)
        parts = []
        EACH.bind_call(value) { |item| parts << counted(item, depth) }
        "[#{parts.join(",")}]"
      end

      # Names are texts or symbols, each of them once.
      def object(value, depth)
        parts = {}
        PAIRS.bind_call(value) do |key, item|
          kind = KIND.bind_call(key)
          name = kind.equal?(String) || kind.equal?(Symbol) ? text(key, depth) : refuse
          refuse if parts.key?(name)
          parts[name] = counted(item, depth)
        end
        "{#{parts.map { |name, item| "#{name}:#{item}" }.join(",")}}"
      end

      def counted(item, depth)
        refuse if depth == DEPTH || (@left -= 1) < 0
        part(item, depth + 1)
      end
    end
  end
end
