// The error of keys that are missing or wrong, and of encrypted values that do not open.

/** What is encrypted can't be read or written. The message says what to do, and holds nothing secret. */
export class SecretsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SecretsError";
  }
}
