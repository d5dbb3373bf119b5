# How Ruby talks to the engine: it writes a request to one device, and reads the answer from it.

module Cloche
  DEVICE = "/dev/cloche"
  LIMIT = 1 << 20

  class << self
    # The fields of the request and of the answer are strings.
    def ask(*fields)
      packed = fields.map { |field| (bytes = field.to_s.b; [bytes.bytesize].pack("V") << bytes) }.join
      answer = File.open(DEVICE, "r+b") do |device|
        device.syswrite(packed)
        device.read
      end
      unpack(answer)
    end

    def unpack(data)
      fields = []
      at = 0
      while at < data.bytesize
        size = data.byteslice(at, 4).unpack1("V")
        fields << data.byteslice(at + 4, size).force_encoding(Encoding::UTF_8)
        at += 4 + size
      end
      fields
    end

    # Text that can be shown, and not too much of it.
    def text(value)
      string = value.to_s
      string = string.encode(Encoding::UTF_8, invalid: :replace, undef: :replace) unless string.encoding == Encoding::UTF_8
      string = string.scrub
      string.bytesize > LIMIT ? string.byteslice(0, LIMIT).scrub("") + "..." : string
    end
  end
end
