"""Composer: packages for PHP."""
