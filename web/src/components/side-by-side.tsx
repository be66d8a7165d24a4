// A form with what it comes to beside it, where there is room; below it where there is none.
import type { ReactNode } from "react";
import classes from "./side-by-side.module.css";

type Props = {
  /** Stays in sight while the form is scrolled, and is no higher than the window. */
  readonly aside: ReactNode;
  /** How wide it is beside the form. */
  readonly width: "22rem" | "26rem";
  readonly children: ReactNode;
};

/** From this width of the window on there is room. */
export const ROOM_BESIDE = "(min-width: 85em)";

/** Two columns, the second of which stays in sight. */
export function SideBySide({ aside, width, children }: Props) {
  return (
    <div className={classes["columns"]} style={{ "--aside-width": width } as object}>
      <div className={classes["main"]}>{children}</div>
      <div className={classes["aside"]}>{aside}</div>
    </div>
  );
}
