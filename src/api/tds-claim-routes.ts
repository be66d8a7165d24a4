// Routes of TDS claims: the tax that customers deducted in a quarter, its certificates, and making it due again.
import {
  certifyTdsClaim,
  daysOfQuarter,
  describeClaim,
  pageClaims,
  putBackTds,
  quarterField,
  quarterOf,
  statusOfClaim,
  TDS_CLAIM_STATUSES,
  toTdsClaim,
  type ClaimFilter,
  type ClaimPlace,
  type TdsClaim,
} from "../invoices/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import { digitsOrNumber, oneOf, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { bankLines } from "../reconciliation/index.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import { cutPage, listFileRoute, listRoute, numberIn, placeField } from "./list-routes.ts";
import { markReplayed } from "./once.ts";

const CERTIFICATE_LENGTH = 30;
const REASON_LENGTH = 500;
const EXPORT_PAGE = 1000;
const params = { claim_id: digitsOrNumber(16) };
const FILTER_FIELDS = {
  quarter: optional(quarterField()),
  status: optional(oneOf(TDS_CLAIM_STATUSES)),
  customer_id: optional(digitsOrNumber(16)),
};
/** The key of a page's last row: customer and claim. */
const PLACE = /^[0-9]{1,16}_[0-9]{1,16}$/;

const list = {
  url: "/tds-claims",
  summary: "List TDS that customers deducted, by customer",
  permission: "invoices.view",
  filters: FILTER_FIELDS,
} as const;

/** Adds the routes of TDS claims. */
export function registerTdsClaimRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    listRoute(scope, {
      ...list,
      paging: { after: placeField(33, PLACE) },
      rowsIn: "tds_claims",
      read: async ({ db, merchant, query }, { after, limit }) => {
        const found = await pageClaims(db, merchant, readFilter(query), { after: placeIn(after), limit: limit + 1 });
        const { rows, next } = cutPage(found, { limit }, ({ customerId, claimId }) => `${customerId}_${claimId}`);
        return { rows: rows.map((claim) => toTdsClaim(claim, merchant)), next };
      },
    }),
    listFileRoute(scope, {
      ...list,
      read: ({ db, merchant, query }) => ({ columns: COLUMNS, rows: allClaims({ db, merchant }, readFilter(query)) }),
    }),
    dashboardRoute(scope, {
      route: "POST /tds-claims/:claim_id/certificate",
      summary: "Enter the certificate of a TDS claim",
      permission: "invoices.settle",
      params,
      body: { certificate_number: optionalText(CERTIFICATE_LENGTH) },
      handler: async ({ db, merchant, params: { claim_id }, body }) => {
        const certificateNumber = body.certificate_number ?? "";
        const claim = await certifyTdsClaim({ pool: db, merchant }, { claimId: BigInt(claim_id), certificateNumber });
        return { tds_claim: toTdsClaim(claim, merchant) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /tds-claims/:claim_id/put-back",
      summary: "Put TDS that the customer did not deposit back to due",
      permission: "invoices.settle",
      params,
      body: { reason: requiredText(REASON_LENGTH) },
      once: "by_use_case",
      handler: async (call) => {
        const { db: pool, merchant, idempotency, body } = call;
        const context = { pool, ids: parts.ids, merchant, idempotency, inTurn: parts.saves.inTurn, bankLines };
        const claimId = BigInt(call.params.claim_id);
        const { replayed } = await putBackTds(context, { claimId, reason: body.reason });
        markReplayed(call.reply, replayed);
        return { tds_claim: await describeClaim(pool, merchant, claimId) };
      },
    }),
  ];
}

function readFilter({ quarter, status, customer_id }: Values<typeof FILTER_FIELDS>): ClaimFilter {
  const days = quarter === null ? null : daysOfQuarter(quarter);
  return { quarter: days, status, customerId: numberIn(customer_id), claimId: null };
}

function placeIn(after: string | null): ClaimPlace | null {
  if (after === null) return null;
  const [customer = "", claim = ""] = after.split("_");
  return { customerId: BigInt(customer), claimId: BigInt(claim) };
}

async function* allClaims(
  { db, merchant }: Pick<MerchantCall, "db" | "merchant">,
  filter: ClaimFilter,
): AsyncGenerator<TdsClaim> {
  for (let after: ClaimPlace | null = null; ;) {
    const claims: TdsClaim[] = await pageClaims(db, merchant, filter, { after, limit: EXPORT_PAGE });
    yield* claims;
    if (claims.length < EXPORT_PAGE) return;
    after = claims.at(-1)!;
  }
}

const COLUMNS: Readonly<Record<string, (claim: TdsClaim) => CsvCell>> = {
  quarter: ({ paidDate }) => quarterOf(paidDate),
  customer_code: ({ customerCode }) => customerCode,
  customer_name: ({ customerName }) => customerName,
  date: ({ paidDate }) => paidDate.toString(),
  document_number: ({ documentNumber }) => documentNumber,
  amount: ({ moneyPaise }) => moneyPaise,
  tds_amount: ({ tdsPaise }) => tdsPaise,
  tds_code: ({ tdsCode }) => tdsCode,
  status: statusOfClaim,
  certificate_number: ({ certificateNumber }) => certificateNumber,
  put_back_reason: ({ putBackReason }) => putBackReason ?? "",
};
