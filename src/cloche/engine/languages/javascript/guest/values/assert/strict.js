// assert, strict from the beginning.
module.exports = require("assert").strict;
