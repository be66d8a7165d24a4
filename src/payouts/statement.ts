// One use case: a merchant's ledger entries of a period, in order, with the balances that each leaves.
// What belongs here: periods, running balances, and what an entry is called for an accountant.
import type { Balances } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { mask } from "../platform/secrets/index.ts";
import {
  listStatementPostings,
  readBalancesBefore,
  type StatementPosting,
  type StatementTransfer,
  type Timespan,
} from "./statement-store.ts";

/** Bounds what is in memory at once, whatever the length of the statement. */
const PAGE_POSTINGS = 5000;

/** Days in the merchant's time zone, both included; `null` where there is no limit. */
export type StatementPeriod = { readonly from: Temporal.PlainDate | null; readonly to: Temporal.PlainDate | null };

export type StatementEntry = StatementPosting & {
  readonly description: string;
  /** The balances after this entry. */
  readonly balances: Balances;
};

/** The balances before the first and after the last entry of the period. */
export type StatementTotals = { readonly opening: Balances; readonly closing: Balances };

/**
 * Reads a statement on one snapshot: hands each entry to `onEntry`, in the order of the book, and answers the opening
 * and closing balances. Balances are added up from the postings, so that they agree with the entries.
 */
export function readStatement(
  pool: Pool,
  merchant: Merchant,
  period: StatementPeriod,
  onEntry: (entry: StatementEntry) => void,
): Promise<StatementTotals> {
  const span = timespanOf(period, merchant.timeZone);
  return inTransaction(
    pool,
    async (connection) => {
      const opening =
        span.from === null
          ? { availablePaise: 0n, heldPaise: 0n }
          : await readBalancesBefore(connection, merchant, span.from);
      let balances = opening;
      let page: StatementPosting[] = [];
      do {
        const afterNo = page.at(-1)?.postingNo ?? 0n;
        page = await listStatementPostings(connection, merchant, span, { afterNo, limit: PAGE_POSTINGS });
        for (const posting of page) {
          balances = balancesAfter(balances, posting);
          onEntry({ ...posting, description: describe(posting), balances });
        }
      } while (page.length === PAGE_POSTINGS);
      return { opening, closing: balances };
    },
    "begin isolation level repeatable read read only",
  );
}

function timespanOf({ from, to }: StatementPeriod, timeZone: string): Timespan {
  return {
    from: from?.toZonedDateTime(timeZone).toInstant() ?? null,
    until: to?.add({ days: 1 }).toZonedDateTime(timeZone).toInstant() ?? null,
  };
}

function balancesAfter(before: Balances, { debitAccount, creditAccount, amountPaise }: StatementPosting): Balances {
  const change = (account: string) =>
    (creditAccount === account ? amountPaise : 0n) - (debitAccount === account ? amountPaise : 0n);
  return {
    availablePaise: before.availablePaise + change("available"),
    heldPaise: before.heldPaise + change("held"),
  };
}

/** What became of the money, to follow the name of the transfer. */
const HAPPENINGS: Readonly<Record<string, (transfer: StatementTransfer) => string>> = {
  commission_paid: () => "no longer owed",
  commission_unpaid: () => "owed again",
  reserve: () => "amount set aside",
  success: ({ railMode }) => `paid by ${railMode}`,
  failed: () => "not paid, amount given back",
  reversed: () => "returned by the bank, amount given back",
  late_success: () => "paid after all, amount debited",
  late_success_unfunded: () => "paid after all, amount owed by the merchant",
};

const HAPPENINGS_OF_NO_TRANSFER: Readonly<Record<string, string>> = {
  funds_in: "Funds received",
  commission_accrued: "Commission earned by a franchise",
  commission_reversed: "Commission taken back from a franchise",
};

function describe({ kind, transfer }: StatementPosting): string {
  const alone = HAPPENINGS_OF_NO_TRANSFER[kind];
  if (alone !== undefined) return alone;
  const happening = transfer && HAPPENINGS[kind]?.(transfer);
  return happening ? `${nameOf(transfer)}: ${happening}` : kind;
}

const NAMES_OF_KIND = { transfer: "Transfer", withdrawal: "Withdrawal", commission: "Commission" } as const;

function nameOf({ kind, payeeName, accountNumber, upi, railMode }: StatementTransfer): string {
  const destination = railMode === "UPI" ? mask(upi!) : `account ${mask(accountNumber!)}`;
  return `${NAMES_OF_KIND[kind]} to ${payeeName}, ${destination}`;
}
