// Buttons for actions, and buttons and links to pages of the dashboard.
import { Anchor, Button, type AnchorProps, type ButtonProps } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { usePermissions } from "../api/session.ts";
import { audit } from "../strings/audit.ts";
import { parts } from "../strings/shell.ts";
import type { MenuEntry } from "./more-menu.tsx";

type Target = {
  /** An address of the dashboard, with its search parameters. */
  readonly to?: string;
  readonly search?: Readonly<Record<string, string | undefined>>;
};

type ActionProps = Omit<ButtonProps, "children"> &
  Target &
  Pick<ComponentProps<"button">, "type" | "onClick" | "aria-label" | "aria-expanded" | "aria-live"> & {
    readonly label: ReactNode;
    /** The main action of the page or dialog. */
    readonly primary?: boolean;
    /** An address that the browser loads afresh, or in a new tab. */
    readonly href?: string;
    readonly newTab?: boolean;
    /** A file that the browser saves. */
    readonly download?: boolean;
    /** Gets the focus when a dialog opens. */
    readonly "data-autofocus"?: true | undefined;
  };

/** A button, or a link that looks like one. */
export function Action({ label, to, search, href, newTab = false, primary = false, ...rest }: ActionProps) {
  const look = { ...(primary ? {} : { variant: "default" }), ...rest };
  if (href !== undefined) {
    return (
      <Button
        component="a"
        href={href}
        {...(newTab ? { target: "_blank", rel: "noreferrer" } : {})}
        {...(look as object)}
      >
        {label}
      </Button>
    );
  }
  if (to === undefined) return <Button {...look}>{label}</Button>;
  return (
    <Button component={Link} to={to} search={search as never} {...(look as object)}>
      {label}
    </Button>
  );
}

type MenuButtonProps = Pick<ActionProps, "size" | "aria-label"> & { readonly of: MenuEntry; readonly primary: boolean };

/** An action of a menu as a button. */
export function MenuButton({ of: { danger: _danger, ...entry }, ...look }: MenuButtonProps) {
  return <Action {...entry} {...look} newTab={"href" in entry} />;
}

type LinkProps = Omit<AnchorProps, "children"> & Target & { readonly to: string; readonly label: ReactNode };

/** A link in a text or table. */
export function LinkTo({ label, search, ...rest }: LinkProps) {
  return (
    <Anchor component={Link} search={search as never} {...rest}>
      {label}
    </Anchor>
  );
}

type CopyProps = Pick<ButtonProps, "size"> & { readonly text: string; readonly label: string };

/** Copies an address; the button shows when it is copied. */
export function CopyButton({ text, label, ...look }: CopyProps) {
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <Action
      label={clipboard.copied ? parts.copied : label}
      onClick={() => clipboard.copy(text)}
      aria-live="polite"
      {...look}
    />
  );
}

/** Leads to the audit log of the record with this number. */
export function historyEntry(subjectId: string) {
  // Elsewhere the number of an invoice begins with a letter and zeros.
  const subject = subjectId.replace(/^R0*/, "");
  return { label: audit.linkTo, to: "/settings/audit", search: { subject } };
}

/** The same as a button, for users who may see the audit log. */
export function HistoryLink({ subjectId }: { readonly subjectId: string }) {
  const may = usePermissions();
  if (!may("audit.view")) return null;
  return <Action {...historyEntry(subjectId)} />;
}
