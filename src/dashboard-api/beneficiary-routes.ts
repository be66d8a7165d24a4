// Routes of beneficiaries: the list, one, and new ones.
import { deactivateBeneficiary } from "../franchises/index.ts";
import {
  acceptName,
  beneficiaryFields,
  beneficiaryNotFound,
  changeBeneficiary,
  contactFields,
  findBeneficiaries,
  readBeneficiaryDetails,
  readContactChanges,
  requireAccount,
  saveBeneficiary,
  searchBeneficiaries,
  streamBeneficiaries,
  verifyBeneficiary,
  type Beneficiary,
} from "../payouts/index.ts";
import { digitsOrNumber, optionalText, requiredText } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { listFileRoute, listRoute, numberIn } from "./list-routes.ts";
import { bankOf, describeBeneficiary, showTo } from "./shown.ts";

const TEXT_LENGTH = 100;
const params = { beneficiary_id: digitsOrNumber(16) };
const list = {
  url: "/beneficiaries",
  permission: "beneficiaries.view",
  filters: { search: optionalText(TEXT_LENGTH) },
} as const;

/** Adds the routes of beneficiaries. */
export function registerBeneficiaryRoutes(scope: DashboardScope) {
  return [
    ...registerListRoutes(scope),
    dashboardRoute(scope, {
      route: "GET /beneficiaries/:beneficiary_id",
      permission: "beneficiaries.view",
      params,
      handler: async ({ db, merchant, session, params }) => {
        const name = { ...merchant, beneficiaryId: BigInt(params.beneficiary_id) };
        const [beneficiary] = await findBeneficiaries(db, [name]);
        if (!beneficiary) throw beneficiaryNotFound();
        return describeBeneficiary(beneficiary, merchant.timeZone, showTo(session));
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiaries",
      permission: "beneficiaries.manage",
      body: beneficiaryFields,
      betweenBody: requireAccount,
      handler: async ({ db, merchant, body }) => {
        const { answer } = await saveBeneficiary(
          { pool: db, ids: scope.parts.ids, merchant, idempotency: null },
          readBeneficiaryDetails(body),
        );
        return { beneficiary_id: answer.beneficiaryId, waits: answer.isPending ?? false };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /beneficiaries/:beneficiary_id",
      permission: "beneficiaries.manage",
      params,
      body: contactFields,
      handler: async ({ db, merchant, params: { beneficiary_id }, body }) => {
        const request = { beneficiaryId: BigInt(beneficiary_id), changes: readContactChanges(body) };
        await changeBeneficiary({ pool: db, merchant }, request);
        return { done: true };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiaries/:beneficiary_id/deactivate",
      permission: "beneficiaries.manage",
      params,
      handler: async ({ db, merchant, params: { beneficiary_id } }) => {
        await deactivateBeneficiary({ pool: db, merchant }, BigInt(beneficiary_id));
        scope.parts.desk.forgetBeneficiary({ ...merchant, beneficiaryId: BigInt(beneficiary_id) });
        return { done: true };
      },
    }),
    ...registerVerificationRoutes(scope),
  ];
}

function registerVerificationRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "POST /beneficiaries/:beneficiary_id/verify",
      permission: "beneficiaries.manage",
      params,
      handler: async ({ db, merchant, params: { beneficiary_id } }) => {
        const { pool: accounts, verificationsPerDay } = scope.parts;
        const context = { pool: db, accounts, merchant, verificationsPerDay };
        const { verification } = await verifyBeneficiary(context, BigInt(beneficiary_id));
        return { verification: verification.state };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /beneficiaries/:beneficiary_id/accept-name",
      permission: "payouts.transfer",
      params,
      body: { reason: requiredText(TEXT_LENGTH) },
      handler: async ({ db, merchant, params: { beneficiary_id }, body: { reason } }) => {
        await acceptName({ pool: db, merchant }, { beneficiaryId: BigInt(beneficiary_id), reason });
        return { done: true };
      },
    }),
  ];
}

function registerListRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...list,
      rowsIn: "beneficiaries",
      read: async ({ db, merchant, query }, { after, limit }) => {
        const page = { after: numberIn(after), limit };
        const { beneficiaries, next } = await searchBeneficiaries(
          { pool: db, merchant },
          { text: query.search, ...page },
        );
        return {
          rows: beneficiaries.map((each) => describeBeneficiary(each, merchant.timeZone)),
          next: next === null ? null : String(next),
        };
      },
    }),
    listFileRoute<"/beneficiaries", Beneficiary, typeof list.filters>(scope, {
      ...list,
      read: ({ db, merchant, query }) => ({
        rows: streamBeneficiaries({ pool: db, merchant }, query.search),
        columns: {
          beneficiary_id: ({ beneficiaryId }) => String(beneficiaryId),
          type: ({ type }) => type,
          name: ({ name }) => name,
          account_number: ({ accountNumber }) => mask(accountNumber ?? ""),
          ifsc: ({ ifsc }) => ifsc ?? "",
          bank: bankOf,
          upi: ({ upi }) => mask(upi ?? ""),
          email_id: ({ emailId }) => emailId,
          mobile: ({ mobile }) => mobile,
          address: ({ address }) => address,
          city: ({ city }) => city,
          state: ({ state }) => state,
          zipcode: ({ zipcode }) => zipcode,
          approval: ({ approval }) => approval,
          verification: ({ verification }) => verification.state,
          created_at: ({ createdAt }) => formatTimestamp(createdAt, merchant.timeZone),
        },
      }),
    }),
  ];
}
