# frozen_string_literal: true

# Timeouts without a thread that watches: the host sends a signal when the first of them is over.
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

  Entry = Struct.new(:due)
  @entries = []

  class << self
    def timeout(seconds, error = nil, message = nil, &block)
      return yield(seconds) if seconds.nil? || seconds.zero?
      raise ArgumentError, "Timeout sec must be a non-negative number" if seconds.negative?
      watch(seconds, error, message || "execution expired", &block)
    end

    def expire
      entry = @entries.find { |each| each.due <= now }
      set
      raise ExitException.new(entry) if entry
    end

    private

    def watch(seconds, error, message)
      entry = Entry.new(now + seconds)
      @entries << entry
      set
      begin
        yield(seconds)
      rescue ExitException => expired
        raise unless expired.entry.equal?(entry)
        raise error || Error, message, expired.backtrace, cause: nil
      ensure
        @entries.delete(entry)
        set
      end
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
