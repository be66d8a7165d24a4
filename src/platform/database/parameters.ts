// The parameters of a statement that is put together from parts.

export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value. Answers how the statement names it, with its type. */
  add(type: string, value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
