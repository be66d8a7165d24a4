// The actions on an item, on its page and in its row of the list.
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { usePermissions } from "../../api/session.ts";
import { historyEntry } from "../../components/actions.tsx";
import { type MenuEntry, MenuEntries, RowMenu } from "../../components/more-menu.tsx";
import { useAtOnce } from "../../forms/at-once.ts";
import { ConfirmDialog } from "../../forms/dialogs.tsx";
import { items as words } from "../../strings/items.ts";
import { lists } from "../../strings/lists.ts";

export type Item = Answer<"GET", "/items/:item_id">["item"];

const CHANGES = ["/items"];

/** The actions that this user may take. `onArchive` opens the question. */
export function useItemActions({ item_id: id, archived_at: archivedAt }: Item, onArchive: () => void): MenuEntry[] {
  const may = usePermissions();
  const { isRunning, run } = useAtOnce();
  const restore = (): void =>
    void run({
      submit: () => api("POST", `/items/${id}/restore`, { body: {} }),
      changes: CHANGES,
      done: words.restored,
    });
  const archive: MenuEntry =
    archivedAt === null
      ? { label: words.archive, onClick: onArchive }
      : { label: words.restore, onClick: restore, loading: isRunning };
  return [
    ...(may("audit.view") ? [historyEntry(id)] : []),
    ...(may("items.manage") ? [archive, { label: words.edit, to: `/items/${id}/edit` }] : []),
  ];
}

/** Asks, and takes an item out of use. */
export function ArchiveDialog({ item, onClose }: { readonly item: Item; readonly onClose: () => void }) {
  return (
    <ConfirmDialog
      title={words.archiveTitle(item.name)}
      label={words.archive}
      text={words.archiveText}
      submit={() => api("POST", `/items/${item.item_id}/archive`, { body: {} })}
      changes={CHANGES}
      done={words.archived}
      onClose={onClose}
    />
  );
}

/** The menu of an item's row. */
export function ItemRowMenu({ item }: { readonly item: Item }) {
  const [isArchiving, setArchiving] = useState(false);
  return (
    <>
      <RowMenu label={lists.actionsOf(item.name)}>
        <RowEntries item={item} onArchive={() => setArchiving(true)} />
      </RowMenu>
      {isArchiving && <ArchiveDialog item={item} onClose={() => setArchiving(false)} />}
    </>
  );
}

function RowEntries({ item, onArchive }: { readonly item: Item; readonly onArchive: () => void }) {
  const actions = useItemActions(item, onArchive);
  return <MenuEntries of={[{ label: lists.open, to: `/items/${item.item_id}` }, ...actions.toReversed()]} />;
}
