// Errors of calls to a provider.

/** Why nothing was done. It can be retried later, or over another account. */
export type NotSentCause = "unreachable" | "busy" | "unauthorized" | "address" | "low_balance";

/** The provider refuses. This call did nothing; an earlier call under the same id may have done it. */
export class RefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RefusedError";
  }
}

/** This account does not offer the feature. Retrying is useless; the message has the remedy. */
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
