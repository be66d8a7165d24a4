// The filters of the list of invoices beside its search field.
// What belongs here: the fields. What they mean is the server's.
import { Button, NativeSelect } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { DateField } from "../../forms/fields.tsx";
import type { List } from "../../lists/use-list.ts";
import { invoices } from "../../strings/invoices.ts";
import { statuses } from "../../strings/statuses.ts";

type Choices = {
  readonly franchises: readonly { readonly franchise_id: string; readonly name: string; readonly gone: boolean }[];
  readonly groups: readonly string[];
  readonly templates: readonly { readonly template_id: string; readonly name: string }[];
};

const STATUSES = ["Unpaid", "Partially paid", "Overdue", "Paid offline", "Paid online", "Cancelled", "Carried forward"];
const MORE = ["date", "from", "to", "franchise", "group", "template"];

/** Status, and on demand dates, franchise, group and template. */
export function ListFilters({ list }: { readonly list: Pick<List<unknown>, "filters" | "setFilters"> }) {
  const { filters, setFilters } = list;
  const [isOpen, { toggle }] = useDisclosure(MORE.some((name) => filters[name]));
  const field = (name: string) => ({
    value: filters[name] ?? "",
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => setFilters({ [name]: currentTarget.value }),
  });
  return (
    <>
      <NativeSelect
        aria-label={invoices.status}
        data={[
          { value: "", label: invoices.anyStatus },
          ...STATUSES.map((value) => ({ value, label: statuses[value]?.word ?? value })),
        ]}
        {...field("status")}
      />
      <Button variant="default" onClick={toggle} aria-expanded={isOpen}>
        {isOpen ? invoices.fewerFilters : invoices.moreFilters}
      </Button>
      {isOpen && (
        <>
          <NativeSelect
            label={invoices.dateKind}
            data={Object.entries(invoices.dateKinds).map(([value, label]) => ({ value, label }))}
            {...field("date")}
            value={filters["date"] || "bill_date"}
          />
          <DateField label={invoices.from} {...field("from")} />
          <DateField label={invoices.to} {...field("to")} />
          <ChoiceFilters list={list} />
        </>
      )}
    </>
  );
}

function ChoiceFilters({ list }: { readonly list: Pick<List<unknown>, "filters" | "setFilters"> }) {
  const { filters, setFilters } = list;
  const { data } = useQuery({
    queryKey: ["/invoices/choices"],
    queryFn: ({ signal }) => api<Choices>("GET", "/invoices/choices", { signal }),
  });
  return (
    <>
      {data && data.franchises.length > 0 && (
        <NativeSelect
          label={invoices.franchise}
          data={[
            { value: "", label: invoices.anyFranchise },
            ...data.franchises.map(({ franchise_id, name }) => ({ value: franchise_id, label: name })),
          ]}
          value={filters["franchise"] ?? ""}
          onChange={({ currentTarget }) => setFilters({ franchise: currentTarget.value })}
        />
      )}
      {data && data.groups.length > 0 && (
        <NativeSelect
          label={invoices.group}
          data={[{ value: "", label: invoices.anyGroup }, ...data.groups]}
          value={filters["group"] ?? ""}
          onChange={({ currentTarget }) => setFilters({ group: currentTarget.value })}
        />
      )}
      {data && data.templates.length > 1 && (
        <NativeSelect
          label={invoices.template}
          data={[
            { value: "", label: invoices.anyTemplate },
            ...data.templates.map(({ template_id, name }) => ({ value: template_id, label: name })),
          ]}
          value={filters["template"] ?? ""}
          onChange={({ currentTarget }) => setFilters({ template: currentTarget.value })}
        />
      )}
    </>
  );
}
