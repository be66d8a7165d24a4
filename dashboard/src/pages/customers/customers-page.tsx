// All customers: found by what is known of them, and by their groups.
// What belongs here: the list.
import { Anchor, Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePermissions, useSession } from "../../api/session.ts";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { day } from "../../format/time.ts";
import { useList, type List } from "../../lists/use-list.ts";
import { customers as words } from "../../strings/customers.ts";
import { groupsQuery, type Customer } from "./customer.ts";

const COLUMNS: readonly Column<Customer>[] = [
  {
    key: "customer_name",
    title: words.name,
    render: ({ customer_id, customer_name }) => (
      <Anchor component={Link} to={`/customers/${customer_id}`}>
        {customer_name}
      </Anchor>
    ),
  },
  { key: "customer_code", title: words.code, sortable: true, render: ({ customer_code }) => customer_code },
  { key: "email", title: words.email, hideBelow: "md", render: ({ email }) => email },
  { key: "mobile", title: words.mobile, hideBelow: "sm", render: ({ mobile }) => mobile },
  { key: "city", title: words.city, hideBelow: "lg", render: ({ city }) => city },
  { key: "groups", title: words.ofGroups, hideBelow: "lg", render: ({ groups }) => groups.join(", ") },
  {
    key: "created_at",
    title: words.added,
    sortable: true,
    hideBelow: "md",
    render: ({ created_at }) => day(created_at),
  },
];

/** Customers. */
export function Page() {
  const may = usePermissions();
  const { kind } = useSession();
  const list = useList<Customer>({ path: "/customers", rowsIn: "customers", filters: ["search", "by", "group"] });
  const mayManage = may("customers.manage");
  const addButton = (
    <Button component={Link} to="/customers/new">
      {words.add}
    </Button>
  );
  return (
    <DataPage
      title={words.title}
      list={list}
      columns={COLUMNS}
      rowKey={({ customer_id }) => customer_id}
      search={{ filter: "search", placeholder: words.search }}
      filterFields={<Filters list={list} hasGroups={kind !== "franchise"} />}
      exportAs={{ path: "/customers/export", fileName: "customers.csv" }}
      empty={{ title: words.empty, hint: words.emptyHint, ...(mayManage ? { action: addButton } : {}) }}
      actions={
        <>
          {kind !== "franchise" && (
            <>
              <Button variant="subtle" component={Link} to="/customers/groups">
                {words.groups}
              </Button>
              <Button variant="subtle" component={Link} to="/customers/columns">
                {words.columns}
              </Button>
            </>
          )}
          {mayManage && (
            <Button variant="default" component={Link} to="/customers/import">
              {words.importFile}
            </Button>
          )}
          {mayManage && addButton}
        </>
      }
    />
  );
}

function Filters({ list, hasGroups }: { readonly list: List<Customer>; readonly hasGroups: boolean }) {
  const { data } = useQuery({ ...groupsQuery, enabled: hasGroups });
  const groups = data?.groups ?? [];
  return (
    <>
      <NativeSelect
        label={words.searchIn}
        value={list.filters["by"] || "name"}
        data={Object.entries(words.attributes).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget }) =>
          list.setFilters({ by: currentTarget.value === "name" ? "" : currentTarget.value })
        }
      />
      {groups.length > 0 && (
        <NativeSelect
          label={words.group}
          value={list.filters["group"] ?? ""}
          data={[{ value: "", label: words.anyGroup }, ...groups.map(({ name }) => ({ value: name, label: name }))]}
          onChange={({ currentTarget }) => list.setFilters({ group: currentTarget.value })}
        />
      )}
    </>
  );
}
