// The catalogue: items in use, and in a tab of their own the archived ones.
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { Money } from "../../components/values.tsx";
import { FilterTabs } from "../../components/view-tabs.tsx";
import { useList } from "../../lists/use-list.ts";
import { items as words } from "../../strings/items.ts";
import { type Item, ItemRowMenu } from "./item-actions.tsx";
import { taxOf, unitName } from "./item-values.ts";
import { titles } from "../../strings/titles.ts";

const COLUMNS: readonly Column<Item>[] = [
  { key: "name", title: words.fields.name, to: ({ item_id }) => `/items/${item_id}` },
  { key: "item_code", title: words.fields.item_code, isBelowFirst: true },
  { key: "sac_code", title: words.fields.sac_code, hideBelow: "md" },
  { key: "unit", title: words.fields.unit, hideBelow: "lg", render: ({ unit }) => unitName(unit) },
  { key: "gst", title: words.fields.gst, hideBelow: "sm", align: "right", render: taxOf },
  { key: "unit_price", title: words.fields.unit_price, align: "right", render: priceOf },
  menuColumn((item) => <ItemRowMenu item={item} />),
];

function priceOf({ unit_price: price }: Item) {
  return price === "" ? "–" : <Money amount={price} />;
}

const TABS = [
  { value: "", label: words.active },
  { value: "1", label: words.archivedOnes },
];

/** Items. */
export function Page() {
  const mayManage = usePermissions()("items.manage");
  const list = useList({ path: "/items", rowsIn: "items", filters: ["search", "archived"] });
  const add = <Action label={words.add} primary to="/items/new" />;
  return (
    <DataPage
      title={titles.items}
      list={list}
      columns={COLUMNS}
      rowKey="item_id"
      search={{ filter: "search", placeholder: words.search }}
      tabs={<FilterTabs label={words.status} list={list} filter="archived" choices={TABS} />}
      hasFile
      empty={{ title: words.empty, hint: words.emptyHint, ...(mayManage ? { action: add } : {}) }}
      actions={
        mayManage && (
          <>
            <Action label={words.importFile} to="/items/import" />
            {add}
          </>
        )
      }
    />
  );
}
