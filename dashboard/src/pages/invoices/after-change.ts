// What every change of an invoice ends with: what the server now says is shown, and a word that it is done.
// What belongs here: those steps.
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";

/** Reads everything about invoices anew. Each list has its path as its key: the history of an invoice is one of them. */
export function useReadAgain(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith("/invoices") });
}

/** The same, and then says what was done. */
export function useAfterChange(): (message: string) => Promise<void> {
  const readAgain = useReadAgain();
  return async (message) => {
    await readAgain();
    notifications.show({ color: "green", message });
  };
}
