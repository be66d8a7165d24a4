// Routes for forms being filled in: payout previews, the bank of an IFSC, and the states.
import { describePolicy, findPolicy } from "../merchants/index.ts";
import { describeIfsc, type PayoutPreview, transferFields, withdrawalFields } from "../payouts/index.ts";
import { NodalError } from "../platform/errors.ts";
import { formatPaise } from "../platform/money.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, lookUpRoute } from "./guarded-routes.ts";
import { ifsc } from "../platform/http/fields.ts";
import { STATES } from "../platform/indian-states.ts";

/** Adds the routes of previews. They need the permissions of the payout itself, and change nothing. */
export function registerPreviewRoutes(scope: DashboardScope) {
  const { desk } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /transfers/preview",
      summary: "Check a transfer before you request it",
      permission: "payouts.transfer",
      query: {
        beneficiary_id: transferFields.beneficiary_id,
        amount: transferFields.amount,
        mode: transferFields.mode,
      },
      handler: ({ query, ...call }) => {
        const payoutRequest = {
          beneficiaryId: query.beneficiary_id,
          amountPaise: query.amount,
          mode: query.mode,
          referenceId: "",
          narrative: "",
        };
        return describe(call, query.amount, () => desk.previewTransfer(call.merchant, payoutRequest));
      },
    }),
    dashboardRoute(scope, {
      route: "GET /withdrawals/preview",
      summary: "Check a withdrawal before you request it",
      permission: "payouts.withdraw",
      query: { amount: withdrawalFields.amount },
      handler: ({ query, ...call }) => {
        const payoutRequest = { amountPaise: query.amount, referenceId: null, narrative: "" };
        return describe(call, query.amount, () => desk.previewWithdrawal(call.merchant, payoutRequest));
      },
    }),
  ];
}

async function describe(
  { db, merchant }: Pick<MerchantCall, "db" | "merchant">,
  amountPaise: bigint,
  preview: () => Promise<PayoutPreview>,
) {
  const found = await preview().catch((error: unknown) => {
    if (error instanceof NodalError) return error;
    throw error;
  });
  if (found instanceof NodalError) return { refusal: refusalIn(found), terms: null };
  const { approve_over } = describePolicy(await findPolicy(db, merchant));
  return {
    refusal: found.refusal && refusalIn(found.refusal),
    terms: {
      mode: found.railMode,
      available: formatPaise(found.availablePaise),
      left: formatPaise(found.availablePaise - amountPaise),
      left_today: found.leftTodayPaise === null ? null : formatPaise(found.leftTodayPaise),
      needs_approval: found.needsApproval,
      approve_over,
    },
  };
}

function refusalIn({ code, message }: NodalError) {
  return { code, message };
}

/** Adds the look-ups of banks and states. */
export function registerLookUpRoutes(scope: DashboardScope) {
  return [
    lookUpRoute(scope, {
      route: "GET /ifsc/:ifsc",
      summary: "Look up a bank branch by its IFSC",
      params: { ifsc: ifsc() },
      handler: ({ params }) => {
        const { bank, isListed } = describeIfsc(params.ifsc);
        return { bank: bank ?? "", is_listed: isListed };
      },
    }),
    lookUpRoute(scope, {
      route: "GET /states",
      summary: "List the states of India with their GST codes",
      handler: () => ({ states: STATES }),
    }),
  ];
}
