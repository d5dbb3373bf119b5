# What works differently here: the end of a program, threads, signals to other programs.

module Kernel
  def at_exit(&block)
    raise ArgumentError, "called without block" unless block
    Cloche::ENDS << block
    block
  end

  def exit!(status = false)
    Cloche::ENDS.clear
    exit(status)
  end

  private :at_exit, :exit!
  module_function :at_exit, :exit!
end

module Process
  def self.exit!(status = false) = Kernel.exit!(status)
end

class Thread
  class << self
    def new(*) = raise(NotImplementedError, "threads are not available in this Ruby: it runs in WebAssembly, in one thread")
    alias start new
    alias fork new
  end
end

module Process
  class << self
    def fork = raise(NotImplementedError, "fork is not available in this Ruby: use system, spawn or Open3 to run programs")
    def daemon(*) = fork
  end
end

# Processor time is counted from when the pack was built.
module Process
  remove_const(:CLOCK_PROCESS_CPUTIME_ID)
  CLOCK_PROCESS_CPUTIME_ID = CLOCK_MONOTONIC

  def self.times = Tms.new(clock_gettime(CLOCK_MONOTONIC), 0.0, 0.0, 0.0)
end

module Kernel
  def fork = Process.fork
  private :fork
  module_function :fork
end

# WASI knows no permissions, but the files have some.
class File
  class << self
    def chmod(mode, *paths)
      paths.each do |path|
        name = File.path(path)
        failed, = Cloche.ask("chmod", mode.to_i, File.expand_path(name))
        next if failed.nil?
        raise Errno.const_defined?(failed) ? Errno.const_get(failed).new(name) : IOError.new("#{name}: #{failed}")
      end
      paths.size
    end
  end

  def chmod(mode) = File.chmod(mode, path) - 1
end
