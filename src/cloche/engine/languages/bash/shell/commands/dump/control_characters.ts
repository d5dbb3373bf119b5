/** How od and hexdump show control characters. */

/** The names of the first 32; that of the line feed is `lf`, though od calls it `nl`. */
export const CONTROL_NAMES = (
  "nul soh stx etx eot enq ack bel bs ht lf vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us"
).split(" ");

/** Those that have an escape. */
export const CONTROL_ESCAPES: Record<number, string> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};
