// The protocol of RazorpayX payouts: docs/providers/razorpayx.md
import { createHash, createHmac } from "node:crypto";
import { toJson } from "../src/platform/json.ts";
import { badRequest, errorOf, NO_SUCH_ID, secondsOf, type AccountType } from "./razorpayx-answers.ts";
import { addAccountRoutes, addValidationRoutes } from "./razorpayx-account.ts";
import { addPayeeRoutes } from "./razorpayx-payees.ts";
import { addPayoutRoutes, LOW_BALANCE, payoutBody, statusOf } from "./razorpayx-payouts.ts";
import { isKeyOf, type Answer, type Problem, type Protocol } from "./stand-in.ts";

export { SOURCE_ACCOUNT } from "./razorpayx-answers.ts";

const REFUSALS = {
  credentials: errorOf(401, {
    code: "BAD_REQUEST_ERROR",
    description: "Authentication failed",
    source: "business",
    reason: null,
  }),
  too_many: errorOf(429, {
    code: "BAD_REQUEST_ERROR",
    description: "Throttling Error",
    source: "business",
    reason: null,
  }),
  error: errorOf(500, {
    code: "SERVER_ERROR",
    description: "We are facing some trouble completing your request at the moment. Please try again shortly.",
    source: "internal",
    reason: "server_error",
  }),
  not_found: badRequest("The requested URL was not found on the server."),
  low_balance: LOW_BALANCE,
  unknown_payee: badRequest(NO_SUCH_ID, { field: "fund_account_id" }),
  not_listed: badRequest("Transactions from this IP are not allowed. Contact support for help."),
} satisfies Readonly<Record<Problem, Answer>>;

export const razorpayx: Protocol = {
  name: "razorpayx",
  returnsFees: true,
  addRoutes: (app, desk) => razorpayxOn("razorpayx_lite").addRoutes(app, desk),
  isAuthentic: ({ headers }, { id, secret }) => {
    const [scheme, encoded = ""] = (headers.authorization ?? "").split(" ");
    const [givenId, givenSecret] = Buffer.from(encoded, "base64").toString().split(":");
    return scheme === "Basic" && isKeyOf(id, givenId) && givenSecret === secret;
  },
  refusal: (problem) => REFUSALS[problem],
  noticeOf(payment) {
    const status = statusOf(payment);
    // No event tells of a payout that its caller has cancelled.
    if (status === "cancelled") return null;
    return toJson({
      entity: "event",
      account_id: "acc_00000000000001",
      event: `payout.${status === "processing" ? "initiated" : status}`,
      contains: ["payout"],
      payload: { payout: { entity: payoutBody(payment) } },
      created_at: secondsOf(payment.updatedMs),
    });
  },
  signNotice: (body, { noticeSecret }) => ({
    // The same for each delivery of one event.
    "x-razorpay-event-id": createHash("sha256").update(body).digest("hex").slice(0, 14),
    "x-razorpay-signature": createHmac("sha256", noticeSecret).update(body).digest("hex"),
  }),
};

/** The same with an account of another type. */
export function razorpayxOn(accountType: AccountType): Protocol {
  return {
    ...razorpayx,
    addRoutes(app, desk) {
      addPayeeRoutes(app, desk);
      addAccountRoutes(app, desk, accountType);
      addPayoutRoutes(app, desk);
      addValidationRoutes(app, desk, accountType);
    },
  };
}
