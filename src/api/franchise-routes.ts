// Routes of franchises: the list, one with its commission, new ones, changes, deletion, and settling.
// A franchise that is signed in sees itself and nothing else.
import {
  ACCOUNT_CHANGE,
  changeFranchise,
  deleteFranchise,
  contactRecord,
  findFranchise,
  findWaiting,
  franchiseNotFound,
  isPaidByItself,
  listCommissionPayments,
  pageCommission,
  pageFranchises,
  readCommission,
  readDraft,
  readSaveBody,
  saveFields,
  saveFranchise,
  warningsOfFranchise,
  type CommissionState,
  type Franchise,
} from "../franchises/index.ts";
import { findInvoices, formatInvoiceId } from "../invoices/index.ts";
import { findLogin, franchiseOf, listRoles, listWaitingAccounts, type Merchant } from "../merchants/index.ts";
import { listCommissionTransfers, readUnderWay, wireStatus } from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { digitsOrNumber, money, oneOf, optional, optionalText } from "../platform/http/fields.ts";
import { warn } from "../platform/http/warning.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatInstant } from "../platform/time.ts";
import { describePayment } from "./franchise-change-routes.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { cutPage, listFileRoute, listRoute, numberIn, type PageRequest } from "./list-routes.ts";
import { showTo } from "./shown.ts";

const EXPORT_PAGE = 500;
/** The latest payouts of commission to show. The list of transfers has all. */
const SHOWN_PAYOUTS = 20;

const FILTER_FIELDS = { search: optionalText(100), status: optional(oneOf(["active", "deleted"])) };
export const franchiseParams = { franchise_id: digitsOrNumber(16) };
const list = {
  url: "/franchises",
  summary: "List franchises",
  permission: "franchises.view",
  filters: FILTER_FIELDS,
} as const;

/** Adds the routes of franchises. */
export function registerFranchiseDeskRoutes(scope: DashboardScope) {
  return [
    ...registerListRoutes(scope),
    ...registerReadRoutes(scope),
    ...registerHistoryRoute(scope),
    ...registerWriteRoutes(scope),
    ...registerSettleRoute(scope),
  ];
}

type Row = { readonly franchise: Franchise; readonly commission: CommissionState };

function registerListRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...list,
      narrowsToFranchise: true,
      rowsIn: "franchises",
      read: async (call, asked) => {
        const { db, merchant } = call;
        const { rows, next } = await findPage(call, asked);
        return { rows: (await withCommission(db, merchant, rows)).map((row) => describe(row, merchant)), next };
      },
    }),
    listFileRoute<"/franchises", Row, typeof list.filters>(scope, {
      ...list,
      read: ({ db, merchant, query }) => ({
        rows: exportRows(db, merchant, query),
        columns: {
          franchise_id: ({ franchise }) => String(franchise.franchiseId),
          franchise_code: ({ franchise }) => franchise.code,
          franchise_name: ({ franchise }) => franchise.name,
          contact_person_name: ({ franchise }) => franchise.contactPersonName,
          email_id: ({ franchise }) => franchise.emailId,
          mobile: ({ franchise }) => franchise.mobile,
          status: ({ franchise }) => statusOf(franchise),
          commission_type: ({ franchise }) => franchise.commissionType,
          commission: ({ franchise }) => formatPaise(franchise.commissionHundredths),
          settlement_type: ({ franchise }) => franchise.settlementType,
          commission_accrued: ({ commission }) => commission.accruedPaise,
          commission_paid: ({ commission }) => commission.paidPaise,
          commission_due: ({ commission }) => commission.duePaise,
        },
      }),
    }),
  ];
}

/** A page of franchises; a signed-in franchise only gets itself. */
async function findPage(
  call: MerchantCall & { readonly query: Parameters<typeof exportRows>[2] },
  asked: PageRequest,
): Promise<{ readonly rows: readonly Franchise[]; readonly next: string | null }> {
  const { db, merchant, caller, query } = call;
  const own = franchiseOf(caller);
  if (own !== null) {
    return { rows: [await requireFranchise(call, String(own))], next: null };
  }
  const { search: text, status } = query;
  const search = { text, status, after: numberIn(asked.after), limit: asked.limit + 1 };
  return cutPage(await pageFranchises(db, merchant, search), asked, ({ franchiseId }) => franchiseId);
}

function registerReadRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /session/franchises/form",
      summary: "List what a franchise's form offers",
      permission: "franchises.manage",
      handler: async ({ db, merchant }) => ({ roles: await listRoles(db, merchant) }),
    }),
    dashboardRoute(scope, {
      route: "GET /franchises/:franchise_id",
      summary: "Read a franchise with its terms, login and payments",
      permission: "franchises.view",
      narrowsToFranchise: true,
      params: franchiseParams,
      handler: async (call) => {
        const { db, merchant } = call;
        const franchise = await requireFranchise(call, call.params.franchise_id);
        const [row] = await withCommission(db, merchant, [franchise]);
        const underWayPaise = await readUnderWay(db, franchise);
        const payablePaise = row!.commission.duePaise - underWayPaise;
        const login = await findLogin(db, { ...merchant, loginId: franchise.franchiseId });
        const [otherAccount] = await listWaitingAccounts(db, merchant, ACCOUNT_CHANGE, franchise.franchiseId);
        const payouts = await listCommissionTransfers(db, franchise, SHOWN_PAYOUTS);
        const payments = await listCommissionPayments(db, franchise, SHOWN_PAYOUTS);
        const waiting = await findWaiting(db, merchant, [franchise.franchiseId]);
        return {
          franchise: {
            ...describe(row!, merchant),
            ...describeFurther(franchise, merchant, showTo(call.caller)),
            login_disabled: login !== null && login.disabledAt !== null,
            /** The approval that a new bank account waits for. */
            account_approval_id: otherAccount ? String(otherAccount.approvalId) : null,
            under_way: formatPaise(underWayPaise),
            /** Amount that settling now would pay, in rupees. */
            payable: formatPaise(payablePaise > 0n ? payablePaise : 0n),
            /** Whether commission waits until a user who may move money settles it. */
            commission_waits: waiting.size > 0,
          },
          payments: payments.map((payment) => describePayment(payment, merchant)),
          payouts: payouts.map(({ transferId, amountPaise, state, utr, addedAt }) => ({
            transfer_id: String(transferId),
            amount: formatPaise(amountPaise),
            status: wireStatus(state),
            utr: utr ?? "",
            added_at: formatInstant(addedAt, merchant.timeZone),
          })),
        };
      },
    }),
  ];
}

function registerHistoryRoute(scope: DashboardScope) {
  return [
    listRoute(scope, {
      url: "/franchises/:franchise_id/commission",
      summary: "List the commission of a franchise",
      permission: "franchises.view",
      narrowsToFranchise: true,
      params: franchiseParams,
      filters: {},
      rowsIn: "commission",
      read: async (call, asked) => {
        const { db, merchant } = call;
        const franchise = await requireFranchise(call, call.params.franchise_id);
        const found = await pageCommission(db, franchise, numberIn(asked.after), asked.limit + 1);
        const page = cutPage(found, asked, ({ settlementId }) => settlementId);
        const ids = page.rows.map(({ invoiceId }) => invoiceId);
        const numbers = new Map(
          (await findInvoices(db, merchant, ids)).map(({ invoiceId, invoiceNumber }) => [invoiceId, invoiceNumber]),
        );
        return {
          ...page,
          rows: page.rows.map((earned) => ({
            earned_by: String(earned.settlementId),
            invoice_id: formatInvoiceId(earned.invoiceId),
            invoice_number: numbers.get(earned.invoiceId) ?? "",
            commission_type: earned.rate?.commissionType ?? null,
            commission: earned.rate && formatPaise(earned.rate.commissionHundredths),
            amount: formatPaise(earned.amountPaise),
            reversed: formatPaise(earned.reversedPaise),
            waits: earned.waits,
            accrued_at: formatInstant(earned.accruedAt, merchant.timeZone),
          })),
        };
      },
    }),
  ];
}

function registerWriteRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /franchises",
      summary: "Save a franchise",
      permission: "franchises.manage",
      body: saveFields,
      checksBody: true,
      handler: async ({ db, merchant, request }) => {
        const { body: sent, refusal } = await readSaveBody(db, merchant, request.body);
        if (refusal) throw refusal;
        const draft = readDraft(sent);
        // A code is unique, so a repeated request saves only once.
        const { answer } = await saveFranchise({ pool: db, ids, merchant, idempotency: null }, draft);
        return { franchise_id: answer.franchiseId, ...warn(warningsOfFranchise(sent)) };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /franchises/:franchise_id",
      summary: "Change a franchise's contact details",
      permission: "franchises.manage",
      params: franchiseParams,
      body: contactRecord.changes,
      handler: async ({ db, merchant, params, body }) => {
        const franchiseId = BigInt(params.franchise_id);
        const context = { pool: db, merchant, idempotency: null };
        await changeFranchise(context, { franchiseId, changes: contactRecord.readChanges(body) });
        return { franchise_id: params.franchise_id };
      },
    }),
    dashboardRoute(scope, {
      route: "DELETE /franchises/:franchise_id",
      summary: "Delete a franchise",
      permission: "franchises.manage",
      params: franchiseParams,
      handler: async ({ db, merchant, params }) => {
        await deleteFranchise({ pool: db, merchant, idempotency: null }, BigInt(params.franchise_id));
        return { done: true };
      },
    }),
  ];
}

function registerSettleRoute(scope: DashboardScope) {
  const { ids, commissionPayer } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /franchises/:franchise_id/settle",
      summary: "Pay out the commission that is due",
      permission: "franchises.settle",
      params: franchiseParams,
      // The confirmed amount: repeated after a lost answer, the request finds nothing due, or a different amount.
      body: { amount: money() },
      handler: async ({ db, merchant, params, body }) => {
        const request = { franchiseId: BigInt(params.franchise_id), expectedPaise: body.amount };
        const payout = await commissionPayer.settle({ pool: db, ids, merchant }, request);
        const isAccepted = payout.outcome === "accepted";
        return {
          transfer_id: isAccepted ? String(payout.transferId) : null,
          amount: isAccepted ? formatPaise(payout.amountPaise) : "0.00",
        };
      },
    }),
  ];
}

/** @throws NodalError `franchise_not_found`, also if a franchise asks for a different one */
export async function requireFranchise({ db, merchant, caller }: MerchantCall, id: string): Promise<Franchise> {
  const { bucket, merchantId } = merchant;
  const franchiseId = BigInt(id);
  const own = franchiseOf(caller);
  const isForeign = own !== null && own !== franchiseId;
  const franchise = isForeign ? null : await findFranchise(db, { bucket, merchantId, franchiseId });
  if (!franchise) throw franchiseNotFound();
  return franchise;
}

async function withCommission(db: Pool, merchant: Merchant, franchises: readonly Franchise[]): Promise<Row[]> {
  const ids = franchises.map(({ franchiseId }) => franchiseId);
  const commission = await readCommission({ pool: db, merchant }, ids);
  return franchises.map((franchise) => ({ franchise, commission: commission.get(franchise.franchiseId)! }));
}

async function* exportRows(
  db: Pool,
  merchant: Merchant,
  { search: text, status }: { readonly search: string | null; readonly status: "active" | "deleted" | null },
): AsyncGenerator<Row> {
  let after: bigint | null = null;
  for (;;) {
    const found: Franchise[] = await pageFranchises(db, merchant, { text, status, after, limit: EXPORT_PAGE });
    yield* await withCommission(db, merchant, found);
    if (found.length < EXPORT_PAGE) return;
    after = found.at(-1)!.franchiseId;
  }
}

function statusOf({ deletedAt }: Franchise): "active" | "deleted" {
  return deletedAt === null ? "active" : "deleted";
}

function describe({ franchise, commission }: Row, { timeZone }: Merchant) {
  return {
    franchise_id: String(franchise.franchiseId),
    franchise_code: franchise.code,
    franchise_name: franchise.name,
    status: statusOf(franchise),
    contact_person_name: franchise.contactPersonName,
    email_id: franchise.emailId,
    mobile: franchise.mobile,
    commission_type: franchise.commissionType,
    // Hundredths of a percent are printed like paise.
    commission: formatPaise(franchise.commissionHundredths),
    settlement_type: franchise.settlementType,
    commission_accrued: formatPaise(commission.accruedPaise),
    commission_paid: formatPaise(commission.paidPaise),
    commission_due: formatPaise(commission.duePaise),
    created_at: formatInstant(franchise.createdAt, timeZone),
  };
}

function describeFurther(franchise: Franchise, { timeZone }: Merchant, show: (text: string) => string = mask) {
  const { account } = franchise;
  const isAuto = isPaidByItself(franchise) && franchise.deletedAt === null;
  return {
    ...contactRecord.describe(franchise, show),
    enable_online_settlement: franchise.onlineSettlement,
    bank_holder_name: account.holderName,
    account_number: show(account.accountNumber),
    bank_name: account.bankName,
    account_type: account.accountType,
    ifsc: account.ifsc,
    login_email: franchise.loginEmail,
    role_name: franchise.roleName,
    next_payout_at: isAuto ? formatInstant(franchise.nextPayoutAt, timeZone) : null,
    deleted_at: formatInstant(franchise.deletedAt, timeZone),
  };
}
