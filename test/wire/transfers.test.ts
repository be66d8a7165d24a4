// Transfers over real HTTP: the answer, the record, references, modes and limits. Amounts, sandbox accounts, twins and
// other merchants have files of their own.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settledToday } from "../support/days.ts";
import { expectNoChange } from "../support/expect-wire.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";

const TIMESTAMP = /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/;
const ID = /^[0-9]{1,16}$/;

let installation: Installation;
let merchant: TestMerchant;
let bankOnly: string;
let upiOnly: string;
let both: string;

beforeAll(async () => {
  installation = await Installation.shared();
  merchant = await installation.newMerchant({ fund: "100000000.00" });
  bankOnly = await merchant.addBeneficiary(GOOD_ACCOUNT);
  upiOnly = await merchant.addBeneficiary({ upi: "success@upi" });
  both = await merchant.addBeneficiary({ account_number: "00011020001772", ifsc: "HDFC0000001", upi: "both@okbank" });
});
afterAll(() => installation.stop());

describe("a transfer", () => {
  test("answers with its id and outcome, and its record reads back by both ids", async () => {
    const saver = await installation.newMerchant({ fund: "1000.00" });
    const beneficiary_id = await saver.addBeneficiary();
    const body = {
      beneficiary_id,
      amount: "250.75",
      reference_id: "INV-1",
      mode: "banktransfer",
      narrative: "Invoice 1",
    };
    const answer = await saver.transfer(body);
    expect(answer.body).toStrictEqual({
      success: "The transfer was successful.",
      status: "1",
      transfer_status: "SUCCESS",
      utr_number: expect.stringMatching(/^[0-9]{12}$/) as string,
      transfer_id: expect.stringMatching(ID) as string,
    });
    expect(answer.status).toBe(200);
    const { transfer_id, utr_number } = answer.body as { transfer_id: string; utr_number: string };
    const byId = await saver.status("transferid", transfer_id);
    expect(byId.body).toStrictEqual({
      status: "1",
      success: {
        transfer: {
          transferId: transfer_id,
          referenceId: "INV-1",
          bankAccount: GOOD_ACCOUNT.account_number,
          beneId: beneficiary_id,
          amount: "250.75",
          status: "SUCCESS",
          utr: utr_number,
          addedOn: expect.stringMatching(TIMESTAMP) as string,
          processedOn: expect.stringMatching(TIMESTAMP) as string,
          acknowledged: 1,
        },
      },
    });
    expect((await saver.status("referenceid", "INV-1")).body).toStrictEqual(byId.body);
    const balance = { balance: "749.25", status: "1", ledger_balance: "749.25", available_balance: "749.25" };
    expect((await saver.balance()).body).toStrictEqual(balance);
  });

  test("is stamped in the merchant's time zone", async () => {
    const { body } = await merchant.transfer({ beneficiary_id: bankOnly, amount: 1, reference_id: "when" });
    const { addedOn } = await merchant.record(body.transfer_id as string);
    const added = Temporal.PlainDateTime.from(addedOn as string)
      .toZonedDateTime("Asia/Kolkata")
      .toInstant();
    expect(Math.abs(Temporal.Now.instant().epochMilliseconds - added.epochMilliseconds)).toBeLessThan(30_000);
  });

  test("takes numbers for strings and strings for numbers", async () => {
    const body = { beneficiary_id: Number(bankOnly), amount: "100", reference_id: 20260001, mode: "", narrative: null };
    const first = await merchant.transfer(body);
    expect(first.body).toMatchObject({ status: "1", transfer_status: "SUCCESS" });
    const again = await merchant.transfer({ beneficiary_id: bankOnly, amount: 100, reference_id: "20260001" });
    expect(again.body).toStrictEqual(first.body);
  });

  test("names every failing field at once, and changes nothing", async () => {
    await expectNoChange(merchant, async () => {
      const refused: [Members, string[]][] = [
        [
          { beneficiary_id: "abc", amount: -5, reference_id: "", mode: "cheque", narrative: "x".repeat(101) },
          [
            "beneficiary_id invalid",
            "amount invalid",
            "reference_id required",
            "mode not_allowed",
            "narrative too_long",
          ],
        ],
        [{ beneficiary_id: bankOnly, amount: "1.00", reference_id: "r".repeat(65) }, ["reference_id too_long"]],
        [{ beneficiary_id: bankOnly, amount: "1.00", reference_id: "a\u0007b" }, ["reference_id invalid"]],
        [{ beneficiary_id: bankOnly, amount: "1.00", reference_id: { a: 1 } }, ["reference_id invalid"]],
        [{ beneficiary_id: bankOnly, amount: "1.00", reference_id: 1.5 }, ["reference_id invalid"]],
        [{ beneficiary_id: bankOnly, amount: "1.00", reference_id: "r", narrative: "a\nb" }, ["narrative invalid"]],
        [
          { beneficiary_id: [bankOnly], amount: "1.00", reference_id: "r", mode: 7 },
          ["beneficiary_id invalid", "mode invalid"],
        ],
      ];
      for (const [body, fields] of refused) {
        expect(await merchant.transfer(body)).toBeRefusal({ status: 400, code: "validation_failed", fields });
      }
    });
  });

  test("to no beneficiary is refused", async () => {
    await expectNoChange(merchant, async () => {
      for (const beneficiary_id of ["1", "9999999999999999", 0]) {
        const answer = await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "to-nobody" });
        expect(answer).toBeRefusal({ status: 404, code: "beneficiary_not_found" });
      }
    });
  });

  test("of more than there is is refused, and uses its reference up as little as any refusal", async () => {
    const saver = await installation.newMerchant({ fund: "10.00" });
    const beneficiary_id = await saver.addBeneficiary();
    const refusedBodies: [Members, number, string, string[]?][] = [
      [{ beneficiary_id, amount: "10.01" }, 422, "insufficient_balance"],
      [{ beneficiary_id: "1", amount: "1.00" }, 404, "beneficiary_not_found"],
      [{ beneficiary_id, amount: "1.001" }, 400, "validation_failed", ["amount invalid"]],
      [{ beneficiary_id, amount: "1.00", mode: "upi" }, 400, "validation_failed", ["mode not_allowed"]],
    ];
    await expectNoChange(saver, async () => {
      for (const [body, status, code, fields] of refusedBodies) {
        const answer = await saver.transfer({ ...body, reference_id: "R-1" });
        expect(answer).toBeRefusal({ status, code, ...(fields ? { fields } : {}) });
      }
    });
    expect(await saver.status("referenceid", "R-1")).toBeRefusal({ status: 404, code: "transfer_not_found" });
    const answer = await saver.transfer({ beneficiary_id, amount: "10.00", reference_id: "R-1" });
    expect(answer.body).toMatchObject({ transfer_status: "SUCCESS" });
    expect(await saver.available()).toBe("0.00");
  });
});

describe("a reference", () => {
  test("sent again answers with the first transfer and moves no money", async () => {
    const body = { beneficiary_id: bankOnly, amount: "12.50", reference_id: "again" };
    const first = await merchant.transfer({ ...body, narrative: "first" });
    await expectNoChange(merchant, async () => {
      for (const repeat of [body, { ...body, mode: "banktransfer", narrative: "another" }, { ...body, amount: 12.5 }]) {
        const again = await merchant.transfer(repeat);
        expect(again.status).toBe(200);
        expect(again.body).toStrictEqual(first.body);
        expect(again.headers.get("idempotent-replayed")).toBeNull();
      }
    });
  });

  test("for anything else is a conflict", async () => {
    const body = { beneficiary_id: both, amount: "12.50", reference_id: "conflict" };
    const { body: first } = await merchant.transfer(body);
    const others: Members[] = [
      { amount: "12.51" },
      { beneficiary_id: bankOnly },
      { mode: "upi" },
      { mode: "upi", beneficiary_id: upiOnly },
    ];
    await expectNoChange(merchant, async () => {
      for (const other of others) {
        const details = { transfer_id: first.transfer_id as string };
        expect(await merchant.transfer({ ...body, ...other })).toBeRefusal({
          status: 409,
          code: "reference_conflict",
          details,
        });
      }
    });
  });

  const references: [string, unknown, number | string][] = [
    ["a word", "INV-001/26", "INV-001/26"],
    ["a number in a string", "42", 42],
    ["a number", 43, 43],
    ["zero", "0", 0],
    ["a leading zero", "007", "007"],
    ["the largest exact integer", "9007199254740991", 9007199254740991],
    ["an integer that a double can't hold", "9007199254740993", "9007199254740993"],
    ["a negative number", "-5", "-5"],
    ["a fraction", "1.0", "1.0"],
    ["an exponent", "1e5", "1e5"],
    ["spaces around it", "  padded 1 ", "padded 1"],
    ["other scripts", "चालान-१", "चालान-१"],
    ["64 characters", "😀".repeat(64), "😀".repeat(64)],
    ["what a path must escape", "a/b?c=d&e#f%20 g", "a/b?c=d&e#f%20 g"],
  ];
  test.each(references)("of %s is kept and found", async (_what, sent, shown) => {
    const answer = await merchant.transfer({ beneficiary_id: bankOnly, amount: "1.00", reference_id: sent });
    expect(answer.status).toBe(200);
    const { body } = await merchant.status("referenceid", String(sent));
    expect(body.success.transfer).toMatchObject({ referenceId: shown, transferId: answer.body.transfer_id as string });
  });

  test("is a different one in another case or with a leading zero", async () => {
    const send = async (reference_id: unknown) =>
      (await merchant.transfer({ beneficiary_id: bankOnly, amount: "1.00", reference_id })).body.transfer_id as string;
    const ids = [await send("Case"), await send("case"), await send("8"), await send("08"), await send("8.0")];
    expect(new Set(ids).size).toBe(5);
    // As JSON numbers, 8 and 8.0 are the same.
    expect(await send(8)).toBe(ids[2]);
  });
});

describe("the mode", () => {
  test("is a bank transfer for a beneficiary with both, unless UPI is asked for", async () => {
    const byDefault = await merchant.transfer({ beneficiary_id: both, amount: "1.00", reference_id: "mode-default" });
    expect(await merchant.record(byDefault.body.transfer_id as string)).toMatchObject({
      bankAccount: "00011020001772",
    });
    const upi = await merchant.transfer({
      beneficiary_id: both,
      amount: "1.00",
      reference_id: "mode-upi",
      mode: "upi",
    });
    const record = await merchant.record(upi.body.transfer_id as string);
    expect(record).toMatchObject({ bankAccount: "", beneId: both, status: "SUCCESS" });
    expect(record["utr"]).toMatch(/^[0-9]{12}$/);
  });

  test("is UPI for a beneficiary with only a handle", async () => {
    const { body } = await merchant.transfer({ beneficiary_id: upiOnly, amount: "1.00", reference_id: "only-upi" });
    expect(body).toMatchObject({ transfer_status: "SUCCESS" });
    expect(await merchant.record(body.transfer_id as string)).toMatchObject({ bankAccount: "", beneId: upiOnly });
  });

  test("that the beneficiary has no way to be paid by is refused", async () => {
    await expectNoChange(merchant, async () => {
      for (const [beneficiary_id, mode] of [
        [bankOnly, "upi"],
        [upiOnly, "banktransfer"],
      ]) {
        const answer = await merchant.transfer({ beneficiary_id, mode, amount: "1.00", reference_id: "no-way" });
        expect(answer).toBeRefusal({ status: 400, code: "validation_failed", fields: ["mode not_allowed"] });
      }
    });
  });
});

describe("limits", () => {
  test("UPI carries 1,00,000.00 and not a paisa more", async () => {
    const body = { beneficiary_id: both, mode: "upi" };
    const most = await merchant.transfer({ ...body, amount: "100000.00", reference_id: "upi-most" });
    expect(most.body).toMatchObject({ transfer_status: "SUCCESS" });
    await expectNoChange(merchant, async () => {
      const more = await merchant.transfer({ ...body, amount: "100000.01", reference_id: "upi-more" });
      expect(more).toBeRefusal({ status: 422, code: "limit_exceeded" });
    });
  });

  test("IMPS carries 5,00,000.00, and RTGS what is above", async () => {
    const today = (await settledToday()).toString().replaceAll("-", "");
    const most = await merchant.transfer({ beneficiary_id: bankOnly, amount: "500000.00", reference_id: "imps-most" });
    expect(most.body.utr_number).toMatch(/^[0-9]{12}$/);
    const more = await merchant.transfer({ beneficiary_id: bankOnly, amount: "500000.01", reference_id: "rtgs" });
    expect(more.body.utr_number).toMatch(new RegExp(`^[A-Z]{4}RC${today}[0-9]{8}$`));
  });
});

describe("the status", () => {
  test("of an id that is not there, or not of that kind, is not found", async () => {
    const { body } = await merchant.transfer({ beneficiary_id: bankOnly, amount: "1.00", reference_id: "kinds" });
    const unknown = [
      ["transferid", "1"],
      ["transferid", "kinds"],
      ["transferid", "99999999999999999999"],
      ["transferid", "-1"],
      ["referenceid", body.transfer_id as string],
      ["referenceid", "KINDS"],
      ["referenceid", "'"],
    ] as const;
    for (const [type, id] of unknown) {
      expect(await merchant.status(type, id)).toBeRefusal({ status: 404, code: "transfer_not_found" });
    }
  });

  test("of an unknown type or with an impossible id is refused", async () => {
    const path = "/api/v1/payout/transferstatus";
    const type = await merchant.get(`${path}/utr/1`);
    expect(type).toBeRefusal({ status: 400, code: "validation_failed", fields: ["type not_allowed"] });
    const long = await merchant.get(`${path}/referenceid/${"r".repeat(65)}`);
    expect(long).toBeRefusal({ status: 400, code: "validation_failed", fields: ["id too_long"] });
    const control = await merchant.get(`${path}/referenceid/a%00b`);
    expect(control).toBeRefusal({ status: 400, code: "validation_failed", fields: ["id invalid"] });
    expect([400, 404]).toContain((await merchant.get(`${path}/referenceid/%E0%A4`)).status);
  });
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
