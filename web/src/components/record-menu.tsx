// The menu of a list's row: it opens the record, and offers what the record's page does.
import { type ReactNode, useState } from "react";
import type { Answer, Known } from "../api/contract.ts";
import { useFresh } from "../api/queries.ts";
import { lists } from "../strings/lists.ts";
import { type MenuEntry, MenuEntries, RowMenu } from "./more-menu.tsx";

type Source<Path extends string, Chosen> = {
  /** The route of the record, which is fetched once the menu opens. */
  readonly path: Known<"GET", Path>;
  /** The page of the record. */
  readonly to: string;
  /** What its link is called, if it isn't "Open". */
  readonly openLabel?: string;
  /** The actions of that page. Those with a dialog say which. */
  readonly useActions: (record: Answer<"GET", Path>, onChoose: (chosen: Chosen) => void) => readonly MenuEntry[];
};

type Asked<Path extends string, Chosen> = {
  readonly record: Answer<"GET", Path>;
  readonly chosen: Chosen;
};

type Props<Path extends string, Chosen> = Source<Path, Chosen> & {
  /** The name of the row for screen readers. */
  readonly name: string;
  /** The dialog of the chosen action. */
  readonly dialog: (asked: Asked<Path, Chosen> & { readonly onClose: () => void }) => ReactNode;
};

/** The button of the menu, and the dialog of what is chosen in it. */
export function RecordMenu<const Path extends string, Chosen>({ name, dialog, ...source }: Props<Path, Chosen>) {
  const [asked, setAsked] = useState<Asked<Path, Chosen> | null>(null);
  return (
    <>
      <RowMenu label={lists.actionsOf(name)}>
        <Entries<Path, Chosen> {...source} onAsk={setAsked} />
      </RowMenu>
      {asked && dialog({ ...asked, onClose: () => setAsked(null) })}
    </>
  );
}

type EntriesProps<Path extends string, Chosen> = Source<Path, Chosen> & {
  readonly onAsk: (asked: Asked<Path, Chosen>) => void;
};

function Entries<Path extends string, Chosen>(props: EntriesProps<Path, Chosen>) {
  const { path, to, openLabel = lists.open, useActions, onAsk } = props;
  // Data from before an action may offer that action again.
  const { data: record, error } = useFresh<Path>(path);
  return (
    <>
      <MenuEntries of={[{ label: openLabel, to }]} isLoading={record === undefined && error === null} />
      {record !== undefined && <Actions<Path, Chosen> record={record} useActions={useActions} onAsk={onAsk} />}
    </>
  );
}

type ActionsProps<Path extends string, Chosen> = Pick<EntriesProps<Path, Chosen>, "useActions" | "onAsk"> & {
  readonly record: Answer<"GET", Path>;
};

function Actions<Path extends string, Chosen>({ record, useActions, onAsk }: ActionsProps<Path, Chosen>) {
  return <MenuEntries of={useActions(record, (chosen) => onAsk({ record, chosen }))} />;
}
