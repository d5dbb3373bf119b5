# frozen_string_literal: true

# The names that libraries need to load; nothing can connect.
class SocketError < StandardError; end

class BasicSocket < IO
  REASON = "there are no sockets in this Ruby, which runs in WebAssembly: fetch with `curl` (system, backticks) instead"

  class << self
    def new(*, **) = raise(SocketError, REASON)
    alias open new
    alias tcp new
    alias getaddrinfo new
    alias for_fd new
  end
end

class Socket < BasicSocket
  module Constants
    AF_UNSPEC = 0
    AF_UNIX = 1
    AF_INET = 2
    AF_INET6 = 10
    PF_INET = 2
    SOCK_STREAM = 1
    SOCK_DGRAM = 2
    SOL_SOCKET = 1
    SO_REUSEADDR = 2
    SO_KEEPALIVE = 9
    IPPROTO_TCP = 6
    TCP_NODELAY = 1
  end
  include Constants
  Constants.constants.each { |name| const_set(name, Constants.const_get(name)) }

  class ResolutionError < SocketError; end

  def self.gethostname = "sandbox"
end

class IPSocket < BasicSocket
  class << self
    alias getaddress new
  end
end

class TCPSocket < IPSocket; end
class TCPServer < TCPSocket; end
class UDPSocket < IPSocket; end
class UNIXSocket < BasicSocket; end
class UNIXServer < UNIXSocket; end
class Addrinfo
  def self.method_missing(*) = raise(SocketError, BasicSocket::REASON)
  def self.respond_to_missing?(*) = true
end
