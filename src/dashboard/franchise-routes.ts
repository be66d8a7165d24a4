// Routes of franchises: the list, one with its commission, new ones, changes, deletion, and settling.
// What belongs here: wire shapes, no logic. A franchise that is signed in sees itself and nothing else.
import {
  ACCOUNT_CHANGE,
  changeFields,
  deleteFranchise,
  findFranchise,
  findWaiting,
  franchiseNotFound,
  listCommissionPayments,
  pageCommission,
  pageFranchises,
  readChanges,
  readCommission,
  readDraft,
  readSaveBody,
  saveFranchise,
  settleCommission,
  updateFranchise,
  type CommissionState,
  type Franchise,
} from "../franchises/index.ts";
import { findInvoices, formatInvoiceId } from "../invoices/index.ts";
import { findLogin, listRoles, listWaitingAccounts, type Merchant } from "../merchants/index.ts";
import { listCommissionTransfers, readUnderWay, saveFranchiseAccount, wireStatus } from "../payouts/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { digitsOrNumber, money, oneOf, optional, optionalText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { sendCsv } from "./csv-answer-routes.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { describePayment } from "./commission-payment-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";
import { showTo } from "./shown.ts";

const EXPORT_PAGE = 500;
/** Of the payouts of commission, the last ones: the list of transfers has them all. */
const SHOWN_PAYOUTS = 20;

const FILTER_FIELDS = { search: optionalText(100), status: optional(oneOf(["active", "deleted"])) };
const franchiseParams = { franchise_id: digitsOrNumber(16) };
const paging = { after: optional(digitsOrNumber(16)), limit: pageLimit() };

/** Adds the routes of franchises. */
export function registerFranchiseDeskRoutes(scope: DashboardScope): void {
  registerListRoutes(scope);
  registerReadRoutes(scope);
  registerHistoryRoute(scope);
  registerWriteRoutes(scope);
  registerSettleRoute(scope);
}

type Row = { readonly franchise: Franchise; readonly commission: CommissionState };

function registerListRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/franchises",
    permission: "franchises.view",
    narrowsToFranchise: true,
    query: { ...FILTER_FIELDS, ...paging },
    handler: async (call) => {
      const { db, merchant, session, query } = call;
      if (session.login.kind === "franchise") {
        const own = await requireFranchise(call, String(session.login.loginId));
        return {
          franchises: (await withCommission(db, merchant, [own])).map((row) => describe(row, merchant)),
          next: null,
        };
      }
      const limit = limitOf(query);
      const after = query.after === null ? null : BigInt(query.after);
      const search = { text: query.search, status: query.status, after, limit: limit + 1 };
      const found = await pageFranchises(db, merchant, search);
      const page = await withCommission(db, merchant, found.slice(0, limit));
      return {
        franchises: page.map((row) => describe(row, merchant)),
        next: found.length > limit ? String(page.at(-1)!.franchise.franchiseId) : null,
      };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/franchises/export",
    permission: "franchises.view",
    query: FILTER_FIELDS,
    handler: ({ db, merchant, query, reply }) =>
      sendCsv<Row>(
        reply,
        "franchises.csv",
        {
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
        exportRows(db, merchant, query),
      ),
  });
}

function registerReadRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/franchises/form",
    permission: "franchises.manage",
    handler: async ({ db, merchant }) => ({ roles: await listRoles(db, merchant) }),
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/franchises/:franchise_id",
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
          ...describeFurther(franchise, merchant, showTo(call.session)),
          login_disabled: login !== null && login.disabledAt !== null,
          /** Of another bank account that waits for a second person. */
          account_approval_id: otherAccount ? String(otherAccount.approvalId) : null,
          under_way: formatPaise(underWayPaise),
          /** What settling now would pay. */
          payable: formatPaise(payablePaise > 0n ? payablePaise : 0n),
          /** Whether commission is not paid out by itself, until somebody who may move money settles it. */
          commission_waits: waiting.size > 0,
        },
        payments: payments.map((payment) => describePayment(payment, merchant)),
        payouts: payouts.map(({ transferId, amountPaise, state, utr, addedAt }) => ({
          transfer_id: String(transferId),
          amount: formatPaise(amountPaise),
          status: wireStatus(state),
          utr: utr ?? "",
          added_at: formatTimestamp(addedAt, merchant.timeZone),
        })),
      };
    },
  });
}

function registerHistoryRoute(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/franchises/:franchise_id/commission",
    permission: "franchises.view",
    narrowsToFranchise: true,
    params: franchiseParams,
    query: paging,
    handler: async (call) => {
      const { db, merchant, query } = call;
      const franchise = await requireFranchise(call, call.params.franchise_id);
      const limit = limitOf(query);
      const after = query.after === null ? null : BigInt(query.after);
      const found = await pageCommission(db, franchise, after, limit + 1);
      const page = found.slice(0, limit);
      const ids = page.map(({ invoiceId }) => invoiceId);
      const numbers = new Map(
        (await findInvoices(db, merchant, ids)).map(({ invoiceId, invoiceNumber }) => [invoiceId, invoiceNumber]),
      );
      return {
        commission: page.map((earned) => ({
          earned_by: String(earned.settlementId),
          invoice_id: formatInvoiceId(earned.invoiceId),
          invoice_number: numbers.get(earned.invoiceId) ?? "",
          commission_type: earned.rate?.commissionType ?? null,
          commission: earned.rate && formatPaise(earned.rate.commissionHundredths),
          amount: formatPaise(earned.amountPaise),
          reversed: formatPaise(earned.reversedPaise),
          waits: earned.waits,
          accrued_at: formatTimestamp(earned.accruedAt, merchant.timeZone),
        })),
        next: found.length > limit ? String(page.at(-1)!.settlementId) : null,
      };
    },
  });
}

function registerWriteRoutes(scope: DashboardScope): void {
  const { ids } = scope.parts;
  dashboardRoute(scope, {
    method: "POST",
    url: "/franchises",
    permission: "franchises.manage",
    handler: async ({ db, merchant, request }) => {
      const draft = readDraft(await readSaveBody(db, merchant, request.body));
      // A code is a franchise's once: sent twice, it is saved once.
      const { answer } = await saveFranchise({ pool: db, ids, savePayee: saveFranchiseAccount }, merchant, draft, null);
      return { franchise_id: answer.franchiseId };
    },
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/franchises/:franchise_id",
    permission: "franchises.manage",
    params: franchiseParams,
    body: changeFields,
    handler: async ({ db, merchant, params, body }) => {
      await updateFranchise(db, keyOf(merchant, params.franchise_id), readChanges(body), null);
      return { franchise_id: params.franchise_id };
    },
  });

  dashboardRoute(scope, {
    method: "DELETE",
    url: "/franchises/:franchise_id",
    permission: "franchises.manage",
    params: franchiseParams,
    handler: async ({ db, merchant, params }) => {
      await deleteFranchise(db, keyOf(merchant, params.franchise_id), null);
      return { done: true };
    },
  });
}

function registerSettleRoute(scope: DashboardScope): void {
  const { ids, payCommission } = scope.parts;
  dashboardRoute(scope, {
    method: "POST",
    url: "/franchises/:franchise_id/settle",
    permission: "franchises.settle",
    params: franchiseParams,
    // What was shown and agreed to: sent again after a lost answer, it finds nothing due, or another amount.
    body: { amount: money() },
    handler: async ({ db, merchant, params, body }) => {
      const key = keyOf(merchant, params.franchise_id);
      const payout = await settleCommission({ pool: db, ids, payCommission }, key, body.amount);
      const isAccepted = payout.outcome === "accepted";
      return {
        transfer_id: isAccepted ? String(payout.transferId) : null,
        amount: isAccepted ? formatPaise(payout.amountPaise) : "0.00",
      };
    },
  });
}

function keyOf({ bucket, merchantId }: Merchant, franchiseId: string) {
  return { bucket, merchantId, franchiseId: BigInt(franchiseId) };
}

/** @throws NodalError `franchise_not_found`, also for another franchise than the one that asks */
async function requireFranchise({ db, merchant, session }: MerchantCall, franchiseId: string): Promise<Franchise> {
  const key = keyOf(merchant, franchiseId);
  const isForeign = session.login.kind === "franchise" && session.login.loginId !== key.franchiseId;
  const franchise = isForeign ? null : await findFranchise(db, key);
  if (!franchise) throw franchiseNotFound();
  return franchise;
}

async function withCommission(db: Queryable, merchant: Merchant, franchises: readonly Franchise[]): Promise<Row[]> {
  const ids = franchises.map(({ franchiseId }) => franchiseId);
  const commission = await readCommission(db, merchant, ids);
  return franchises.map((franchise) => ({ franchise, commission: commission.get(franchise.franchiseId)! }));
}

async function* exportRows(
  db: Queryable,
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
    // Hundredths of a per cent print as paise do.
    commission: formatPaise(franchise.commissionHundredths),
    settlement_type: franchise.settlementType,
    commission_accrued: formatPaise(commission.accruedPaise),
    commission_paid: formatPaise(commission.paidPaise),
    commission_due: formatPaise(commission.duePaise),
    created_at: formatTimestamp(franchise.createdAt, timeZone),
  };
}

function describeFurther(franchise: Franchise, { timeZone }: Merchant, show: (text: string) => string = mask) {
  const { account } = franchise;
  const isAuto = franchise.settlementType === "Auto" && franchise.onlineSettlement && franchise.deletedAt === null;
  return {
    pan_number: show(franchise.panNumber),
    aadhar_number: show(franchise.aadharNumber),
    gst_number: franchise.gstNumber,
    address: franchise.address,
    city: franchise.city,
    state: franchise.state,
    zipcode: franchise.zipcode,
    enable_online_settlement: franchise.onlineSettlement,
    bank_holder_name: account.holderName,
    account_number: show(account.accountNumber),
    bank_name: account.bankName,
    account_type: account.accountType,
    ifsc: account.ifsc,
    login_email: franchise.loginEmail,
    role_name: franchise.roleName,
    next_payout_at: isAuto ? formatTimestamp(franchise.nextPayoutAt, timeZone) : null,
    deleted_at: franchise.deletedAt && formatTimestamp(franchise.deletedAt, timeZone),
  };
}
