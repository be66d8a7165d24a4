// Account verification of the stand-in for Cashfree: Secure ID, a product with keys of its own.
import type { FastifyInstance } from "fastify";
import type { CheckedAccount } from "./account-checks.ts";
import { problem } from "./cashfree-answers.ts";
import type { Desk } from "./desk.ts";
import { isRecord, textOf, type Fields } from "./json.ts";
import { give, type Answer } from "./stand-in.ts";

export function addVerificationRoutes(app: FastifyInstance, desk: Desk): void {
  const config = { operation: "verify" } as const;
  app.post("/verification/bank-account/sync", { config }, (request, reply) => {
    const fields = isRecord(request.body) ? request.body : {};
    const wrong = checkQuestion(fields);
    if (wrong) return give(reply, wrong);
    const [accountNumber, ifsc, name] = ["bank_account", "ifsc", "name"].map((each) => textOf(fields, each));
    const asked = desk.askAbout({ payeeId: "", name: name!, accountNumber: accountNumber!, ifsc: ifsc! }, true);
    return give(reply, { status: 200, body: verificationBody(asked) });
  });
  app.get("/verification/bank-account", { config }, (request, reply) => {
    const number = textOf(request.query as Fields, "reference_id");
    const asked = /^[0-9]{1,15}$/.test(number) ? desk.accountChecks.find(BigInt(number), desk.clock.nowMs()) : null;
    if (asked) return give(reply, { status: 200, body: verificationBody(asked) });
    return give(reply, problem(404, "invalid_request_error", null, "reference_id does not exist."));
  });
}

/** What is wrong with a question; `null` for nothing. No page gives the codes of these errors. */
function checkQuestion(fields: Fields): Answer | null {
  const wrong = (message: string): Answer => problem(400, "invalid_request_error", null, message);
  const [account, ifsc, name, phone] = ["bank_account", "ifsc", "name", "phone"].map((each) => textOf(fields, each));
  if (account === "") return wrong("bank_account is missing in the request.");
  if (!/^[A-Za-z0-9]*$/.test(account!)) return wrong("bank_account should be alphanumeric.");
  if (account!.length < 6) return wrong("bank_account should include a minimum of 6 characters.");
  if (account!.length > 40) return wrong("bank_account can include a maximum of 40 characters.");
  if (!/^[A-Z]{4}0[A-Z0-9]{6}$/.test(ifsc!))
    return wrong("ifsc should be of 11 characters and 5th character should be 0.");
  if (!/^[A-Za-z0-9 .&/-]{0,100}$/.test(name!)) return wrong("name should not include special characters.");
  if (fields.phone !== undefined && !/^[0-9]{8,13}$/.test(phone!)) return wrong("phone should be numeric.");
  return null;
}

/** An answer about an account. Its own score of the names is one that nobody should rely on. */
function verificationBody({ number, ifsc, check }: CheckedAccount): object {
  const said = { reference_id: number, bank_name: `Bank ${ifsc.slice(0, 4)}`, city: "", micr: 0n };
  if (check === null) return { ...said, account_status: "INVALID", account_status_code: "BENEFICIARY_BANK_OFFLINE" };
  if (check.status === "pending")
    return { ...said, account_status: "RECEIVED", account_status_code: "VALIDATION_IN_PROGRESS" };
  if (check.status === "invalid")
    return { ...said, account_status: "INVALID", account_status_code: check.reason.split(":")[0] };
  return {
    ...said,
    name_at_bank: check.nameAtBank,
    branch: check.branch,
    utr: check.utr,
    name_match_score: "90.00",
    name_match_result: "GOOD_PARTIAL_MATCH",
    account_status: "VALID",
    account_status_code: "ACCOUNT_IS_VALID",
  };
}
