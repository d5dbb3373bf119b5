# Describes an exception.

module Cloche
  module Errors
    HIDDEN = /\A(?:<internal:|eval:\d+:in |[^:]*:in )/
    HEAD = 40
    TAIL = 10
    CAUSES = 5

    class << self
      # Its class, message, frames and traceback.
      def report(error)
        frames = frames(error)
        [name(error), message(error), frames.first(HEAD).join("\n"), traceback(error, frames)]
      end

      def traceback(error, frames = frames(error), depth = 0)
        first, *rest = shortened(frames)
        text = "#{first}#{": " if first}#{detailed(error)}"
        rest.each { |frame| text << (frame.start_with?(" ") ? "\n\t#{frame}" : "\n\tfrom #{frame}") }
        cause = error.cause
        return Cloche.text(text) if cause.nil? || cause.equal?(error) || depth == CAUSES
        Cloche.text("#{text}\n#{traceback(cause, frames(cause), depth + 1)}")
      end

      private

      def frames(error)
        list = error.backtrace
        return [] unless list.is_a?(Array)
        list.grep_v(HIDDEN).map { |frame| Cloche.text(frame).sub("'<compiled>'", "'<main>'") }
      end

      def shortened(frames)
        return frames if frames.size <= HEAD + TAIL
        [*frames.first(HEAD), " ... #{frames.size - HEAD - TAIL} levels...", *frames.last(TAIL)]
      end

      def name(error)
        Cloche.text(error.class.name || error.class.inspect)
      end

      def detailed(error)
        text = Cloche.text(error.detailed_message(highlight: false))
        error.is_a?(LoadError) ? text + Packages.hint(error).to_s : text
      rescue Exception
        name(error)
      end

      def message(error)
        return Cloche.text(error.message) if error.is_a?(SyntaxError)
        text = detailed(error)
        text == name(error) ? "" : text.sub(" (#{name(error)})", "")
      rescue Exception
        ""
      end
    end
  end
end
