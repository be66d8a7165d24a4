// How a call to a provider ended that did not do what it was made for.

/** Why nothing was done: it can be tried later, or over another account. */
export type NotSentCause = "unreachable" | "busy" | "unauthorized" | "address" | "low_balance";

/** The provider refuses. This call did nothing; an earlier call under the same id may have done it. */
export class RefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RefusedError";
  }
}

/** This account does not offer what was asked for. Retrying changes nothing; the message says what does. */
export class UnavailableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnavailableError";
  }
}

/** The provider gave no answer, or one we can't parse: the outcome is unknown. */
export class OutageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OutageError";
  }
}

/** The call certainly did nothing at the provider. After any other error, nobody knows. */
export class NotSentError extends Error {
  readonly code: NotSentCause;

  constructor(code: NotSentCause, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NotSentError";
    this.code = code;
  }
}
