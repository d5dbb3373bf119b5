/** Exports of Python's module that were hidden, because thousands of them cost time at every start. */

/** Functions, by their position in the table, and addresses of data. */
export interface HiddenExports {
  functions: string[];
  values: Record<string, number>;
}

/** The exported table that holds the hidden functions. */
export const HIDDEN_TABLE = "cloche_hidden";
