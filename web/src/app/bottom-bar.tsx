// The bar at the bottom of a phone: the commonest actions, and the menu, in reach of a thumb.
import { UnstyledButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Ref } from "react";
import { usePermissions, useSession } from "../api/session.ts";
import { HomeIcon, InvoiceIcon, MenuIcon, PayoutIcon } from "../components/icons.tsx";
import { navigationGroups, shell } from "../strings/shell.ts";
import classes from "./bottom-bar.module.css";

type Props = {
  /** Whether the navigation is open. */
  readonly opened: boolean;
  readonly onMenu: () => void;
  /** Called when a link is pressed, even one to the current page. */
  readonly onLink: () => void;
  /** The menu's button. */
  readonly button: Ref<HTMLButtonElement>;
};

/** Home, a new invoice, a new transfer (or their lists, for people who may only look), and the menu. */
export function BottomBar({ opened, onMenu, onLink, button }: Props) {
  const { merchant } = useSession();
  const may = usePermissions();
  return (
    <nav aria-label={shell.quickActions} className={classes["bar"]}>
      <Link to="/" className={classes["entry"]} activeOptions={{ exact: true, includeSearch: false }} onClick={onLink}>
        <HomeIcon size={22} />
        {shell.home}
      </Link>
      {merchant && may("invoices.view") && (
        <Link
          to={may("invoices.manage") ? "/invoices/new" : "/invoices"}
          className={classes["entry"]}
          activeOptions={{ exact: true, includeSearch: false }}
          onClick={onLink}
        >
          <InvoiceIcon size={22} />
          {may("invoices.manage") ? shell.newInvoice : navigationGroups.billing}
        </Link>
      )}
      {merchant && may("payouts.view") && (
        <Link
          to={may("payouts.transfer") ? "/transfers/new" : "/transfers"}
          className={classes["entry"]}
          activeOptions={{ exact: true, includeSearch: false }}
          onClick={onLink}
        >
          <PayoutIcon size={22} />
          {may("payouts.transfer") ? shell.newTransfer : navigationGroups.payouts}
        </Link>
      )}
      <UnstyledButton ref={button} className={classes["entry"]} onClick={onMenu} aria-expanded={opened}>
        <MenuIcon size={22} />
        {shell.menu}
      </UnstyledButton>
    </nav>
  );
}
