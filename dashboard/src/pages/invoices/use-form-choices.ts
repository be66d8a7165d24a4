// What the form of an invoice offers: templates, franchises, the merchant's day.
// What belongs here: reading that.
import { useSuspenseQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { FormChoices } from "./editor.tsx";

/** The choices, for a page that can't do without them. */
export function useFormChoices(): FormChoices {
  const { data } = useSuspenseQuery({
    queryKey: ["/invoices/form"],
    queryFn: ({ signal }) => api<FormChoices>("GET", "/invoices/form", { signal }),
  });
  return data;
}
