// What forms of invoices offer: templates, franchises, the merchant's day; and the customer that a link has named.
// What belongs here: reading that.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import type { CustomerChoice } from "../../components/customer-picker.tsx";
import type { TemplateChoice } from "./invoice-values.ts";

/** What a form makes: the server has routes for each. */
export type FormKind = "invoices" | "subscriptions";

export type FormChoices = {
  /** The merchant's day. */
  readonly today: string;
  readonly templates: readonly TemplateChoice[];
  readonly franchises: readonly { readonly franchise_id: string; readonly name: string }[];
};

/** The choices, for a page that can't do without them. */
export function useFormChoices(of: FormKind): FormChoices {
  const { data } = useSuspenseQuery({
    queryKey: [`/${of}/form`],
    queryFn: ({ signal }) => api<FormChoices>("GET", `/${of}/form`, { signal }),
  });
  return data;
}

/** The customer whose id is `customer` in the address; `null` where there is none, or none that may be seen. */
export function useNamedCustomer(): CustomerChoice | null {
  const { customer: id = "" }: Readonly<Record<string, string>> = useSearch({ strict: false });
  const may = usePermissions();
  const isNamed = /^\d+$/.test(id) && may("customers.view");
  const { data } = useSuspenseQuery({
    queryKey: ["/customers", "one", isNamed ? id : null],
    queryFn: async ({ signal }) =>
      isNamed ? api<{ customer: CustomerChoice }>("GET", `/customers/${id}`, { signal }) : null,
  });
  return data?.customer ?? null;
}
