// What pages show of templates, asked for anew after a change.
// What belongs here: which answers depend on templates.
import type { QueryClient } from "@tanstack/react-query";

/** Lets everything that shows templates ask again: these pages, and the form of an invoice. */
export async function afterChange(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ["/templates"] }),
    queries.invalidateQueries({ queryKey: ["/invoices/form"] }),
  ]);
}
