// One item, and taking it out of use.
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ITEM_MEMBERS } from "../../../../src/items/item-members.ts";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useLoaded } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, HistoryLink } from "../../components/actions.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { type Fact, Facts, Money, StatusBadge } from "../../components/values.tsx";
import { day, moment } from "../../format/time.ts";
import { ConfirmDialog } from "../../forms/dialogs.tsx";
import { useApiForm } from "../../forms/form.tsx";
import { items as words } from "../../strings/items.ts";
import { treatmentName, unitName } from "./item-values.tsx";

type Item = Answer<"GET", "/items/:item_id">["item"];
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
  const mayManage = usePermissions()("items.manage");
  return (
    <>
      <HistoryLink subjectId={item.item_id} />
      {mayManage && (item.archived_at === null ? <Archive item={item} /> : <Restore item={item} />)}
      {mayManage && <Action label={words.edit} to={`/items/${item.item_id}/edit`} />}
    </>
  );
}

function Archive({ item: { item_id, name } }: { readonly item: Item }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Action label={words.archive} onClick={() => setOpen(true)} />
      {isOpen && (
        <ConfirmDialog
          title={words.archiveTitle(name)}
          label={words.archive}
          text={words.archiveText}
          submit={() => api("POST", `/items/${item_id}/archive`, { body: {} })}
          changes={["/items"]}
          done={words.archived}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function Restore({ item: { item_id } }: { readonly item: Item }) {
  const restored = useApiForm({
    initialValues: {},
    submit: () => api("POST", `/items/${item_id}/restore`, { body: {} }),
    changes: ["/items"],
    done: words.restored,
  });
  return <Action label={words.restore} loading={restored.isSending} onClick={() => restored.onSubmit()} />;
}
