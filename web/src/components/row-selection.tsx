// Rows of a table that are chosen, to do something with all of them.
// What belongs here: the boxes to tick. What is done with the rows is said by the page.
import { Checkbox } from "@mantine/core";

export type Selection<Row> = {
  /** The keys of the rows that are chosen. */
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
  /** Rows that nothing can be done with have no box. */
  readonly mayChoose: (row: Row) => boolean;
  /** What the boxes are called for those who don't see where they stand. */
  readonly allLabel: string;
  readonly labelOf: (row: Row) => string;
};

type AllProps<Row> = {
  readonly selection: Selection<Row>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
};

/** The box in the heading, for all rows that are shown. */
export function SelectAll<Row>({ selection, rows, keyOf }: AllProps<Row>) {
  const { selected, onChange, mayChoose, allLabel } = selection;
  const keys = rows.filter(mayChoose).map(keyOf);
  if (keys.length === 0) return null;
  const chosen = keys.filter((key) => selected.has(key)).length;
  return (
    <Checkbox
      size="sm"
      aria-label={allLabel}
      checked={chosen === keys.length}
      indeterminate={chosen > 0 && chosen < keys.length}
      onChange={() => onChange(new Set(chosen === keys.length ? [] : keys))}
    />
  );
}

type OneProps<Row> = { readonly selection: Selection<Row>; readonly row: Row; readonly name: string };

/** The box of one row. */
export function SelectOne<Row>({ selection, row, name }: OneProps<Row>) {
  const { selected, onChange, mayChoose, labelOf } = selection;
  if (!mayChoose(row)) return null;
  const toggle = (): void => {
    const next = new Set(selected);
    if (!next.delete(name)) next.add(name);
    onChange(next);
  };
  return <Checkbox size="sm" aria-label={labelOf(row)} checked={selected.has(name)} onChange={toggle} />;
}
