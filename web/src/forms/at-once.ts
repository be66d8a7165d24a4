// An action without a form or a question, such as restoring an item: a message says that it is done, or why it can't be.
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChanged } from "../api/queries.ts";

type Options<Answer> = {
  readonly submit: () => Promise<Answer>;
  /** The paths that it changes: everything below them is fetched again. */
  readonly changes: readonly string[];
  readonly done: string | ((answer: Answer) => string);
  /** The title of the message if it fails. */
  readonly failed?: string;
  readonly onDone?: (answer: Answer) => unknown;
};

/** Runs one action at a time. A failure is shown until it is closed. */
export function useAtOnce() {
  const changed = useChanged();
  const [isRunning, setRunning] = useState(false);
  const run = async <Answer>({ submit, changes, done, failed, onDone }: Options<Answer>): Promise<void> => {
    if (isRunning) return;
    setRunning(true);
    try {
      const answer = await submit();
      await changed(...changes);
      notifications.show({ color: "green", message: typeof done === "string" ? done : done(answer) });
      await onDone?.(answer);
    } catch (error) {
      notifications.show({ color: "red", title: failed, message: (error as Error).message, autoClose: false });
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, run };
}
