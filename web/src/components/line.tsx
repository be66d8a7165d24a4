// A text on one line of a table's cell: too long a text ends in an ellipsis, and is shown in full under the pointer.
import type { CSSProperties, MouseEvent, ReactNode } from "react";
import classes from "./line.module.css";

type Props = {
  readonly children: ReactNode;
  /** The room for the text's first letters, so that a short text is never cut. */
  readonly length?: number;
  /** Of less weight than the line above. */
  readonly dimmed?: boolean;
};

/** One line; on a phone, two. */
export function Line({ children, length = typeof children === "string" ? children.length : 0, dimmed = false }: Props) {
  return (
    <span
      className={classes["line"]}
      data-dimmed={dimmed || undefined}
      style={{ "--line-length": length } as CSSProperties}
    >
      {children}
    </span>
  );
}

/** A date or time, which doesn't break; on a phone it may. */
export function Unbroken({ children }: { readonly children: string }) {
  return <span className={classes["unbroken"]}>{children}</span>;
}

/** Gives the line under the pointer its text as a tooltip, if it is cut. One listener serves all lines of a table. */
export function revealLine({ target }: MouseEvent): void {
  const line = target instanceof Element ? target.closest<HTMLElement>(`.${classes["line"]}`) : null;
  if (line) line.title = line.scrollHeight > line.clientHeight ? line.textContent : "";
}
