// A status as a word on a ground of its tone: never by colour alone.
// What belongs here: the badge. Words and tones are in strings/statuses.ts.
import { statuses, type Tone } from "../strings/statuses.ts";
import classes from "./status-badge.module.css";

type Props = {
  /** The wire's value. */
  readonly status: string;
  /** Instead of the listed ones. */
  readonly tone?: Tone;
  readonly word?: string;
};

/** A status of the wire, as people read it. */
export function StatusBadge({ status, tone, word }: Props) {
  const known = statuses[status];
  return (
    <span className={classes["badge"]} data-tone={tone ?? known?.tone ?? "neutral"}>
      {word ?? known?.word ?? status}
    </span>
  );
}
