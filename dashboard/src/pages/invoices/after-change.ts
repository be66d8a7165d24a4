// What every change of an invoice ends with: what the server now says is shown, and a word that it is done.
// What belongs here: that step.
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";

/** Reads everything about invoices anew, then says what was done. */
export function useAfterChange(): (message: string) => Promise<void> {
  const queries = useQueryClient();
  return async (message) => {
    await queries.invalidateQueries({ queryKey: ["/invoices"] });
    notifications.show({ color: "green", message });
  };
}
