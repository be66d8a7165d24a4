// One item, with its details and actions.
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ITEM_MEMBERS } from "../../../../src/items/item-members.ts";
import { useLoaded } from "../../api/queries.ts";
import { MenuButton } from "../../components/actions.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { type Fact, Facts, Money, StatusBadge } from "../../components/values.tsx";
import { day, moment } from "../../format/time.ts";
import { items as words } from "../../strings/items.ts";
import { ArchiveDialog, type Item, useItemActions } from "./item-actions.tsx";
import { treatmentName, unitName } from "./item-values.ts";

type Member = (typeof ITEM_MEMBERS)[number];

/** An item. */
export function Page() {
  const { itemId = "" }: { itemId?: string } = useParams({ strict: false });
  const { item } = useLoaded(`/items/${itemId}`);
  return (
    <Outline
      title={item.name}
      hint={item.item_code}
      badge={item.archived_at !== null && <StatusBadge status={words.archived} />}
      actions={<Actions item={item} />}
    >
      {item.archived_at !== null && <Notice>{words.isArchived(day(item.archived_at))}</Notice>}
      <Panel>
        <Facts
          facts={[
            ...ITEM_MEMBERS.filter(({ name }) => name !== "item_code" && name !== "name").map((member) =>
              factOf(member, item),
            ),
            { label: words.added, value: moment(item.created_at) },
            { label: words.changed, value: moment(item.updated_at) },
          ]}
        />
      </Panel>
    </Outline>
  );
}

function factOf({ name, kind }: Member, item: Item): Fact {
  const text = item[name];
  return { label: words.fields[name], value: text === "" ? "" : shown(kind, text) };
}

function shown(kind: Member["kind"], text: string): Fact["value"] {
  if (kind === "unit") return unitName(text);
  if (kind === "amount") return <Money amount={text} />;
  if (kind === "rate") return `${text}%`;
  if (kind === "flag") return text === "1" ? words.yes : words.no;
  return kind === "treatment" ? treatmentName(text) : text;
}

function Actions({ item }: { readonly item: Item }) {
  const [isArchiving, setArchiving] = useState(false);
  const actions = useItemActions(item, () => setArchiving(true));
  return (
    <>
      {actions.map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={false} />
      ))}
      {isArchiving && <ArchiveDialog item={item} onClose={() => setArchiving(false)} />}
    </>
  );
}
