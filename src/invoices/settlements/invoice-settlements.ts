// Use case: record payments of invoices that arrive together in one transaction, shared by several merchants. Each has its own
// result, as if it had come alone. Effects beyond the invoice are not shared: a payment of an invoice that carries dues, or earns a
// franchise commission, has its own transaction.
import { findCustomersByIds } from "../../customers/index.ts";
import {
  decideTogether,
  todayOf,
  type Answered,
  type Context,
  type Decided,
  type IdempotencyKey,
  type Merchant,
  type MerchantKey,
} from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import { type Connection, givingWay, inTwoRoundTrips, type Pool, together } from "../../platform/database/pool.ts";
import type { TenantGroups } from "../../platform/database/tenant.ts";
import type { Batcher } from "../../platform/batcher.ts";
import { NodalError } from "../../platform/errors.ts";
import { warn } from "../../platform/http/warning.ts";
import type { Origin } from "../../platform/origin.ts";
import { changeWrites, type BillingRecord } from "../change-store.ts";
import { postingsOfMoney } from "../invoice-postings.ts";
import { lockInvoices, updatePayments } from "../invoice-store.ts";
import { invoiceNotFound, type InvoiceHead } from "../invoice.ts";
import { queueNotifications } from "../notification-store.ts";
import { warningsOfPayment } from "../invoice-warnings.ts";
import { sharedWrites } from "../shared-writes.ts";
import {
  describeSettled,
  newSettlement,
  paidOn,
  recordedEvent,
  settleInvoice,
  type Settled,
  type SettlementRequest,
} from "./settle-invoice.ts";
import { insertStatement, type Settlement } from "../settlement-store.ts";

/** The most payments in one write. */
const MAX_SETTLEMENTS = 128;

type SettleContext = Pick<Context<Merchant>, "pool" | "merchant" | "idempotency"> & { readonly origin: Origin };
type QueuedSettlement = {
  readonly merchant: Merchant;
  readonly origin: Origin;
  readonly idempotency: IdempotencyKey | null;
  readonly request: SettlementRequest;
};
/** `null` for a payment that needs its own transaction. */
type Outcome = Answered<Settled> | null;
/** The invoices of a group, locked, by `nameOf`: as they are after the payments recorded so far. */
type Invoices = Map<string, InvoiceHead>;

/** The payments of a process: one instance for all routes, or they would wait for each other in the database. */
export class InvoiceSettlements {
  readonly #ids: IdSource;
  readonly #writes: Batcher<QueuedSettlement, Outcome>;

  /** @param heldMs how long a payment waits for its merchant's rows if they are locked, in ms */
  constructor(tenants: TenantGroups, ids: IdSource, heldMs: number) {
    this.#ids = ids;
    this.#writes = sharedWrites<QueuedSettlement, Outcome>({
      tenants,
      heldMs,
      maxBatch: MAX_SETTLEMENTS,
      // Duplicates find what the first of them recorded.
      apartKey: ({ merchant, idempotency }) => idempotency && `${merchant.merchantId} ${idempotency.key}`,
      write: (pool, settlements) => settleGroup(pool, ids, settlements),
    });
  }

  /**
   * Records a payment, as `settleInvoice` does, together with other waiting ones: durable when this resolves.
   * @throws NodalError as `settleInvoice` does
   */
  async settle(context: SettleContext, request: SettlementRequest): Promise<Answered<Settled>> {
    const { merchant, origin, idempotency } = context;
    const shared = await this.#writes.add({ merchant, origin, idempotency, request });
    return shared ?? settleInvoice({ ...context, ids: this.#ids }, request);
  }
}

const nameOf = ({ merchantId }: MerchantKey, invoiceId: bigint): string => `${merchantId} ${invoiceId}`;

/**
 * Records payments in one transaction, whose commit is sent with the writes. Returns the result of each; a refused one has changed
 * nothing.
 */
async function settleGroup(
  pool: Pool,
  ids: IdSource,
  settlements: readonly QueuedSettlement[],
): Promise<readonly (Outcome | NodalError)[]> {
  const { outcomes } = await givingWay(() =>
    inTwoRoundTrips(
      pool,
      (connection) => decideGroup(connection, ids, settlements),
      (_connection, { writes }) => writes,
    ),
  );
  return outcomes;
}

async function decideGroup(
  connection: Connection,
  ids: IdSource,
  settlements: readonly QueuedSettlement[],
): Promise<Decided<Outcome>> {
  const keys = settlements.map(({ merchant: { bucket, merchantId }, request: { invoiceId } }) => {
    return { bucket, merchantId, invoiceId };
  });
  const locked = await lockInvoices(connection, keys);
  const invoices: Invoices = new Map(locked.map((invoice) => [nameOf(invoice, invoice.invoiceId), invoice]));
  const sharing = settlements.filter(({ merchant, request }) => {
    const invoice = invoices.get(nameOf(merchant, request.invoiceId));
    return !invoice || (invoice.franchiseId === 0n && invoice.carriedPaise === 0n);
  });
  const { outcomes, writes } = await decideTogether(connection, sharing, (fresh) =>
    decideSettlements(connection, ids, fresh, invoices),
  );
  const byItem = new Map(sharing.map((settlement, index) => [settlement, outcomes[index]!]));
  return { outcomes: settlements.map((settlement) => byItem.get(settlement) ?? null), writes };
}

/** A payment that passed all checks. */
type Accepted = {
  readonly asked: QueuedSettlement;
  readonly settlement: Settlement;
  readonly before: InvoiceHead;
  readonly after: InvoiceHead;
};

async function decideSettlements(
  connection: Connection,
  ids: IdSource,
  settlements: readonly QueuedSettlement[],
  invoices: Invoices,
): Promise<Decided<Settled>> {
  const decided: (Accepted | NodalError)[] = [];
  for (const asked of settlements) decided.push(decide(asked, await ids.next(), invoices));
  const accepted = decided.flatMap((each) => (each instanceof NodalError ? [] : [each]));
  if (accepted.length === 0) return { outcomes: decided as NodalError[], writes: [] };
  // The final state, if an invoice is paid several times.
  const changed = [...new Map(accepted.map(({ after }) => [after.invoiceId, after])).values()];
  const [customers] = await together(
    connection,
    () => findCustomersByIds(connection, changed),
    () => queueNotifications(connection, ids, "receipt", accepted.flatMap(owedOf)),
  );
  const recorded = accepted.map(({ settlement }) => settlement);
  const statements = [insertStatement(recorded, Temporal.Now.instant()), updatePayments(changed)];
  const byId = new Map(customers.map((customer) => [customer.customerId, customer]));
  const outcomes = decided.map((each) => {
    if (each instanceof NodalError) return each;
    const { asked, settlement, after } = each;
    const warnings = warningsOfPayment(settlement, after, todayOf(asked.merchant));
    return { ...describeSettled(settlement, after, byId.get(after.customerId)!), ...warn(warnings) };
  });
  return { outcomes, writes: await changeWrites(connection, statements, accepted.map(toRecord)) };
}

/** Decides on one payment, after those before it. */
function decide(asked: QueuedSettlement, settlementId: bigint, invoices: Invoices): Accepted | NodalError {
  const { merchant, request } = asked;
  const name = nameOf(merchant, request.invoiceId);
  const before = invoices.get(name);
  if (!before) return invoiceNotFound();
  try {
    const after = paidOn(before, request);
    invoices.set(name, after);
    return { asked, settlement: newSettlement(before, settlementId, request), before, after };
  } catch (error) {
    if (error instanceof NodalError) return error;
    throw error;
  }
}

/** The message owed for a payment, if it was requested. */
function owedOf({
  asked,
  settlement: { bucket, merchantId, settlementId: subjectId },
  after: { customerId },
}: Accepted) {
  return asked.request.notify ? [{ bucket, merchantId, subjectId, customerId }] : [];
}

function toRecord({ asked: { origin }, settlement, before, after }: Accepted): BillingRecord {
  const { bucket, merchantId, settlementId } = settlement;
  const subject = { kind: "settlement", id: settlementId, date: settlement.paidDate } as const;
  const postings = [{ subject, invoice: before, lines: postingsOfMoney(settlement) }];
  const changes = [{ before, after, subject }];
  return { bucket, merchantId, origin, events: [recordedEvent(settlement)], changes, postings };
}
