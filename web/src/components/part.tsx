// Parts of the frame that are loaded on demand: dialogs that most visits never open.
import { notifications } from "@mantine/notifications";
import { type ComponentType, createElement, useEffect, useState } from "react";
import { shell } from "../strings/shell.ts";

type Props<Inner extends object> = {
  readonly load: () => Promise<ComponentType<Inner>>;
  /** Loads it when true or above 0. It stays from then on. */
  readonly wanted: boolean | number;
  /** Its props. */
  readonly of: Inner;
};

/**
 * A component that is loaded once it is wanted, and empty before. If loading fails, usually because a newer version replaced its file, a message says
 * so and the page stays: another `wanted` tries again.
 */
export function Part<Inner extends object>({ load, wanted, of }: Props<Inner>) {
  const [part, setPart] = useState<ComponentType<Inner> | null>(null);
  useEffect(() => {
    if (!wanted || part) return;
    load().then(
      (loaded) => setPart(() => loaded),
      () => notifications.show({ color: "red", title: shell.newVersionTitle, message: shell.newVersionText }),
    );
  }, [load, wanted, part]);
  return part && createElement(part, of);
}
