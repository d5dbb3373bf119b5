# Completions at the cursor, and what a name refers to; only variables are evaluated for that.

module Cloche
  module Complete
    MOST = 500
    KEYWORDS = %w[BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in module
                  next nil not or redo rescue retry return self super then true undef unless until when while yield].freeze
    SIMPLE = /(?:[@$]{0,2}[A-Za-z_]\w*[?!]?(?:::[A-Z]\w*)*|\d+(?:\.\d+)?|"[^"#]*"|'[^']*'|:\w+|\[\]|\{\})/

    class << self
      # The word that is completed, then the matches.
      def matches(code)
        before, word, found = candidates(code)
        [word, *found.map(&:to_s).select { |name| name.start_with?(before) }.uniq.sort.first(MOST)]
      end

      def describe(expression)
        value = lookup(expression)
        [text(value), value.class.name.to_s]
      rescue NameError, TypeError, ArgumentError
        []
      end

      private

      def text(value)
        case value
        when Method then "#{value.owner}##{value.name}(#{parameters(value)})"
        when Module then "#{value.is_a?(Class) ? "class" : "module"} #{value.name}#{" < #{value.superclass}" if value.is_a?(Class) && value.superclass}"
        else Cloche.text(value.inspect)
        end
      end

      def parameters(method)
        marks = { req: "", opt: "", rest: "*", keyreq: "", key: "", keyrest: "**", block: "&" }
        method.parameters.map { |kind, name| "#{marks[kind]}#{name}#{":" if %i[key keyreq].include?(kind)}#{"=..." if kind == :opt}" }.join(", ")
      end

      def candidates(code)
        case code
        when /(#{SIMPLE})(?:&)?\.(\w*[?!]?)\z/o then [$2, $2, methods_of($1)]
        when /((?:[A-Z]\w*)(?:::[A-Z]\w*)*)::(\w*)\z/ then [$2, $2, constants_of($1)]
        when /(@@?\w*)\z/ then [$1, $1, main.instance_variables]
        when /(\$\w*)\z/ then [$1, $1, global_variables]
        when /(?:\A|[^\w:.)\]}"'])([A-Z]\w*)\z/ then [$1, $1, Object.constants]
        when /(?:\A|[^\w:.])([a-z_]\w*[?!]?)\z/ then [$1, $1, names]
        else ["", "", []]
        end
      end

      def main = TOPLEVEL_BINDING.receiver

      def names
        TOPLEVEL_BINDING.local_variables + main.private_methods + main.methods + KEYWORDS
      end

      def methods_of(expression)
        lookup(expression).public_methods.grep(/\A\w/)
      rescue NameError, TypeError
        []
      end

      def constants_of(name)
        value = Object.const_get(name)
        value.is_a?(Module) ? value.constants + value.singleton_methods : []
      rescue NameError
        []
      end

      def lookup(expression)
        case expression
        when /\A[a-z_]\w*[?!]?\z/
          scope = TOPLEVEL_BINDING
          return main if expression == "self"
          scope.local_variable_defined?(expression) ? scope.local_variable_get(expression) : main.method(expression)
        when /\A[A-Z]/ then Object.const_get(expression)
        when /\A@@/ then raise NameError
        when /\A@/ then main.instance_variable_get(expression)
        when /\A\$\w+\z/ then TOPLEVEL_BINDING.eval(expression)
        when /\A(?:\d|"|'|:|\[|\{)/ then TOPLEVEL_BINDING.eval(expression)
        else raise NameError
        end
      end
    end
  end
end
