// A list of events, each with its time and actor.
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { WEIGHT } from "../app/tokens.ts";
import { moment } from "../format/time.ts";
import type { Tone } from "../strings/statuses.ts";
import classes from "./timeline.module.css";

export type TimelineEntry = {
  readonly key: string | number;
  readonly what: ReactNode;
  /** Empty for future events. */
  readonly at: string;
  readonly who?: string;
  readonly note?: string;
  readonly tone?: Tone;
  /** Whether it has not happened yet. */
  readonly isAhead?: boolean;
};

type Props = { readonly label: string; readonly entries: readonly TimelineEntry[] };

/** A list, in the order of the entries. */
export function Timeline({ label, entries }: Props) {
  return (
    <ol className={classes["timeline"]} aria-label={label}>
      {entries.map(({ key, what, at, who = "", note = "", tone = "neutral", isAhead = false }) => (
        <li key={key} data-tone={tone} data-ahead={isAhead || undefined}>
          <Text component="div" size="sm" fw={WEIGHT.medium}>
            {what}
          </Text>
          {note !== "" && (
            <Text size="sm" className={classes["note"]}>
              {note}
            </Text>
          )}
          {(at !== "" || who !== "") && (
            <Text size="xs" c="dimmed" className={classes["note"]}>
              {[at === "" ? "" : moment(at), who].filter((part) => part !== "").join(" · ")}
            </Text>
          )}
        </li>
      ))}
    </ol>
  );
}
