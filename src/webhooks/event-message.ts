// Events as receivers get them: ids, bodies, and the objects in them. The objects have the shapes of the API, come from their
// domains, and are read for many events at once: one query for each kind of object.
import { findFundings, findPostings, type Event } from "../ledger/index.ts";
import {
  readCreditNoteObjects,
  readDebitNoteObjects,
  readInvoiceObjects,
  readReceiptObjects,
  readReceiptRefundObjects,
  readSettlementObjects,
  type Links,
} from "../invoices/index.ts";
import {
  describeKyc,
  findMerchant,
  modeOf,
  OPERATORS,
  readApprovalObjects,
  type Merchant,
  type MerchantKey,
} from "../merchants/index.ts";
import {
  readBatchObjects,
  readBeneficiaryObjects,
  readScheduledObjects,
  readTransferObjects,
} from "../payouts/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { formatPaise } from "../platform/money.ts";
import { subscriptionObjects } from "../subscriptions/index.ts";
import type { EventOwner } from "./endpoint.ts";

/** The objects with these ids, by id; ids that don't exist are left out. */
type ObjectReader = (db: Queryable, merchant: Merchant, ids: readonly bigint[]) => Promise<ReadonlyMap<bigint, object>>;

/** Makes the public addresses of invoices. */
export type MessageParts = { readonly links: Links };

/** The body of a request to a receiver, before it is written as JSON. */
export type Message = {
  readonly type: string;
  /** When it happened, as ISO 8601 in UTC. */
  readonly timestamp: string;
  readonly sequence: number;
  /** For an event of the installation, the merchant that it is about. */
  readonly merchant_id: string;
  readonly data: object;
};

/** An event with its message for receivers. */
export type OutgoingEvent = { readonly event: Event; readonly message: Message };

/** The id of an event, which is the same in every attempt to send it. */
export function messageId({ merchantId }: MerchantKey, eventNo: bigint): string {
  return `evt_${merchantId}_${eventNo}`;
}

/** Composes the messages of an owner's events, with the current objects. */
export async function composeEvents(
  db: Queryable,
  owner: EventOwner,
  events: readonly Event[],
  parts: MessageParts,
): Promise<OutgoingEvent[]> {
  return "name" in owner ? composeMerchantEvents(db, owner, events, parts) : composeInstallationEvents(db, events);
}

/** Events about merchants, without account numbers, PANs or secrets. */
async function composeInstallationEvents(db: Queryable, events: readonly Event[]): Promise<OutgoingEvent[]> {
  const merchants = new Map<bigint, object>();
  for (const { subjectId } of events) {
    if (merchants.has(subjectId)) continue;
    const merchant = await findMerchant(db, subjectId);
    merchants.set(subjectId, merchant ? describeMerchant(merchant) : { merchant_id: String(subjectId) });
  }
  return events.map((event) => {
    const about = { ...OPERATORS, merchantId: event.subjectId };
    return { event, message: toMessage(about, event, merchants.get(event.subjectId)!) };
  });
}

function describeMerchant(merchant: Merchant) {
  const { merchantId, name, email, status, counterpartId, createdAt } = merchant;
  return {
    merchant_id: String(merchantId),
    name,
    email,
    status,
    mode: modeOf(merchant),
    counterpart_id: counterpartId === null ? null : String(counterpartId),
    kyc: describeKyc(merchant),
    created_at: createdAt.toString({ smallestUnit: "second" }),
  };
}

async function composeMerchantEvents(
  db: Queryable,
  merchant: Merchant,
  events: readonly Event[],
  parts: MessageParts,
): Promise<OutgoingEvent[]> {
  const readers = readersOf(parts);
  const byReader = Map.groupBy(events, ({ type }) => readerNameOf(type));
  const objects = new Map<string, ReadonlyMap<bigint, object>>();
  for (const [name, concerned] of byReader) {
    const ids = [...new Set(concerned.map(({ subjectId }) => subjectId))];
    objects.set(name, (await readers[name]?.(db, merchant, ids)) ?? new Map<bigint, object>());
  }
  return events.map((event) => {
    const name = readerNameOf(event.type);
    const data = objects.get(name)!.get(event.subjectId) ?? { [`${name}_id`]: String(event.subjectId) };
    return { event, message: toMessage(merchant, event, data) };
  });
}

function toMessage({ merchantId }: MerchantKey, { type, createdAt, eventNo }: Event, data: object): Message {
  return {
    type,
    timestamp: createdAt.toString({ fractionalSecondDigits: 3 }),
    sequence: Number(eventNo),
    merchant_id: String(merchantId),
    data,
  };
}

/** The type itself if it has its own reader, else its kind: the part before the dot. */
function readerNameOf(type: string): string {
  return Object.hasOwn(COMMISSION_POSTINGS, type) ? type : type.slice(0, type.indexOf("."));
}

/**
 * Events of commission that was earned, or paid by other means, read their posting: its subject is the payment or credit note that
 * changed the commission.
 */
const COMMISSION_POSTINGS: Readonly<Record<string, string>> = {
  "commission.accrued": "commission_accrued",
  "commission.accrual_reversed": "commission_reversed",
  "commission.payment_recorded": "commission_paid_outside",
  "commission.payment_reversed": "commission_payment_reversed",
};

function readersOf({ links }: MessageParts): Readonly<Record<string, ObjectReader>> {
  const commissions = Object.entries(COMMISSION_POSTINGS).map(([type, kind]) => [type, commissionReader(kind)]);
  return {
    ...(Object.fromEntries(commissions) as Record<string, ObjectReader>),
    transfer: readTransferObjects,
    withdrawal: readTransferObjects,
    commission: readTransferObjects,
    balance: readFundings,
    approval: readApprovalObjects,
    beneficiary: readBeneficiaryObjects,
    payout_batch: readBatchObjects,
    scheduled_payout: readScheduledObjects,
    invoice: (db, merchant, ids) => readInvoiceObjects(db, merchant, ids, links),
    settlement: readSettlementObjects,
    credit_note: readCreditNoteObjects,
    debit_note: (db, merchant, ids) => readDebitNoteObjects(db, merchant, ids, links),
    receipt: readReceiptObjects,
    receipt_refund: readReceiptRefundObjects,
    subscription: subscriptionObjects,
  };
}

function commissionReader(kind: string): ObjectReader {
  return async (db, merchant, subjectIds) => {
    const postings = await findPostings(db, merchant, kind, subjectIds);
    return new Map(
      [...postings].map(([subjectId, { ownerId, amountPaise }]) => [
        subjectId,
        { franchise_id: String(ownerId), amount: formatPaise(amountPaise), source_id: String(subjectId) },
      ]),
    );
  };
}

async function readFundings(db: Queryable, merchant: Merchant, ids: readonly bigint[]): Promise<Map<bigint, object>> {
  const fundings = await findFundings(db, merchant, ids);
  return new Map(
    [...fundings].map(([fundingId, { reference, amountPaise }]) => [
      fundingId,
      { funding_id: String(fundingId), reference, amount: formatPaise(amountPaise) },
    ]),
  );
}
