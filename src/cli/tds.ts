// `nodal tds`: tax that customers deducted, its certificates, and making it due again.
import {
  certifyTdsClaim,
  daysOfQuarter,
  describeClaim,
  pageClaims,
  putBackTds,
  quarterField,
  toTdsClaim,
} from "../invoices/index.ts";
import { digitsOrNumber, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { group, merchantCommand, option } from "./command.ts";
import { listAnswer, recordAnswer } from "./output.ts";
import { receiptContext } from "./receipt-context.ts";

const LISTED = 1000;
const CLAIM = option("<id>", "a claim_id, which `nodal tds list` shows", digitsOrNumber(16));
const COLUMNS = [
  "claim_id",
  "quarter",
  "customer_name",
  "date",
  "document_number",
  "tds_amount",
  "status",
  "certificate_number",
] as const;

const list = merchantCommand({
  description: `list TDS that customers deducted, by customer, at most ${LISTED}`,
  example: "--quarter 2026-27-Q1",
  options: { quarter: option("<quarter>", "such as 2026-27-Q1; default: all", optional(quarterField())) },
  async run({ pool, merchant }, { quarter }) {
    const days = quarter === null ? null : daysOfQuarter(quarter);
    const filter = { quarter: days, status: null, customerId: null, claimId: null };
    const claims = await pageClaims(pool, merchant, filter, { after: null, limit: LISTED });
    return listAnswer(
      claims.map((claim) => toTdsClaim(claim, merchant)),
      "No customer deducted TDS.",
      COLUMNS,
    );
  },
});

const certificate = merchantCommand({
  description: "enter the number of a TDS certificate, or correct it; empty if there is none",
  example: "--claim 29148 --number ABCDEFG",
  options: { claim: CLAIM, number: option("<number>", "the certificate's number, from Form 16A", optionalText(30)) },
  async run({ pool, merchant }, { claim, number }) {
    const entered = { claimId: BigInt(claim), certificateNumber: number ?? "" };
    return recordAnswer(toTdsClaim(await certifyTdsClaim({ pool, merchant }, entered), merchant));
  },
});

const putBack = merchantCommand({
  description: "make TDS that the customer did not deposit due again",
  example: '--claim 29148 --reason "Not in Form 26AS"',
  options: { claim: CLAIM, reason: option("<text>", "why, for the audit log", requiredText(500)) },
  async run(scope, { claim, reason }) {
    const claimId = BigInt(claim);
    await putBackTds(receiptContext(scope), { claimId, reason });
    return recordAnswer(await describeClaim(scope.pool, scope.merchant, claimId));
  },
});

export const tdsCommands = group("TDS that customers deducted, and its certificates", {
  list,
  certificate,
  "put-back": putBack,
});
