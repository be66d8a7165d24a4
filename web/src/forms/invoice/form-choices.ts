// The choices in forms of invoices: templates, franchises, the merchant's day; and the customer that a link has named.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useLoaded } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import type { CustomerChoice } from "../../components/customer-picker.tsx";

/** The kind of document that a form makes: the server has routes for each. */
export type FormKind = "invoices" | "subscriptions";

export type FormChoices = Answer<"GET", `/${FormKind}/form`>;

/** The choices, for a page that needs them. */
export function useFormChoices(of: FormKind): FormChoices {
  return useLoaded(`/${of}/form`);
}

/** The customer whose id is `customer` in the address; `null` where there is none, or none that may be seen. */
export function useNamedCustomer(): (CustomerChoice & { readonly customer_id: string }) | null {
  const { customer: id = "" }: Readonly<Record<string, string>> = useSearch({ strict: false });
  const may = usePermissions();
  const isNamed = /^\d+$/.test(id) && may("customers.view");
  const { data } = useSuspenseQuery({
    queryKey: ["/customers", "one", isNamed ? id : null],
    queryFn: async ({ signal }) => (isNamed ? api("GET", `/customers/${id}`, { signal }) : null),
  });
  return data?.customer ?? null;
}
