// The menu of an invoice's row: what its page offers, and a reminder.
import { notifications } from "@mantine/notifications";
import { useClipboard } from "@mantine/hooks";
import { useState } from "react";
import { useFresh } from "../../api/queries.ts";
import { type MenuEntry, MenuEntries, RowMenu } from "../../components/more-menu.tsx";
import { invoice as words, manyInvoices } from "../../strings/invoices.ts";
import { lists } from "../../strings/lists.ts";
import { parts } from "../../strings/shell.ts";
import { ChosenDialog } from "./chosen-dialog.tsx";
import { type Chosen, useActions } from "./detail-actions.tsx";
import type { InvoiceRecord } from "./invoice-record.ts";

type Action = { readonly record: InvoiceRecord; readonly chosen: Chosen };

type Props = {
  readonly id: string;
  readonly number: string;
  /** Absent if there is nothing to remind of, or this user may not. */
  readonly onRemind: (() => void) | null;
};

/** The button of the menu, and the dialog of what is chosen in it. */
export function InvoiceRowMenu({ number, ...rest }: Props) {
  const [action, setAction] = useState<Action | null>(null);
  return (
    <>
      <RowMenu label={lists.actionsOf(number)}>
        <InvoiceEntries {...rest} onChoose={setAction} />
      </RowMenu>
      {action && <ChosenDialog {...action} onClose={() => setAction(null)} />}
    </>
  );
}

type EntriesProps = Omit<Props, "number"> & { readonly onChoose: (action: Action) => void };

/** What can be done depends on the whole invoice, which is fetched once the menu opens. */
function InvoiceEntries({ id, onRemind, onChoose }: EntriesProps) {
  const { data: record, error } = useFresh(`/invoices/${id}`);
  return (
    <>
      <MenuEntries of={[{ label: lists.open, to: `/invoices/${id}` }]} isLoading={!record && !error} />
      {record && <EntriesOf record={record} onRemind={onRemind} onChoose={onChoose} />}
    </>
  );
}

type OfProps = Omit<EntriesProps, "id"> & { readonly record: InvoiceRecord };

function EntriesOf({ record, onRemind, onChoose }: OfProps) {
  const clipboard = useClipboard();
  const { common, more } = useActions(record, (chosen) => onChoose({ record, chosen }));
  const copyLink = (): void => {
    clipboard.copy(record.short_url);
    notifications.show({ message: parts.copied });
  };
  const remind: MenuEntry[] = onRemind ? [{ label: manyInvoices.remind, onClick: onRemind }] : [];
  return <MenuEntries of={[...common, ...remind, { label: words.copyLink, onClick: copyLink }, ...more]} />;
}
