// Routes of beneficiaries: the list, one, and new ones.
// What belongs here: wire shapes, no logic.
import {
  beneficiaryFields,
  findBeneficiaries,
  readBeneficiaryDetails,
  requireAccount,
  saveBeneficiary,
  searchBeneficiaries,
  streamBeneficiaries,
  type Beneficiary,
} from "../payouts/index.ts";
import { NodalError } from "../platform/errors.ts";
import { digitsOrNumber, optional, optionalText } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { sendCsv } from "./csv-answer-routes.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";
import { describeBeneficiary, showTo } from "./shown.ts";

const TEXT_LENGTH = 100;

/** Adds the routes of beneficiaries. */
export function registerBeneficiaryRoutes(scope: DashboardScope): void {
  registerListRoutes(scope);

  dashboardRoute(scope, {
    method: "GET",
    url: "/beneficiaries/:beneficiary_id",
    permission: "beneficiaries.view",
    params: { beneficiary_id: digitsOrNumber(16) },
    handler: async ({ db, merchant, session, params }) => {
      const name = { ...merchant, beneficiaryId: BigInt(params.beneficiary_id) };
      const [beneficiary] = await findBeneficiaries(db, [name]);
      if (!beneficiary) {
        throw new NodalError("beneficiary_not_found", "There is no such beneficiary: look for it in the list.");
      }
      return describeBeneficiary(beneficiary, merchant.timeZone, showTo(session));
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/beneficiaries",
    permission: "beneficiaries.manage",
    body: beneficiaryFields,
    betweenBody: requireAccount,
    handler: async ({ db, merchant, body }) => {
      const { answer } = await saveBeneficiary(db, scope.parts.ids, merchant, readBeneficiaryDetails(body), null);
      return { beneficiary_id: answer.beneficiaryId, waits: answer.isPending ?? false };
    },
  });
}

function registerListRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/beneficiaries",
    permission: "beneficiaries.view",
    query: {
      search: optionalText(TEXT_LENGTH),
      after: optional(digitsOrNumber(16)),
      limit: pageLimit(),
    },
    handler: async ({ db, merchant, query }) => {
      const page = { after: query.after === null ? null : BigInt(query.after), limit: limitOf(query) };
      const { beneficiaries, next } = await searchBeneficiaries(db, merchant, query.search, page);
      return {
        beneficiaries: beneficiaries.map((each) => describeBeneficiary(each, merchant.timeZone)),
        next: next === null ? null : String(next),
      };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/beneficiaries.csv",
    permission: "beneficiaries.view",
    query: { search: optionalText(TEXT_LENGTH) },
    handler: ({ db, merchant, query, reply }) =>
      sendCsv<Beneficiary>(
        reply,
        "beneficiaries.csv",
        {
          beneficiary_id: ({ beneficiaryId }) => String(beneficiaryId),
          type: ({ type }) => type,
          name: ({ name }) => name,
          account_number: ({ accountNumber }) => mask(accountNumber ?? ""),
          ifsc: ({ ifsc }) => ifsc ?? "",
          upi: ({ upi }) => mask(upi ?? ""),
          email_id: ({ emailId }) => emailId,
          mobile: ({ mobile }) => mobile,
          address: ({ address }) => address,
          city: ({ city }) => city,
          state: ({ state }) => state,
          zipcode: ({ zipcode }) => zipcode,
          approval: ({ approval }) => approval,
          created_at: ({ createdAt }) => formatTimestamp(createdAt, merchant.timeZone),
        },
        streamBeneficiaries(db, merchant, query.search),
      ),
  });
}
