// Routes of transfers and withdrawals: lists, one with all that became of it, and new ones.
// What belongs here: wire shapes, no logic.
import type { FastifyRequest } from "fastify";
import { findEventsAt, listPostingsOf, readBalances, type EventOfSubject } from "../ledger/index.ts";
import { originOf, ownBankAccount, type Merchant, type Session } from "../merchants/index.ts";
import {
  findDispatch,
  findTransfer,
  LISTED_STATUSES,
  listedStatus,
  listTransfers,
  streamTransfers,
  transferFields,
  withdrawalFields,
  type Transfer,
  type TransferKind,
  type TransferSearch,
} from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import {
  date,
  digitsOrNumber,
  money,
  oneOf,
  optional,
  optionalText,
  type Decoded,
  type Field,
} from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { readActorNames } from "./actor-names.ts";
import { sendCsv } from "./csv-answer-routes.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";
import { describeTransfer, showTo } from "./shown.ts";

const TEXT_LENGTH = 100;
const permission = "payouts.view";

const SEARCH_FIELDS = {
  search: optionalText(TEXT_LENGTH),
  status: optional(oneOf(LISTED_STATUSES)),
  beneficiary_id: optional(digitsOrNumber(16)),
  amount: optional(money()),
  amount_from: optional(money()),
  amount_to: optional(money()),
  from: optional(date()),
  to: optional(date()),
};
const LIST_FIELDS = {
  ...SEARCH_FIELDS,
  sort: optional(oneOf(["added_at", "-added_at"])),
  after: optional(digitsOrNumber(16)),
  limit: pageLimit(),
};
const KIND = { kind: optional(oneOf(["transfer", "commission"])) };

type Values<F extends Record<string, Field<unknown>>> = { readonly [Name in keyof F]: Decoded<F[Name]> };

/** Adds the routes of payouts. */
export function registerTransferRoutes(scope: DashboardScope): void {
  registerLists(scope);
  registerRequests(scope);

  for (const url of ["/transfers/:transfer_id", "/withdrawals/:transfer_id"]) {
    dashboardRoute(scope, {
      method: "GET",
      url,
      permission,
      params: { transfer_id: digitsOrNumber(16) },
      handler: async ({ db, merchant, session, params }) => {
        const transfer = await findTransfer(db, { ...merchant, transferId: BigInt(params.transfer_id) });
        if (!transfer) {
          throw new NodalError("transfer_not_found", "There is no such payout: look for it in the list.");
        }
        return readDetail({ db, pool: scope.parts.pool }, merchant, session, transfer);
      },
    });
  }
}

function registerLists(scope: DashboardScope): void {
  for (const [url, kind] of [
    ["/transfers", null],
    ["/withdrawals", "withdrawal"],
  ] as const) {
    dashboardRoute(scope, {
      method: "GET",
      url,
      permission,
      query: { ...LIST_FIELDS, ...KIND },
      handler: async ({ db, merchant, query }) => {
        const page = {
          after: query.after === null ? null : BigInt(query.after),
          oldestFirst: query.sort === "added_at",
          limit: limitOf(query),
        };
        const { transfers, next, searchedTo } = await listTransfers(db, merchant, searchOf(query, kind), page);
        return {
          transfers: transfers.map((each) => describeTransfer(each, merchant.timeZone)),
          next: next === null ? null : String(next),
          searched_to: searchedTo && formatTimestamp(searchedTo, merchant.timeZone),
        };
      },
    });

    dashboardRoute(scope, {
      method: "GET",
      url: `${url}.csv`,
      permission,
      query: { ...SEARCH_FIELDS, ...KIND, sort: LIST_FIELDS.sort },
      handler: ({ db, merchant, query, reply }) => {
        const rows = streamTransfers(db, merchant, searchOf(query, kind));
        return sendCsv(reply, `${url.slice(1)}.csv`, csvColumns(merchant), rows);
      },
    });
  }
}

/** Amount is both ends of a range at once. */
function searchOf(query: Values<typeof SEARCH_FIELDS & typeof KIND>, kind: TransferKind | null): TransferSearch {
  return {
    kind: kind ?? query.kind,
    status: query.status,
    text: query.search,
    beneficiaryId: query.beneficiary_id === null ? null : BigInt(query.beneficiary_id),
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
  };
}

async function readDetail(
  { db, pool }: { readonly db: Pool; readonly pool: Pool },
  merchant: Merchant,
  session: Session,
  transfer: Transfer,
) {
  const { timeZone } = merchant;
  const { transferId } = transfer;
  const postings = await listPostingsOf(db, merchant, transferId);
  const events: EventOfSubject[] = [];
  for (const { postedAt } of postings) events.push(...(await findEventsAt(db, merchant, transferId, postedAt)));
  const byNo = [...new Map(events.map((event) => [event.entryNo, event])).values()];
  const actors = byNo.map(({ actor }) => actor);
  const names = await readActorNames({ db, pool }, merchant, actors);
  const dispatch = await findDispatch(db, merchant, transferId);
  return {
    ...describeTransfer(transfer, timeZone, showTo(session)),
    entries: postings.map((posting) => ({
      entry_no: String(posting.entryNo),
      posted_at: formatTimestamp(posting.postedAt, timeZone),
      kind: posting.kind,
      debit_account: posting.debitAccount,
      credit_account: posting.creditAccount,
      amount: formatPaise(posting.amountPaise),
    })),
    events: byNo.map(({ entryNo, type, createdAt, actor, address }) => ({
      event_no: String(entryNo),
      type,
      created_at: formatTimestamp(createdAt, timeZone),
      actor,
      actor_name: names.get(actor) ?? null,
      address,
    })),
    dispatch: dispatch && {
      attempts: dispatch.attempts,
      next_at: dispatch.nextAt && formatTimestamp(dispatch.nextAt, timeZone),
    },
  };
}

function registerRequests(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "POST",
    url: "/transfers",
    permission: "payouts.transfer",
    body: transferFields,
    handler: async ({ merchant, session, body, request }) => {
      const answer = await scope.parts.desk.requestTransfer(merchant, {
        beneficiaryId: body.beneficiary_id,
        amountPaise: body.amount,
        referenceId: body.reference_id,
        mode: body.mode,
        narrative: body.narrative ?? "",
        idempotency: null,
        origin: callerOf(session, request),
      });
      return { transfer_id: String(answer.transferId), status: listedStatus(answer.state) };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/withdrawal-account",
    permission: "payouts.withdraw",
    handler: async ({ db, merchant }) => {
      const account = ownBankAccount(merchant);
      const { availablePaise } = await readBalances(db, merchant.bucket, merchant.merchantId);
      return {
        available: formatPaise(availablePaise),
        account: account && { holder: account.holder, account_number: mask(account.accountNumber), ifsc: account.ifsc },
      };
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/withdrawals",
    permission: "payouts.withdraw",
    body: withdrawalFields,
    handler: async ({ merchant, session, body, request }) => {
      const answer = await scope.parts.desk.requestWithdrawal(merchant, {
        amountPaise: body.amount,
        referenceId: body.reference_id,
        narrative: body.narrative ?? "",
        idempotency: null,
        origin: callerOf(session, request),
      });
      return { transfer_id: String(answer.transferId), status: listedStatus(answer.state) };
    },
  });
}

function callerOf({ login }: Session, request: FastifyRequest) {
  return originOf(login, clientAddress(request));
}
