// Tabs above a list: links to its parts, each with how many rows it has.
import { Link } from "@tanstack/react-router";
import { useLayoutEffect, useRef } from "react";
import type { List } from "../lists/use-list.ts";
import { parts } from "../strings/shell.ts";
import { statusChoices } from "../strings/statuses.ts";
import classes from "./view-tabs.module.css";

export type ViewTab = {
  readonly label: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly isCurrent: boolean;
  /** `undefined` until it is known; `null` where it is not counted. */
  readonly count: number | null | undefined;
};

/** Links beside each other. Going from one to another is a step that "back" undoes, and scrolls nothing. */
export function ViewTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly ViewTab[] }) {
  const list = useRef<HTMLElement>(null);
  const current = tabs.findIndex(({ isCurrent }) => isCurrent);
  // If the tabs are wider than the screen, scrolls to the current one.
  useLayoutEffect(() => {
    const tab = list.current?.children[current] as HTMLElement | undefined;
    if (tab) list.current!.scrollLeft = tab.offsetLeft - (list.current!.clientWidth - tab.offsetWidth) / 2;
  }, [current]);
  return (
    <nav ref={list} className={classes["tabs"]} aria-label={label}>
      {tabs.map(({ label: name, to, search, isCurrent, count }) => (
        <Link
          key={name}
          className={classes["tab"]}
          to={to}
          search={(search ?? {}) as never}
          activeOptions={{ includeSearch: true, exact: true }}
          resetScroll={false}
          {...(isCurrent ? { "aria-current": "page" } : {})}
        >
          {name}
          {count !== null && <span className={classes["count"]}>{count?.toLocaleString("en-IN") ?? "\u2007"}</span>}
        </Link>
      ))}
    </nav>
  );
}

type FilterProps = {
  readonly label: string;
  readonly list: Pick<List<unknown>, "path" | "filters">;
  /** The page of the list, if its address isn't that of the route. */
  readonly page?: string;
  readonly filter: string;
  /** The values of the filter; "" is for all rows. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
};

/** Tabs for the few values of a filter, without counts. The other filters stay. */
export function FilterTabs({ label, list: { path, filters }, page = path, filter, choices }: FilterProps) {
  const tabs = choices.map(({ value, label: name }) => ({
    label: name,
    to: page,
    search: Object.fromEntries(Object.entries({ ...filters, [filter]: value }).filter(([, given]) => given !== "")),
    isCurrent: (filters[filter] ?? "") === value,
    count: null,
  }));
  return <ViewTabs label={label} tabs={tabs} />;
}

type StatusProps = Pick<FilterProps, "label" | "list"> & { readonly statuses: readonly string[] };

/** The same for the few statuses of a list. */
export function StatusTabs({ statuses, ...props }: StatusProps) {
  return <FilterTabs {...props} filter="status" choices={statusChoices(parts.all, statuses)} />;
}
