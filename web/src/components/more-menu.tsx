// Menus of actions: of a record's page, for those not wanted often enough for a button of their own, and of a list's row.
import { ActionIcon, Button, Loader, Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { record as words } from "../strings/records.ts";
import { MoreIcon } from "./icons.tsx";

/** An entry of the menu: an action, a page of the dashboard, or an address that opens in a new tab. */
export type MenuEntry = {
  readonly label: string;
  /** It is destructive. */
  readonly danger?: boolean;
} & (
  | { readonly onClick: () => void; readonly loading?: boolean; readonly disabled?: boolean }
  | { readonly to: string; readonly search?: Readonly<Record<string, string>> }
  | { readonly href: string }
);

/** An entry that is offered under a condition. */
export type Offer = readonly [isOffered: boolean, entry: MenuEntry];

/** Those entries whose condition holds. */
export function offered(offers: readonly Offer[]): MenuEntry[] {
  return offers.filter(([isOffered]) => isOffered).map(([, entry]) => entry);
}

type Props = {
  /** The menu's subject, for screen readers. */
  readonly title: string;
  readonly entries: readonly MenuEntry[];
};

/** The menu's button; nothing for an empty menu. */
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
        <MenuEntries of={entries} />
      </Menu.Dropdown>
    </Menu>
  );
}

type RowMenuProps = {
  /** The name of the button for screen readers. */
  readonly label: string;
  /** The entries. They are rendered, and may fetch data, once the menu is opened. */
  readonly children: ReactNode;
};

/** The menu of a row. A list has many, of which few are opened: until then each is a button alone. */
export function RowMenu({ label, children }: RowMenuProps) {
  const [isUsed, setUsed] = useState(false);
  if (isUsed) return <UsedRowMenu label={label}>{children}</UsedRowMenu>;
  return (
    <ActionIcon
      {...ROW_BUTTON}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setUsed(true)}
    >
      <MoreIcon />
    </ActionIcon>
  );
}

const ROW_BUTTON = { variant: "subtle", color: "gray" } as const;

function UsedRowMenu({ label, children }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  // The press that led here opens the menu, which gives the focus back to its button when it closes.
  useEffect(() => {
    button.current?.focus();
    button.current?.click();
  }, []);
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon {...ROW_BUTTON} ref={button} aria-label={label}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

type EntriesProps = {
  readonly of: readonly MenuEntry[];
  /** Whether more are loading. */
  readonly isLoading?: boolean;
};

/** The entries of a menu. */
export function MenuEntries({ of, isLoading = false }: EntriesProps) {
  return (
    <>
      {of.map((entry) => (
        <Entry key={entry.label} {...entry} />
      ))}
      {isLoading && <Loader size="xs" m="sm" />}
    </>
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
      <Menu.Item onClick={rest.onClick} disabled={rest.loading || rest.disabled} {...look}>
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
