// Errors of the server in the dashboard's words, and the amounts and dates in them.
import { expect, test } from "vitest";
import { roundRupees } from "../../web/src/format/money.ts";
import { inPlainWords, sayOfField, sayRefusal, withoutPath } from "../../web/src/format/refusal.ts";
import { dayOfWeek } from "../../web/src/format/time.ts";
import { listed, validationError, type NodalError } from "../../src/platform/errors.ts";

/** The error as a page gets it. */
function received({ code, message, errors }: NodalError) {
  const fields = Object.fromEntries(errors.map(listed).map((each) => [each.field, each.message]));
  return { code, message, fields };
}

test("a refused field is named as its form names it, and the API's sentence is not shown", () => {
  const error = received(
    validationError([
      { field: "invoice.due_date", code: "invalid", problem: "must not be before bill_date." },
      { field: "to", code: "invalid", problem: "The end date can't be before the start date." },
      { field: "amount", code: "required", problem: ": there is none." },
    ]),
  );
  expect(error.message).toContain("Correct these fields and send the request again: invoice.due_date, to, amount.");
  expect(sayRefusal(error)).toBe(
    "Due date must not be before invoice date. The end date can't be before the start date. Amount: there is none.",
  );
});

test("an error that names a route, a field or a command has a sentence of the dashboard", () => {
  const said = (code: string, message: string) => sayRefusal({ code, message });
  expect(said("invoice_not_found", "Use an invoice_id from invoice/save.")).toBe(
    "Invoice not found. Look for it in the list.",
  );
  expect(said("access_denied", "Your role does not allow this: it needs the permission payouts.transfer.")).toBe(
    "Your role does not allow this: it needs the permission “Make transfers”.",
  );
  expect(said("no_payout_provider", "Connect one under Payout accounts, or with `nodal provider connect`.")).toBe(
    "Connect one under Payout accounts.",
  );
  expect(said("unreachable", "")).toBe("Can't reach the server. Check your connection and try again.");
});

test("at a field, what every field says is said in the words of forms", () => {
  expect(sayOfField("is required: it must be text of 1 to 45 characters.")).toBe("Required.");
  expect(sayOfField("must be at most 45 characters long.")).toBe("Use at most 45 characters.");
  expect(sayOfField("must be a date that exists.")).toBe("Must be a date that exists.");
  expect(sayOfField("must not be before bill_date.")).toBe("Must not be before invoice date.");
  const fields = { account: "account is required: it must be text of 1 to 60 characters." };
  expect(sayRefusal({ code: "validation_failed", message: "Correct these fields.", fields })).toBe(
    "Account is required.",
  );
});

test("other words with an underscore or a point stay as they are", () => {
  for (const text of ["Reference pay_2611 was used.", "Write to asha@example.com about 1.5 %.", "It ends at 17:00."]) {
    expect(inPlainWords(text)).toBe(text);
  }
  expect(withoutPath("invoice.franchise_id: there is no such franchise.")).toBe("There is no such franchise.");
});

test("limits are said without paise, and a day with its weekday", () => {
  expect([roundRupees("2500000.00"), roundRupees("1500.50")]).toEqual(["₹25,00,000", "₹1,500.50"]);
  expect(dayOfWeek("2026-11-26")).toBe("Thu, 26\u00a0Nov\u00a02026");
  expect(dayOfWeek("2026-11-29")).toBe("Sun, 29\u00a0Nov\u00a02026");
});
