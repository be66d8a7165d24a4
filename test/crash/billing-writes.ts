// Writes of invoicing: invoices and what is done to them, credit notes, subscriptions, and the day that bills them.
import { issueCreditNote, reverseSettlement } from "../../src/invoices/index.ts";
import { changeMerchant, requireMerchant } from "../../src/merchants/index.ts";
import { CommissionPayer } from "../../src/franchises/index.ts";
import { OwnPayouts } from "../../src/payouts/index.ts";
import { readConfig } from "../../src/platform/config.ts";
import { createLogger } from "../../src/platform/log.ts";
import { formatPaise } from "../../src/platform/money.ts";
import { advanceClock } from "../../src/subscriptions/index.ts";
import type { Members } from "../support/installation.ts";
import { INVOICE_CANCEL, INVOICE_SAVE, INVOICE_SETTLE, INVOICE_UPDATE } from "../support/invoices.ts";
import { SUBSCRIPTION_SAVE } from "../support/subscriptions.ts";
import type { Ask, Kind } from "./journal.ts";
import { idOf } from "./party-writes.ts";
import { PAYEES, type CrashSite } from "./site.ts";
import { between, type Stage, type Write } from "./writes.ts";

const MAX_INVOICES = 3;
const MAX_OCCURRENCES = 8;
const DUE_AFTER_DAYS = 15;
const CLOSED = ["invoice_already_paid", "invoice_cancelled", "invoice_carried_forward"];
const logger = createLogger("silent");
const commissionPayer = new CommissionPayer(new OwnPayouts(readConfig({})));

export const BILLING_WRITES = {
  invoice: {
    weight: 12,
    repeatedBy: "key",
    // The franchise was deleted in the meantime.
    mayMeet: ["franchise_not_found"],
    path: INVOICE_SAVE,
    signedBy: "keys",
    body: (ask, stage) => ({
      invoice: Array.from({ length: between(stage.random, 1, MAX_INVOICES) }, (_, index) => ({
        ...billed(ask, stage, `${ask.name}-${index}`),
        ...datesFrom(stage.firstDay),
        ...franchiseOf(stage),
        bill_cycle_name: ask.name,
      })),
    }),
    identify: (body) =>
      body.srvrsp.map((saved: Record<string, string>) => `${saved["invoice_id"]} ${saved["invoice_number"]}`).join(" "),
  },
  "invoice update": {
    weight: 4,
    repeatedBy: "key",
    changes: ["invoice"],
    mayMeet: CLOSED,
    path: INVOICE_UPDATE,
    signedBy: "keys",
    body: (ask, { random }) => ({
      invoice_id: idOf(ask),
      invoice: { bill_cycle_name: ask.name, particular_rows: [rowOf(ask, random)] },
    }),
    identify: (body) => body.srvrsp.invoice_id as string,
  },
  cancellation: {
    weight: 1,
    repeatedBy: "key",
    changes: ["invoice"],
    ends: true,
    mayMeet: CLOSED,
    path: INVOICE_CANCEL,
    signedBy: "keys",
    body: (ask) => ({ invoice_id: idOf(ask) }),
    identify: (body) => body.srvrsp.invoice_id as string,
  },
  settlement: {
    weight: 10,
    repeatedBy: "key",
    changes: ["invoice"],
    mayMeet: [...CLOSED, "settlement_exceeds_due"],
    path: INVOICE_SETTLE,
    signedBy: "keys",
    body: (ask, { firstDay, random }) => ({
      invoice_id: idOf(ask),
      paid_date: firstDay.toString(),
      // In full where it is of one row without tax and was never changed.
      amount: formatPaise(random() < 0.4 ? ask.subject!.amountPaise : ask.amountPaise),
      mode: "NEFT",
      bank_ref_no: ask.name,
    }),
    identify: (body) => body.srvrsp.transaction_id as string,
  },
  reversal: {
    weight: 2,
    repeatedBy: "key",
    changes: ["settlement"],
    ends: true,
    mayMeet: ["invoice_cancelled"],
    perform: async (ask, { pool, ids }) => {
      const request = { settlementId: BigInt(idOf(ask)), reason: ask.name };
      const merchant = { ...ask.merchant, live: false, clockDate: null, timeZone: "Asia/Kolkata" };
      await reverseSettlement({ pool, ids, merchant }, request).catch((error: unknown) => {
        // Nobody else reverses it: a try whose answer got lost has done it.
        if ((error as { code?: unknown }).code !== "settlement_reversed") throw error;
      });
      return idOf(ask);
    },
  },
  "credit note": {
    weight: 3,
    repeatedBy: "key",
    changes: ["invoice"],
    mayMeet: ["invoice_cancelled", "credit_exceeds_invoice"],
    perform: issueNote,
  },
  subscription: {
    weight: 2,
    repeatedBy: "key",
    mayMeet: [],
    path: SUBSCRIPTION_SAVE,
    signedBy: "keys",
    body: (ask, stage) => ({
      mode: stage.random() < 0.8 ? "Daily" : "Weekly",
      repeat_every: "1",
      start_date: stage.today.toString(),
      due_date: stage.today.add({ days: 5 }).toString(),
      end_mode: "Occurences",
      occurences: between(stage.random, 1, MAX_OCCURRENCES),
      carry_forword_dues: stage.random() < 0.5 ? "1" : "0",
      invoice: { ...billed(ask, stage, ask.name), bill_cycle_name: ask.name },
    }),
    identify: (body) => body.srvrsp.subscription_id as string,
  },
  clock: {
    weight: 2,
    repeatedBy: "key",
    alone: true,
    mayMeet: [],
    perform: async ({ merchant: { merchantId }, name }, { pool, ids }, { today }) => {
      // Every other day is billed by the server alone.
      if (Number(name.replace("load-", "")) % 2 === 0)
        await advanceClock({ pool, ids, merchant: { merchantId }, commissionPayer, logger }, { to: today });
      else await changeMerchant({ pool, ids, merchant: { merchantId } }, { clockDate: today });
      return name;
    },
  },
} satisfies Partial<Record<Kind, Write>>;

/** To whom an invoice goes, and for what: a customer of before, or a new one of its own. */
function billed(ask: Ask, stage: Stage, newCode: string): Members {
  const known = stage.pick("customer");
  const customer = known
    ? { customer_code: `${known.name}-0` }
    : { new_customer: { customer_code: newCode, customer_name: "Asha Rao" } };
  return { ...customer, particular_rows: [rowOf(ask, stage.random)] };
}

function rowOf({ amountPaise }: Ask, random: () => number): Members {
  return { item: "Work", gst: random() < 0.5 ? "18" : "0", total_amount: formatPaise(amountPaise) };
}

function datesFrom(day: Temporal.PlainDate): Members {
  return { bill_date: day.toString(), due_date: day.add({ days: DUE_AFTER_DAYS }).toString() };
}

function franchiseOf(stage: Stage): Members {
  const franchise = stage.random() < 0.6 ? stage.pick("franchise") : null;
  return franchise ? { franchise_id: [...franchise.ids][0] } : {};
}

/** A credit note has no key to be sent again by: whoever got no answer looks for the note first. */
async function issueNote(ask: Ask, { pool, ids, environment }: CrashSite, { random }: Stage): Promise<string> {
  const { bucket, merchantId } = ask.merchant;
  const { rows } = await pool.query<{ credit_note_id: bigint }>(
    "select credit_note_id from credit_note where bucket = $1 and merchant_id = $2 and reason = $3",
    [bucket, merchantId, ask.name],
  );
  if (rows[0]) return String(rows[0].credit_note_id);
  const merchant = await requireMerchant(pool, merchantId);
  const ownPayouts = new OwnPayouts(readConfig(environment));
  const { note } = await issueCreditNote(
    { pool, ids, merchant, idempotency: null, ownPayouts },
    {
      invoiceId: BigInt(idOf(ask).slice(1)),
      amountPaise: ask.amountPaise,
      rows: null,
      reason: ask.name,
      noteDate: null,
      refundTo: random() < 0.5 ? { name: "Asha Rao", emailId: "", mobile: "", ...PAYEES.success } : null,
    },
  );
  return String(note.creditNoteId);
}
