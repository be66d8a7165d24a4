// Saving the batches of an upload, one after another. A batch bears a key that comes from the file, so that a file that is
// uploaded again, or goes on after it broke off, saves nothing twice. What belongs here: how far that is, and what failed.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { invoiceForm } from "../../strings/invoice-form.ts";

export type CheckedUpload = {
  readonly lines: number;
  readonly good: number;
  readonly problems: readonly { readonly line: number; readonly column: string; readonly message: string }[];
  readonly further_problems: number;
  readonly bad_lines: string;
  readonly batches: readonly {
    readonly key: string;
    readonly lines: readonly number[];
    readonly invoices: readonly object[];
  }[];
};

type Failure = { readonly from: number; readonly to: number; readonly why: string };

/** Whose batches are saved, and how far it is. */
export function useImport({ batches }: CheckedUpload, templateId: string) {
  const queries = useQueryClient();
  const saved = useRef(new Set<string>());
  const isStopping = useRef(false);
  const [progress, setProgress] = useState(0);
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const [state, setState] = useState<"waiting" | "running" | "stopped" | "done">("waiting");

  const saveAll = async (): Promise<void> => {
    for (const { key, lines, invoices } of batches) {
      if (isStopping.current) return;
      if (saved.current.has(key)) continue;
      try {
        await api("POST", "/invoices", { body: { request_key: key, template_id: templateId, invoice: invoices } });
        saved.current.add(key);
        setProgress((count) => count + invoices.length);
      } catch (error) {
        setFailures((known) => [
          ...known,
          { from: lines[0]!, to: lines.at(-1)!, why: reasonOf(error as Error, lines) },
        ]);
        // What is wrong with the connection is wrong for the next batch too.
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) return;
      }
    }
  };
  const start = async (): Promise<void> => {
    isStopping.current = false;
    setFailures([]);
    setState("running");
    await saveAll();
    setState(saved.current.size === batches.length ? "done" : "stopped");
    await queries.invalidateQueries({ queryKey: ["/invoices"] });
  };
  const stop = (): void => {
    isStopping.current = true;
  };
  return { state, saved: progress, failures, start: () => void start(), stop };
}

/** The reason by lines of the file: `invoice[3]` is the fourth line of the batch. */
function reasonOf(error: Error, lines: readonly number[]): string {
  if (!(error instanceof ApiError)) return error.message;
  if (error.code === "idempotency_conflict") return invoiceForm.savedBatchAlready;
  const [first] = Object.values(error.fields);
  return (first ?? error.message).replaceAll(
    /invoice\[(\d+)\]/g,
    (_, place: string) => `line ${lines[Number(place)] ?? place}`,
  );
}
