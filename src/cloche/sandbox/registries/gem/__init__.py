"""RubyGems: packages for Ruby."""
