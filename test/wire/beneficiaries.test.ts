// Beneficiaries over real HTTP: save, list, detail. Other merchants are in isolation.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectNoChange } from "../support/expect-wire.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";

const TIMESTAMP = /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/;
const DETAIL = "/api/v1/beneficiary/detail";

/** A request with every field, as a caller would write it. */
const SAMPLE = {
  name: "Rajeev Kumar",
  email_id: "rajeev@example.com",
  mobile: "9730946150",
  account_number: "00789101112",
  ifsc: "HDFC0000789",
  upi: "",
  address: "123, Main Street",
  city: "Pune",
  state: "Maharashtra",
  pincode: "411038",
};

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

async function savedRecord(merchant: TestMerchant, id: string): Promise<Members> {
  const { body } = await merchant.list();
  return (body.success as Members[]).find((record) => record["beneficiary_id"] === id)!;
}

describe("save", () => {
  test("answers with the new id, and the record reads back by list and by detail", async () => {
    const merchant = await installation.newMerchant();
    const saved = await merchant.save(SAMPLE);
    expect(saved.body).toStrictEqual({
      success: expect.stringMatching(/saved/) as string,
      status: "1",
      beneficiary_id: expect.stringMatching(/^[0-9]{1,16}$/) as string,
    });
    expect(saved.status).toBe(200);
    const record = {
      beneficiary_id: saved.body.beneficiary_id as string,
      merchant_id: merchant.id,
      type: "Vendor",
      name: "Rajeev Kumar",
      email_id: "rajeev@example.com",
      mobile: "9730946150",
      address: "123, Main Street",
      city: "Pune",
      state: "Maharashtra",
      zipcode: "411038",
      bank_account_no: "00789101112",
      ifsc_code: "HDFC0000789",
      upi: "",
      created_date: expect.stringMatching(TIMESTAMP) as string,
    };
    expect((await merchant.list()).body).toStrictEqual({ success: [record], status: "1", total_records: 1 });
    const detail = await merchant.post(DETAIL, { account_number: "00789101112", ifsc: "HDFC0000789" });
    expect(detail.body).toStrictEqual({ success: record, status: "1" });
  });

  test("takes numbers where the fields are digits, and folds an IFSC up", async () => {
    const merchant = await installation.newMerchant();
    const numbers = { ...SAMPLE, mobile: 9730946150, account_number: 789101112, pincode: 411038, ifsc: "hdfc0000789" };
    const id = await merchant.addBeneficiary(numbers);
    const expected = {
      mobile: "9730946150",
      bank_account_no: "789101112",
      zipcode: "411038",
      ifsc_code: "HDFC0000789",
    };
    expect(await savedRecord(merchant, id)).toMatchObject(expected);
    const detail = await merchant.post(DETAIL, { account_number: 789101112, ifsc: " hdfc0000789 " });
    expect(detail.body.success.beneficiary_id).toBe(id);
  });

  test("needs only a name and an account, or a name and a handle", async () => {
    const merchant = await installation.newMerchant();
    const byAccount = await merchant.addBeneficiary(GOOD_ACCOUNT);
    const byHandle = await merchant.addBeneficiary({
      upi: "success@upi",
      email_id: null,
      account_number: "",
      ifsc: "",
    });
    const empty = { email_id: "", mobile: "", address: "", city: "", state: "", zipcode: "" };
    expect(await savedRecord(merchant, byAccount)).toMatchObject({ ...empty, upi: "" });
    const noBank = { bank_account_no: "", ifsc_code: "", upi: "success@upi" };
    expect(await savedRecord(merchant, byHandle)).toMatchObject({ ...empty, ...noBank });
  });

  test("keeps odd Unicode as it is, and trims", async () => {
    const merchant = await installation.newMerchant();
    const names = [
      "अनुष्का शर्मा",
      "ஸ்ரீனிவாசன்",
      "O’Brien & Søn “Ltd” <b>",
      "👩🏽‍🌾 Farm",
      "مُحَمَّد",
      "Zoe\u0308",
      "'; drop table merchant; --",
      "100%",
    ];
    for (const [index, name] of names.entries()) {
      const account_number = `5000000${index}`;
      const id = await merchant.addBeneficiary({ name: `  ${name}\u00a0 `, account_number, ifsc: "HDFC0000001" });
      expect((await savedRecord(merchant, id))["name"]).toBe(name);
    }
    const long = "😀".repeat(100);
    const id = await merchant.addBeneficiary({ name: long, upi: "long@upi" });
    expect((await savedRecord(merchant, id))["name"]).toBe(long);
  });

  test("names every failing field at once, and saves nothing", async () => {
    const merchant = await installation.newMerchant();
    const body = {
      name: "",
      email_id: "no at sign",
      mobile: "12345",
      account_number: "12",
      ifsc: "HDFC1234567",
      upi: "no-at",
      address: "x".repeat(501),
      city: "Pu\u0000ne",
      state: ["Maharashtra"],
      pincode: "4110",
    };
    await expectNoChange(merchant, async () => {
      expect(await merchant.save(body)).toBeRefusal({
        status: 400,
        code: "validation_failed",
        fields: [
          "name required",
          "email_id invalid",
          "mobile invalid",
          "account_number invalid",
          "ifsc invalid",
          "upi invalid",
          "address too_long",
          "city invalid",
          "state invalid",
          "pincode invalid",
        ],
      });
    });
  });

  const refusedFields: [string, Members, string[]][] = [
    ["neither account nor handle", { name: "A" }, ["account_number required", "ifsc required"]],
    ["an account without its IFSC", { name: "A", account_number: "123456" }, ["ifsc required"]],
    ["an IFSC without an account", { name: "A", ifsc: "HDFC0000001" }, ["account_number required"]],
    ["half an account beside a handle", { name: "A", upi: "a@upi", ifsc: "HDFC0000001" }, ["account_number required"]],
    ["a name of spaces", { name: " \u00a0 ", ...GOOD_ACCOUNT }, ["name required"]],
    ["a name of joiners", { name: "\u200d\u200b", ...GOOD_ACCOUNT }, ["name invalid"]],
    ["a name with a line feed", { name: "A\nB", ...GOOD_ACCOUNT }, ["name invalid"]],
    ["a name with half a surrogate pair", { name: "A\ud800", ...GOOD_ACCOUNT }, ["name invalid"]],
    ["a name that is too long", { name: "😀".repeat(101), ...GOOD_ACCOUNT }, ["name too_long"]],
    ["a name that is a number", { name: 5, ...GOOD_ACCOUNT }, ["name invalid"]],
    ["Devanagari digits", { name: "A", account_number: "१२३४५", ifsc: "HDFC0000001" }, ["account_number invalid"]],
    ["nothing at all", {}, ["name required", "account_number required", "ifsc required"]],
    [
      "an empty name without an account",
      { name: "", mobile: "1", upi: "" },
      ["name required", "mobile invalid", "account_number required", "ifsc required"],
    ],
    ["an account without its IFSC", { name: "", account_number: "12345" }, ["name required", "ifsc required"]],
    ["an IFSC without its account", { ifsc: "HDFC0000001" }, ["name required", "account_number required"]],
    ["a bad handle for an account", { name: "", upi: "asha" }, ["name required", "upi invalid"]],
    ["36 digits", { name: "A", account_number: "1".repeat(36), ifsc: "HDFC0000001" }, ["account_number too_long"]],
  ];
  test.each(refusedFields)("refuses %s", async (_what, body, fields) => {
    const merchant = await installation.newMerchant();
    await expectNoChange(merchant, async () => {
      expect(await merchant.save(body)).toBeRefusal({ status: 400, code: "validation_failed", fields });
    });
  });

  test("refuses an account or a handle that is saved already, and names who has it", async () => {
    const merchant = await installation.newMerchant();
    const byAccount = await merchant.addBeneficiary(GOOD_ACCOUNT);
    const byHandle = await merchant.addBeneficiary({ upi: "asha@upi" });
    const again: [Members, string][] = [
      [{ name: "Another", ...GOOD_ACCOUNT }, byAccount],
      [{ name: "Another", account_number: GOOD_ACCOUNT.account_number, ifsc: "yesb0000262" }, byAccount],
      [{ name: "Another", upi: "ASHA@upi" }, byHandle],
      [{ name: "Another", upi: "asha@upi", account_number: "987654", ifsc: "HDFC0000001" }, byHandle],
    ];
    await expectNoChange(merchant, async () => {
      for (const [body, beneficiary_id] of again) {
        const details = { beneficiary_id };
        expect(await merchant.save(body)).toBeRefusal({ status: 409, code: "beneficiary_exists", details });
      }
    });
    // The same number at another bank is another account, and a leading zero makes another number.
    await merchant.addBeneficiary({ ...GOOD_ACCOUNT, ifsc: "HDFC0000001" });
    await merchant.addBeneficiary({ ...GOOD_ACCOUNT, account_number: `0${GOOD_ACCOUNT.account_number}` });
  });

  test("saves one of 50 that arrive together with the same account", async () => {
    const merchant = await installation.newMerchant();
    const body = { name: "Twin", ...GOOD_ACCOUNT };
    const answers = await Promise.all(Array.from({ length: 50 }, () => merchant.save(body)));
    const saved = answers.filter((answer) => answer.status === 200);
    expect(saved).toHaveLength(1);
    const details = { beneficiary_id: saved[0]!.body.beneficiary_id as string };
    for (const answer of answers.filter((one) => one.status !== 200)) {
      expect(answer).toBeRefusal({ status: 409, code: "beneficiary_exists", details });
    }
  });
});

describe("list", () => {
  test("answers an empty list, then pages in id order", async () => {
    const merchant = await installation.newMerchant();
    expect((await merchant.list()).body).toStrictEqual({ success: [], status: "1", total_records: 0 });
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) ids.push(await merchant.addBeneficiary({ upi: `payee${index}@upi` }));
    const inOrder = ids.toSorted((a, b) => Number(BigInt(a) - BigInt(b)));
    const page = async (query: string) => {
      const { status, body } = await merchant.list(query);
      expect(status).toBe(200);
      expect(body.total_records).toBe(7);
      return (body.success as Members[]).map((record) => record["beneficiary_id"]);
    };
    expect(await page("")).toEqual(inOrder);
    expect(await page("?limit=3")).toEqual(inOrder.slice(0, 3));
    expect(await page("?page=2&limit=3")).toEqual(inOrder.slice(3, 6));
    expect(await page("?page=3&limit=3")).toEqual(inOrder.slice(6));
    expect(await page("?page=4&limit=3")).toEqual([]);
    expect(await page("?page=&limit=")).toEqual(inOrder);
    expect(await page("?unknown=1&limit=1000")).toEqual(inOrder);
  });

  test.each([
    ["?limit=1001", ["limit invalid"]],
    ["?limit=0&page=0", ["limit invalid", "page invalid"]],
    ["?page=-1", ["page invalid"]],
    ["?page=1.5&limit=x", ["limit invalid", "page invalid"]],
    ["?page=1&page=2", ["page invalid"]],
  ])("refuses %s", async (query, fields) => {
    const merchant = await installation.newMerchant();
    expect(await merchant.list(query)).toBeRefusal({ status: 400, code: "validation_failed", fields });
  });
});

describe("detail", () => {
  test("refuses what is no account, and says when there is none", async () => {
    const merchant = await installation.newMerchant();
    expect(await merchant.post(DETAIL, {})).toBeRefusal({
      status: 400,
      code: "validation_failed",
      fields: ["account_number required", "ifsc required"],
    });
    expect(await merchant.post(DETAIL, { account_number: "1!", ifsc: "x" })).toBeRefusal({
      status: 400,
      code: "validation_failed",
      fields: ["account_number invalid", "ifsc invalid"],
    });
    const unknown = await merchant.post(DETAIL, { account_number: "99887766", ifsc: "HDFC0000001" });
    expect(unknown).toBeRefusal({ status: 404, code: "beneficiary_not_found" });
  });
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
