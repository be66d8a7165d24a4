// Tests of the sandbox accounts and of the rule for every other payee.
import { expect, test } from "vitest";
import type { RailMode } from "./rail.ts";
import { decideOutcome } from "./simulator-outcome.ts";

function outcomeOf(to: { account?: string; ifsc?: string; upi?: string }, isDeclined = false): string {
  const mode: RailMode = to.upi === undefined ? "IMPS" : "UPI";
  const payee = { name: "Asha", accountNumber: to.account ?? null, ifsc: to.ifsc ?? null, upi: to.upi ?? null };
  const instruction = { transferId: 1n, bucket: 1, merchantId: 1n, amountPaise: 100n, mode, payee, narrative: "" };
  const { status, reason, next, holdsAnswer } = decideOutcome(instruction, isDeclined);
  const words = [status, reason?.split(":")[0], next && `then ${next.status}`, holdsAnswer && "held"];
  return words.filter(Boolean).join(" ");
}

test.each([
  ["026291800001191", "YESB0000262", "SUCCESS"],
  ["00011020001772", "HDFC0000001", "SUCCESS"],
  ["1233943142", "ICIC0000009", "SUCCESS"],
  ["000890289871772", "SCBL0036078", "SUCCESS"],
  ["000100289877623", "SBIN0008752", "SUCCESS"],
  ["2640101002729", "CNRR0002640", "FAILED INVALID_IFSC_FAIL"],
  ["1234567890", "ICIC0000001", "FAILED INVALID_IFSC_FAIL"],
  ["026291800001190", "YESB0000262", "FAILED INVALID_ACCOUNT_FAIL"],
  ["234005000876", "ICIC0000007", "FAILED INVALID_ACCOUNT_FAIL"],
  ["007711000031", "HDFC0000077", "PENDING"],
  ["00224412311300", "YESB0000001", "PENDING then SUCCESS"],
  ["7766666351000", "YESB0000001", "PENDING then FAILED"],
  ["7766671735000", "SBIN0000004", "SUCCESS then REVERSED"],
  ["02014457596969", "CITI0000001", "SUCCESS then REVERSED"],
  ["34978321547298", "KKBK0000001", "PENDING then SUCCESS held"],
])("sandbox account %s / %s: %s", (account, ifsc, expected) => {
  expect(outcomeOf({ account, ifsc })).toBe(expected);
});

test("UPI handles are matched whatever their case", () => {
  expect(outcomeOf({ upi: "success@upi" })).toBe("SUCCESS");
  expect(outcomeOf({ upi: "failure@upi" })).toBe("FAILED BENE_BANK_DECLINED");
  expect(outcomeOf({ upi: "Failure@UPI" })).toBe("FAILED BENE_BANK_DECLINED");
});

test("a sandbox account at another IFSC is an account like any other", () => {
  expect(outcomeOf({ account: "1234567890", ifsc: "HDFC0000001" })).toBe("SUCCESS");
});

test("any other well-formed payee succeeds, a malformed one fails", () => {
  expect(outcomeOf({ account: "50100012345678", ifsc: "HDFC0001234" })).toBe("SUCCESS");
  expect(outcomeOf({ upi: "asha@okbank" })).toBe("SUCCESS");
  expect(outcomeOf({ account: "12", ifsc: "HDFC0001234" })).toBe("FAILED INVALID_ACCOUNT_FAIL");
  expect(outcomeOf({ account: "50100012345678", ifsc: "HDFC1001234" })).toBe("FAILED INVALID_IFSC_FAIL");
  expect(outcomeOf({ upi: "asha" })).toBe("FAILED INVALID_ACCOUNT_FAIL");
});

test("a declined payment fails at every account", () => {
  expect(outcomeOf({ account: "026291800001191", ifsc: "YESB0000262" }, true)).toBe("FAILED BENE_BANK_DECLINED");
});
