// The actions that are not wanted often enough for a button of their own.
import { Button, Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { record as words } from "../strings/records.ts";
import { MoreIcon } from "./icons.tsx";

/** What is in the menu: something to do, a page of the dashboard, or an address that opens in a tab of its own. */
export type MenuEntry = {
  readonly label: string;
  /** Takes something back for good. */
  readonly danger?: boolean;
} & (
  | { readonly onClick: () => void }
  | { readonly to: string; readonly search?: Readonly<Record<string, string>> }
  | { readonly href: string }
);

type Props = {
  /** What it is about, for screen readers. */
  readonly title: string;
  readonly entries: readonly MenuEntry[];
};

/** The menu's button; nothing where there is nothing in it. */
export function MoreMenu({ title, entries }: Props) {
  if (entries.length === 0) return null;
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" aria-label={words.moreFor(title)} leftSection={<MoreIcon />}>
          {words.more}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {entries.map((entry) => (
          <Entry key={entry.label} {...entry} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Entry({ label, danger = false, ...rest }: MenuEntry) {
  // Mantine's own red is too pale for text.
  const look = danger ? { c: "var(--nodal-danger)" } : {};
  if ("href" in rest) {
    return (
      <Menu.Item component="a" href={rest.href} target="_blank" rel="noreferrer" {...look}>
        {label}
      </Menu.Item>
    );
  }
  if ("onClick" in rest) {
    return (
      <Menu.Item onClick={rest.onClick} {...look}>
        {label}
      </Menu.Item>
    );
  }
  return (
    <Menu.Item component={Link} to={rest.to} search={rest.search as never} {...look}>
      {label}
    </Menu.Item>
  );
}
