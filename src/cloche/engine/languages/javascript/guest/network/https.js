// https: requests; servers of the sandbox cannot speak TLS.
const { make } = require("internal/absent");
const { makeClient } = require("internal/http_client");

module.exports = {
  ...make("https", "tls", "createServer Server"),
  ...makeClient("https:"),
};
