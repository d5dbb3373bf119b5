// constants: those of fs and os.
module.exports = { ...require("fs").constants, ...require("os").constants.signals };
