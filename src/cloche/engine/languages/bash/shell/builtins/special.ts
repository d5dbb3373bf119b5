/** The builtins that POSIX calls special. */
export const SPECIAL = new Set(
  "break : continue . eval exec exit export readonly return set shift times trap unset source".split(" "),
);
