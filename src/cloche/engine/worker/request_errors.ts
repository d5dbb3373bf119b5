/** How requests to the host fail. */

/** The type of a refusal that is valid for this run only: the next run may ask again. */
export const NOT_WANTED = "NotWanted";

/** The host refused, or failed on the way. */
export class RequestError extends Error {
  override readonly name = "RequestError";

  constructor(readonly type: string, message: string) {
    super(message);
  }
}

/** The wait was ended by an interrupt. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}
