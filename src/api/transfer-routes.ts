// Routes of transfers and withdrawals: lists, one with its history, and new ones.
import { renderPayoutAdvice } from "../documents/index.ts";
import { findNoteOfRefund, formatInvoiceId } from "../invoices/index.ts";
import { findEventsAt, listPostingsOf, readBalances, type EventOfSubject } from "../ledger/index.ts";
import {
  findApprovals,
  ownBankAccount,
  readActorNames,
  type ApiCaller,
  type IdempotencyKey,
  type Merchant,
} from "../merchants/index.ts";
import {
  cancelTransfer,
  findDispatch,
  findTags,
  findTransfer,
  STATUS_FILTERS,
  listedStatus,
  lineStatus,
  listTransfers,
  payoutNotFound,
  schedulePayout,
  streamTransfers,
  tagField,
  tagNewTransfer,
  tagsField,
  transferFields,
  withdrawalFields,
  type ListedTransfer,
  type Transfer,
  type TransferKind,
  type TransferSearch,
} from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { digitsOrNumber, money, oneOf, optional, optionalText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatInstant, formatTimestamp } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import { markReplayed } from "./once.ts";
import { listFileRoute, listRoute, numberIn, RANGE_FIELDS } from "./list-routes.ts";
import { sendPdf } from "./pdf-routes.ts";
import { describePosting, describeTransfer, showTo } from "./shown.ts";

const TEXT_LENGTH = 100;
const permission = "payouts.view";

const SEARCH_FIELDS = {
  search: optionalText(TEXT_LENGTH),
  status: optional(oneOf(STATUS_FILTERS)),
  beneficiary_id: optional(digitsOrNumber(16)),
  tag: optional(tagField()),
  amount: optional(money()),
  ...RANGE_FIELDS,
  kind: optional(oneOf(["transfer", "commission"])),
  sort: optional(oneOf(["added_at", "-added_at"])),
};

/** Adds the routes of payouts. */
export function registerTransferRoutes(scope: DashboardScope) {
  const oneRoute = <Url extends string>(url: Url, summary: string) =>
    dashboardRoute(scope, {
      route: `GET ${url}`,
      summary,
      permission,
      params: { transfer_id: digitsOrNumber(16) },
      handler: async ({ db, merchant, caller, params }) => {
        const transfer = await requireTransfer(db, merchant, params.transfer_id);
        return readDetail({ db, pool: scope.parts.pool }, merchant, caller, transfer);
      },
    });
  return [
    ...registerList(scope, { url: "/transfers", summary: "List transfers, newest first", kind: null }),
    ...registerList(scope, { url: "/withdrawals", summary: "List withdrawals, newest first", kind: "withdrawal" }),
    ...registerRequests(scope),
    oneRoute("/transfers/:transfer_id", "Read a transfer with its ledger entries"),
    oneRoute("/withdrawals/:transfer_id", "Read a withdrawal with its ledger entries"),
    registerAdvice(scope),
  ];
}

/** @throws NodalError `transfer_not_found` */
async function requireTransfer(db: Pool, merchant: Merchant, transferId: string): Promise<Transfer> {
  const transfer = await findTransfer(db, { ...merchant, transferId: BigInt(transferId) });
  if (transfer) return transfer;
  throw payoutNotFound();
}

function registerAdvice(scope: DashboardScope) {
  const { renderer, rates } = scope.parts;
  return dashboardRoute(scope, {
    route: "GET /transfers/:transfer_id/pdf",
    summary: "Download the advice of a transfer as a PDF",
    permission,
    params: { transfer_id: digitsOrNumber(16) },
    handler: async (call) => {
      const { db, merchant, params } = call;
      const transfer = await requireTransfer(db, merchant, params.transfer_id);
      const make = () => renderPayoutAdvice(renderer, merchant, transfer);
      return sendPdf(rates, call, { kind: "payouts", name: `advice-${transfer.transferId}`, make });
    },
  });
}

function registerList<const Url extends string>(
  scope: DashboardScope,
  { url, summary, kind }: { readonly url: Url; readonly summary: string; readonly kind: TransferKind | null },
) {
  return [
    listRoute(scope, {
      url,
      summary,
      permission,
      filters: SEARCH_FIELDS,
      rowsIn: "transfers",
      read: async ({ db, merchant, query }, { after, limit }) => {
        const page = { after: numberIn(after), oldestFirst: query.sort === "added_at", limit };
        const { transfers, next, searchedTo } = await listTransfers(
          { pool: db, merchant },
          { search: searchOf(query, kind), page },
        );
        return {
          rows: transfers.map((each) => ({ ...describeTransfer(each, merchant.timeZone), tags: each.tags })),
          next: next === null ? null : String(next),
          more: { searched_to: formatInstant(searchedTo, merchant.timeZone) },
        };
      },
    }),
    listFileRoute(scope, {
      url,
      summary,
      permission,
      filters: SEARCH_FIELDS,
      read: ({ db, merchant, query }) => ({
        columns: csvColumns(merchant),
        rows: streamTransfers({ pool: db, merchant }, searchOf(query, kind)),
      }),
    }),
  ];
}

/** An exact amount is a range with equal ends. */
function searchOf(query: Values<typeof SEARCH_FIELDS>, kind: TransferKind | null): TransferSearch {
  return {
    kind: kind ?? query.kind,
    status: query.status,
    text: query.search,
    beneficiaryId: query.beneficiary_id === null ? null : BigInt(query.beneficiary_id),
    tag: query.tag,
    amountFromPaise: query.amount ?? query.amount_from,
    amountToPaise: query.amount ?? query.amount_to,
    from: query.from,
    to: query.to,
  };
}

function csvColumns({ timeZone }: Merchant) {
  return {
    added_at: ({ addedAt }: Transfer) => formatTimestamp(addedAt, timeZone),
    transfer_id: ({ transferId }: Transfer) => String(transferId),
    kind: ({ kind }: Transfer) => kind,
    reference_id: ({ referenceId }: Transfer) => referenceId ?? "",
    payee: ({ payee }: Transfer) => payee.name,
    account: ({ mode, payee }: Transfer) => mask((mode === "upi" ? payee.upi : payee.accountNumber) ?? ""),
    ifsc: ({ payee }: Transfer) => payee.ifsc ?? "",
    mode: ({ mode }: Transfer) => mode,
    amount: ({ amountPaise }: Transfer) => amountPaise,
    status: ({ state }: Transfer) => listedStatus(state),
    utr: ({ utr }: Transfer) => utr ?? "",
    reason: ({ reason }: Transfer) => reason ?? "",
    processed_at: ({ processedAt }: Transfer) => (processedAt ? formatTimestamp(processedAt, timeZone) : ""),
    narrative: ({ narrative }: Transfer) => narrative,
    tags: ({ tags }: ListedTransfer) => tags.join(", "),
  };
}

async function readDetail(
  { db, pool }: { readonly db: Pool; readonly pool: Pool },
  merchant: Merchant,
  caller: ApiCaller,
  transfer: Transfer,
) {
  const { timeZone } = merchant;
  const { transferId } = transfer;
  const postings = await listPostingsOf(db, merchant, [transferId]);
  const events: EventOfSubject[] = [];
  for (const { postedAt } of postings) events.push(...(await findEventsAt(db, merchant, transferId, postedAt)));
  const byNo = [...new Map(events.map((event) => [event.entryNo, event])).values()];
  // A payout's approval has the payout's id.
  const [approval] = await findApprovals(db, merchant, [transferId]);
  const decision = approval?.decision ?? null;
  const actors = [...byNo.map(({ actor }) => actor), ...(approval?.decidedBy ? [approval.decidedBy] : [])];
  const names = await readActorNames({ db, pool }, merchant, actors);
  const dispatch = await findDispatch(db, merchant, transferId);
  const note = transfer.kind === "transfer" ? await findNoteOfRefund(db, transfer) : null;
  return {
    ...describeTransfer(transfer, timeZone, showTo(caller)),
    tags: (await findTags(db, merchant, [transferId])).get(transferId) ?? [],
    entries: postings.map((posting) => describePosting(posting, timeZone)),
    events: byNo.map(({ entryNo, type, createdAt, actor, address }) => ({
      event_no: String(entryNo),
      type,
      created_at: formatInstant(createdAt, timeZone),
      actor,
      actor_name: names.get(actor) ?? null,
      address,
    })),
    // It was never sent, since nobody approved it.
    not_approved:
      decision === null || decision === "approved"
        ? null
        : {
            decision,
            by: approval!.decidedBy!,
            by_name: names.get(approval!.decidedBy!) ?? null,
            note: approval!.note,
          },
    // A failed refund is repeated from its credit note, which tracks the owed amount.
    refund_of: note && { credit_note_number: note.creditNoteNumber, invoice_id: formatInvoiceId(note.invoiceId) },
    // It is waiting for a provider, and was never sent.
    may_cancel: merchant.live && transfer.state === "RESERVED" && dispatch !== null,
    dispatch: dispatch && {
      attempts: dispatch.attempts,
      next_at: formatInstant(dispatch.nextAt, timeZone),
    },
  };
}

function registerRequests(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "POST /transfers",
      summary: "Transfer an amount to a beneficiary, now or on a later date",
      permission: "payouts.transfer",
      body: { ...transferFields, tags: optional(tagsField()) },
      once: "by_use_case",
      handler: async (call) => {
        const { db, merchant, body, reply, idempotency } = call;
        const { desk, ids } = scope.parts;
        const payoutRequest = {
          beneficiaryId: body.beneficiary_id,
          amountPaise: body.amount,
          referenceId: body.reference_id,
          mode: body.mode,
          narrative: body.narrative ?? "",
        };
        const tag = (transferId: bigint) =>
          tagNewTransfer({ pool: db, merchant }, { transferId, tags: body.tags ?? [] });
        if (body.scheduled_for) {
          const context = { pool: db, ids, desk, merchant, idempotency };
          const line = await schedulePayout(context, { ...payoutRequest, scheduledFor: body.scheduled_for });
          await tag(line.transferId);
          return { transfer_id: String(line.transferId), status: lineStatus(line) };
        }
        const context = contextOf(call);
        const answer = await desk.requestTransfer(context, payoutRequest);
        await tag(answer.transferId);
        markReplayed(reply, answer.replayed);
        return { transfer_id: String(answer.transferId), status: listedStatus(answer.state) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /transfers/:transfer_id/cancel",
      summary: "Cancel a transfer that was not sent yet",
      permission: "payouts.transfer",
      params: { transfer_id: digitsOrNumber(16) },
      handler: async ({ db, merchant, params }) => {
        const transfer = await cancelTransfer({ pool: db, merchant }, BigInt(params.transfer_id));
        return { transfer_id: String(transfer.transferId), status: listedStatus(transfer.state) };
      },
    }),
    ...registerWithdrawals(scope),
  ];
}

function registerWithdrawals(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /withdrawal-account",
      summary: "Read the bank account that withdrawals go to",
      permission: "payouts.withdraw",
      handler: async ({ db, merchant }) => {
        const account = ownBankAccount(merchant);
        const { availablePaise } = await readBalances(db, merchant.bucket, merchant.merchantId);
        return {
          available: formatPaise(availablePaise),
          account: account && {
            holder: account.holder,
            account_number: mask(account.accountNumber),
            ifsc: account.ifsc,
          },
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /withdrawals",
      summary: "Withdraw to the merchant's bank account",
      permission: "payouts.withdraw",
      body: withdrawalFields,
      once: "by_use_case",
      handler: async (call) => {
        const { body, reply } = call;
        const answer = await scope.parts.desk.requestWithdrawal(contextOf(call), {
          amountPaise: body.amount,
          referenceId: body.reference_id,
          narrative: body.narrative ?? "",
        });
        markReplayed(reply, answer.replayed);
        return { transfer_id: String(answer.transferId), status: listedStatus(answer.state) };
      },
    }),
  ];
}

type Asking = Pick<MerchantCall, "merchant" | "origin"> & { readonly idempotency: IdempotencyKey | null };

function contextOf({ merchant, origin, idempotency }: Asking) {
  return { merchant, idempotency, origin };
}
