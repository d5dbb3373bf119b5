// http: servers at the sandbox's own ports, and requests, which the network policy decides about.
const { IncomingMessage, OutgoingMessage } = require("internal/http_messages");
const { Server, ServerResponse } = require("internal/http_server");
const { ClientRequest, makeClient } = require("internal/http_client");
const { METHODS, STATUS_CODES } = require("internal/http_status");

module.exports = {
  ...makeClient("http:"),
  METHODS,
  STATUS_CODES,
  ClientRequest,
  IncomingMessage,
  OutgoingMessage,
  Server,
  ServerResponse,
  createServer: (options, listener) => new Server(options, listener),
  maxHeaderSize: 65536,
  validateHeaderName: (name) => new OutgoingMessage().setHeader(name, ""),
  validateHeaderValue: (name, value) => new OutgoingMessage().setHeader(name, value),
};
