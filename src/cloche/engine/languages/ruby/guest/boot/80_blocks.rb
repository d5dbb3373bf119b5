# BEGIN and END blocks, which only whole programs can have: rewritten by other means.

module Cloche
  module Blocks
    class << self
      def any?(source) = /\b(?:BEGIN|END)\s*\{/.match?(source)

      # The source without them, and the code to run first.
      def hoist(source, name, loop)
        require "ripper"
        tokens = Ripper.lex(source, name)
        first = +""
        text = +""
        until tokens.empty?
          _, type, word = tokens.shift
          if type == :on_kw && word == "END" && braced?(tokens)
            text << "Cloche::Blocks.last(#{tokens.size})"
          elsif type == :on_kw && word == "BEGIN" && loop && braced?(tokens)
            block = taken(tokens)
            first << block.tr("\n", " ")[/\{(.*)\}\z/m, 1] << ";"
            text << "\n" * block.count("\n")
          else
            text << word
          end
        end
        [text, first]
      end

      # A block runs once, however often it is reached.
      def last(number, &block)
        (@seen ||= {})[number] ||= ENDS.push(block)
      end

      private

      def braced?(tokens)
        tokens.find { |_, type,| type != :on_sp }&.fetch(1) == :on_lbrace
      end

      def taken(tokens)
        block = +""
        depth = 0
        loop do
          _, type, word = tokens.shift
          block << word
          depth += 1 if %i[on_lbrace on_embexpr_beg on_tlambeg].include?(type)
          depth -= 1 if %i[on_rbrace on_embexpr_end].include?(type)
          return block if depth == 0 && type == :on_rbrace
        end
      end
    end
  end
end
