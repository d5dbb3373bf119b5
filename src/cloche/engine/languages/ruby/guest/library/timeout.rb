# frozen_string_literal: true

# Timeouts without a thread: the host sends a signal when the first of them expires.
module Timeout
  VERSION = "0.6.0"

  # Raised inside the block, past its rescues.
  class ExitException < Exception
    attr_reader :entry

    def initialize(entry)
      super("execution expired")
      @entry = entry
    end
  end

  class Error < RuntimeError; end

  # A watched block; not a Struct, because two with the same deadline are not equal.
  class Entry
    attr_reader :due

    def initialize(due)
      @due = due
    end
  end

  # From the outermost block to the innermost.
  @entries = []

  class << self
    def timeout(seconds, error = nil, message = nil, &block)
      return yield(seconds) if seconds.nil? || seconds.zero?
      raise ArgumentError, "Timeout sec must be a non-negative number" if seconds.negative?
      watch(seconds, error, message || "execution expired", &block)
    end

    # A block expires once, and blocks inside it never do: its clean-up is left alone.
    def expire
      first = @entries.index { |each| each.due <= now }
      expired = @entries.slice!(first..).first if first
      set
      raise ExitException.new(expired) if expired
    end

    private

    def watch(seconds, error, message)
      entry = Entry.new(now + seconds)
      begin
        @entries << entry
        set
        yield(seconds)
      ensure
        # It may still expire here; the rescue below handles that too.
        @entries.delete(entry)
        set
      end
    rescue ExitException => expired
      raise unless expired.entry.equal?(entry)
      raise error || Error, message, expired.backtrace, cause: nil
    end

    def set
      first = @entries.map(&:due).min
      Cloche.ask("alarm", first ? [(first - now) * 1000, 0].max.ceil : "")
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def timeout(...) = Timeout.timeout(...)
  private :timeout
end

trap("ALRM") { Timeout.expire }
