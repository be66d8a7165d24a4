// A merchant's first page: balance, things that need attention, receivables and trends. Each panel fetches its own data. A
// franchise has its own page.
import { SimpleGrid } from "@mantine/core";
import { lazy, useEffect, useState } from "react";
import { useMerchant, usePermissions, useSession } from "../../api/session.ts";
import { useNavigationEntries } from "../../app/area.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { dayOfWeek } from "../../format/time.ts";
import { home } from "../../strings/home.ts";
import { Attention, useAttention } from "./attention.tsx";
import { Billing, Receivables } from "./billing.tsx";
import classes from "./home.module.css";
import { Balance, MoneyMoved, Movements } from "./money.tsx";
import { Start, TestPayees, useStart } from "./start.tsx";

const FranchiseHome = lazy(async () => ({ default: (await import("./franchise-home.tsx")).FranchiseHome }));

/** Home. */
export function Page() {
  const { kind, permissions } = useSession();
  return kind === "franchise" && permissions.includes("franchises.view") ? <FranchiseHome /> : <MerchantHome />;
}

function MerchantHome() {
  const merchant = useMerchant();
  const may = usePermissions();
  return (
    <Outline
      title={merchant.name}
      hint={dayOfWeek(merchant.today)}
      actions={
        <>
          {may("invoices.manage") && (
            <Action label={home.bill} primary={!may("payouts.transfer")} to="/invoices/new" visibleFrom="md" />
          )}
          {may("payouts.transfer") && <Action label={home.pay} primary to="/transfers/new" visibleFrom="md" />}
        </>
      }
    >
      <Panels />
    </Outline>
  );
}

const AT_WORK = ["profile.manage", "templates.manage", "invoices.manage", "payouts.transfer"] as const;

function Panels() {
  const merchant = useMerchant();
  const may = usePermissions();
  // A franchise sees its own part of the merchant, and none of these sums.
  const seesAll = useSession().kind !== "franchise";
  const seesPayouts = seesAll && may("payouts.view");
  const seesBilling = seesAll && may("invoices.view");
  const { query, steps, isNew, dismiss } = useStart(AT_WORK.some(may));
  const { waits, isLate } = useWaits([...useAttention(seesAll), query]);
  const checklist = steps.length > 0 && <Start steps={steps} onDismiss={dismiss} />;
  return (
    <>
      <div className={classes["grid"]} data-waits={waits || undefined}>
        {seesPayouts && <Balance isNew={isNew} />}
        {isNew && checklist}
        <div className={classes["side"]}>
          {seesAll && !isLate && <Attention />}
          {!isNew && !isLate && checklist}
          {seesBilling && !isNew && <Receivables />}
          {seesAll && isLate && <Attention />}
          {!isNew && isLate && checklist}
        </div>
        {seesPayouts && !isNew && <MoneyMoved />}
        {seesBilling && !isNew && <Billing />}
        {seesPayouts && may("statement.view") && !isNew && <Movements />}
        {!seesPayouts && !seesBilling && <Places />}
      </div>
      {may("payouts.transfer") && !merchant.live && !waits && <TestPayees />}
    </>
  );
}

/** The longest time that panels below wait. */
const LONGEST_WAIT_MS = 1000;

type Query = { readonly isLoading: boolean; readonly failureCount: number };

/**
 * Whether some requests are loading, for a moment at most: their panels would push down those below. Panels that are later (`isLate`)
 * are shown below the rest.
 */
function useWaits(queries: readonly Query[]): { readonly waits: boolean; readonly isLate: boolean } {
  const isLoading = queries.some((query) => query.isLoading && query.failureCount === 0);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isLoading) return;
    const timer = setTimeout(() => setLate(true), LONGEST_WAIT_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);
  return { waits: isLoading && !isLate, isLate };
}

/** The pages that the session may see, for users who see none of the sums. */
function Places() {
  const places = useNavigationEntries().filter(({ to }) => to !== "/");
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {places.map(({ label, to }) => (
        <Panel key={to}>
          <LinkTo label={label} to={to} />
        </Panel>
      ))}
    </SimpleGrid>
  );
}
