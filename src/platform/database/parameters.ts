import { arrayText, type Item } from "./table.ts";

/** A column of rows as parameters: its name, its type, and how to read it from a row. */
export type RowColumn<T> = readonly [name: string, type: string, read: (row: T) => Item];

/** The parameters of a statement, numbered as they are added. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value, or an array with one item per row. Returns the parameter's SQL, with its type. */
  add(type: string, value: Item | readonly Item[]): string {
    this.values.push(Array.isArray(value) ? arrayText(value as readonly Item[]) : value);
    return `$${this.values.length}::${type}`;
  }

  /** Adds rows as one array per column. Returns both halves of `from ${arrays} as source (${names})`. */
  addRows<T>(
    columns: readonly RowColumn<T>[],
    rows: readonly T[],
  ): { readonly arrays: string; readonly names: string } {
    const arrays = columns.map(([, type, read]) => this.add(`${type}[]`, rows.map(read)));
    return { arrays: `unnest(${arrays.join(", ")})`, names: columns.map(([name]) => name).join(", ") };
  }
}
