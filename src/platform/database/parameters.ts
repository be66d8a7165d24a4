import { arrayText, type Item } from "./table.ts";

/** A column of rows that a statement is given: its name, its type, and how it is read from a row. */
export type RowColumn<T> = readonly [name: string, type: string, read: (row: T) => Item];

/** The values of a statement, which names each as it is added. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value, or an array with an item a row. Returns how the statement names it, with its type. */
  add(type: string, value: Item | readonly Item[]): string {
    this.values.push(Array.isArray(value) ? arrayText(value as readonly Item[]) : value);
    return `$${this.values.length}::${type}`;
  }

  /** Adds rows as one array a column. Returns both halves of `from ${arrays} as source (${names})`. */
  addRows<T>(
    columns: readonly RowColumn<T>[],
    rows: readonly T[],
  ): { readonly arrays: string; readonly names: string } {
    const arrays = columns.map(([, type, read]) => this.add(`${type}[]`, rows.map(read)));
    return { arrays: `unnest(${arrays.join(", ")})`, names: columns.map(([name]) => name).join(", ") };
  }
}
