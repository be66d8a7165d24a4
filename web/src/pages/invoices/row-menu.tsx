// The menu of an invoice's row: what its page offers, and a reminder.
import { notifications } from "@mantine/notifications";
import { useClipboard } from "@mantine/hooks";
import type { MenuEntry } from "../../components/more-menu.tsx";
import { RecordMenu } from "../../components/record-menu.tsx";
import { invoice as words, manyInvoices } from "../../strings/invoices.ts";
import { parts } from "../../strings/shell.ts";
import { ChosenDialog } from "./chosen-dialog.tsx";
import { type Chosen, useActions } from "./detail-actions.tsx";
import type { InvoiceRecord } from "./invoice-record.ts";

type Props = {
  readonly id: string;
  readonly number: string;
  /** Absent if there is nothing to remind of, or this user may not. */
  readonly onRemind: (() => void) | null;
};

/** The button of the menu, and the dialog of what is chosen in it. */
export function InvoiceMenu({ id, number, onRemind }: Props) {
  const useEntries = (record: InvoiceRecord, onChoose: (chosen: Chosen) => void): readonly MenuEntry[] => {
    const { common, more } = useActions(record, onChoose);
    const remind: MenuEntry[] = onRemind ? [{ label: manyInvoices.remind, onClick: onRemind }] : [];
    return [...common, ...remind, useCopyLink(record), ...more];
  };
  return (
    <RecordMenu
      name={number}
      path={`/invoices/${id}`}
      to={`/invoices/${id}`}
      useActions={useEntries}
      dialog={(asked) => <ChosenDialog {...asked} />}
    />
  );
}

function useCopyLink({ short_url: url }: InvoiceRecord): MenuEntry {
  const clipboard = useClipboard();
  const onClick = (): void => {
    clipboard.copy(url);
    notifications.show({ message: parts.copied });
  };
  return { label: words.copyLink, onClick };
}
