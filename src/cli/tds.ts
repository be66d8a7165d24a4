// `nodal tds`: tax that customers deducted, its certificates, and putting it back to due.
import {
  certifyTdsClaim,
  daysOfQuarter,
  findClaim,
  pageClaims,
  putBackTds,
  quarterField,
  quarterOf,
  statusOfClaim,
  tdsClaimNotFound,
  type TdsClaim,
} from "../invoices/index.ts";
import { digitsOrNumber, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { bankLines } from "../reconciliation/index.ts";
import { group, merchantCommand, option } from "./command.ts";
import { listAnswer, recordAnswer } from "./output.ts";

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
    return listAnswer(claims.map(describe), "No customer deducted TDS.", COLUMNS);
  },
});

const certificate = merchantCommand({
  description: "enter the number of a TDS certificate, or correct it; empty if there is none",
  example: "--claim 29148 --number ABCDEFG",
  options: { claim: CLAIM, number: option("<number>", "the certificate's number, from Form 16A", optionalText(30)) },
  async run({ pool, merchant }, { claim, number }) {
    const entered = { claimId: BigInt(claim), certificateNumber: number ?? "" };
    return recordAnswer(describe(await certifyTdsClaim({ pool, merchant }, entered)));
  },
});

const putBack = merchantCommand({
  description: "make TDS that the customer did not deposit due again",
  example: '--claim 29148 --reason "Not in Form 26AS"',
  options: { claim: CLAIM, reason: option("<text>", "why, for the audit log", requiredText(500)) },
  async run({ pool, ids, merchant }, { claim, reason }) {
    const claimId = BigInt(claim);
    const inTurn = <T>(_merchant: unknown, work: () => Promise<T>): Promise<T> => work();
    await putBackTds({ pool, ids, merchant, idempotency: null, inTurn, bankLines }, { claimId, reason });
    const found = await findClaim(pool, merchant, claimId);
    if (!found) throw tdsClaimNotFound();
    return recordAnswer(describe(found));
  },
});

export const tdsCommands = group("TDS that customers deducted, and its certificates", {
  list,
  certificate,
  "put-back": putBack,
});

function describe(claim: TdsClaim) {
  return {
    claim_id: String(claim.claimId),
    quarter: quarterOf(claim.paidDate),
    customer_code: claim.customerCode,
    customer_name: claim.customerName,
    date: claim.paidDate.toString(),
    document_number: claim.documentNumber,
    amount: formatPaise(claim.moneyPaise),
    tds_amount: formatPaise(claim.tdsPaise),
    tds_code: claim.tdsCode,
    status: statusOfClaim(claim),
    certificate_number: claim.certificateNumber,
    put_back_reason: claim.putBackReason,
  };
}
