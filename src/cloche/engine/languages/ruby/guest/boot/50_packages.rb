# Gems: the host puts their folders on the load path, and is asked for missing ones.

module Cloche
  module Packages
    STANDARD = %w[io/console pty readline reline irb rdoc bigdecimal nkf syslog etc fiddle].freeze

    class << self
      def paths=(paths)
        $LOAD_PATH.reject! { |path| path.is_a?(String) && path.start_with?("/opt/languages/") }
        $LOAD_PATH.concat(paths)
      end

      # A program may have installed some.
      def refresh
        state, *paths = Cloche.ask("paths")
        self.paths = paths if state == "changed"
      end

      # Whether the host has installed what was missing.
      def provide(feature)
        return false if feature.start_with?("/", ".") || STANDARD.include?(feature)
        state, *rest = Cloche.ask("provide", feature)
        @refused = { feature => rest.first } if state == "no"
        self.paths = rest if state == "yes"
        state == "yes"
      end

      def hint(error)
        path = error.path
        return if path.nil? || path.start_with?("/")
        return "\nhint: #{path} needs what this Ruby does not have: it runs in WebAssembly" if STANDARD.include?(path)
        refusal = @refused&.fetch(path, nil)
        return "\nhint: #{refusal}" if refusal
        gem = path.split("/").first
        "\nhint: no installed gem brings #{path}; try `gem install #{gem}` in bash, or box.install(\"#{gem}\", language=\"ruby\")"
      end
    end
  end
end

module Kernel
  alias_method :cloche_require, :require
  private :cloche_require

  def require(feature)
    cloche_require(feature)
  rescue LoadError => error
    raise if error.path != feature.to_s || !Cloche::Packages.provide(error.path)
    cloche_require(feature)
  end

  # Gems need not be activated by name.
  def gem(*) = true

  private :require, :gem
end

module Gem
  autoload :Version, "rubygems/version"
  autoload :Requirement, "rubygems/requirement"
end
