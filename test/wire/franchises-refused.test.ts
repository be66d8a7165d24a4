// Refusals to save a franchise over real HTTP: every field, the rules between them, and what must be unique. What a
// good one does is in franchises.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectNoChange } from "../support/expect-wire.ts";
import { FRANCHISE_LEAST as LEAST, FRANCHISE_SAMPLE as SAMPLE } from "../support/franchises.ts";
import { Installation, type Members, type TestMerchant } from "../support/installation.ts";
import type { Answer } from "../support/nodal.ts";

const SAVE = "/api/v1/franchise/save";
const DELETE = "/api/v1/franchise/delete";

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

async function saved(merchant: TestMerchant, body: Members): Promise<string> {
  const answer = await merchant.post(SAVE, body);
  if (answer.status !== 200) throw new Error(`not saved: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.franchise_id as string;
}

function messageOf(answer: Answer, field: string): string {
  const { errors } = answer.body as { errors: { field: string; message: string }[] };
  return errors.find((error) => error.field === field)!.message;
}

describe("fields", () => {
  test("refuses every failing field at once, also those that only the merchant's data can tell", async () => {
    const merchant = await installation.newMerchant();
    await saved(merchant, { ...SAMPLE, login_email: "all-at-once@example.com" });
    const body = {
      ...SAMPLE,
      franchise_code: "",
      franchise_name: "",
      contact_person_name: "x".repeat(101),
      email_id: "no at sign",
      mobile: "12345",
      pan_number: "AAACI12345",
      aadhar_number: "12341234123",
      gst_number: "33BRSPP2039T1Z",
      zipcode: "4110",
      enable_online_settlement: "yes",
      commission: "100.01",
      settlement_type: "Weekly",
      account_type: "Savings",
      ifsc: "HDFC1234567",
      login_email: "ALL-at-once@example.com",
      password: "short",
      role_name: "Emperor",
    };
    await expectNoChange(merchant, async () => {
      const answer = await merchant.post(SAVE, body);
      expect(answer).toBeRefusal({
        status: 400,
        code: "validation_failed",
        fields: [
          "franchise_code required",
          "franchise_name required",
          "contact_person_name too_long",
          "email_id invalid",
          "mobile invalid",
          "pan_number invalid",
          "aadhar_number invalid",
          "gst_number invalid",
          "zipcode invalid",
          "enable_online_settlement not_allowed",
          "commission invalid",
          "settlement_type not_allowed",
          "account_type not_allowed",
          "ifsc invalid",
          "login_email not_allowed",
          "password invalid",
          "role_name not_allowed",
        ],
      });
      expect(messageOf(answer, "role_name")).toMatch(/Franchise, Manager, Viewer/);
    });
  });

  test("requires what online settlement and a login need", async () => {
    const merchant = await installation.newMerchant();
    const answer = await merchant.post(SAVE, { ...LEAST, enable_online_settlement: 1, enable_franchise_login: "1" });
    expect(answer).toBeRefusal({
      status: 400,
      code: "validation_failed",
      fields: [
        "bank_holder_name required",
        "account_number required",
        "bank_name required",
        "account_type required",
        "ifsc required",
        "login_email required",
        "password required",
        "role_name required",
      ],
    });
  });

  test.each([
    [{ account_number: "5550001" }, ["ifsc required"]],
    [{ ifsc: "HDFC0000001" }, ["account_number required"]],
    [{ commission_type: "Percentage", commission: "12.345" }, ["commission invalid"]],
    [{ commission_type: "Percentage", commission: -1 }, ["commission invalid"]],
    [{ commission_type: "Percentage", commission: "100.00" }, []],
    [{ commission_type: "Fixed", commission: "100.01" }, []],
    [{ commission_type: "Share", commission: "" }, ["commission_type not_allowed", "commission required"]],
    [{ password: "1234567" }, ["password invalid"]],
    [{ enable_online_settlement: 2 }, ["enable_online_settlement not_allowed"]],
  ])("%j", async (fields, failing) => {
    const merchant = await installation.newMerchant();
    const answer = await merchant.post(SAVE, { ...LEAST, ...fields });
    if (failing.length === 0) expect(answer).toMatchObject({ status: 200 });
    else expect(answer).toBeRefusal({ status: 400, code: "validation_failed", fields: failing });
  });

  test.each([["[]"], ["null"], ['"text"'], ["{"], [""]])("a body that is no object is refused: %s", async (body) => {
    const merchant = await installation.newMerchant();
    expect((await merchant.post(SAVE, body)).status).toBe(400);
  });
});

describe("at once", () => {
  test("a code is one live franchise's, also when many are saved at once", async () => {
    const [merchant, other] = [await installation.newMerchant(), await installation.newMerchant()];
    const answers = await Promise.all(Array.from({ length: 10 }, () => merchant.post(SAVE, LEAST)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toBeRefusal({ status: 409, code: "franchise_code_exists" });
    }
    await saved(other, LEAST);
    const id = answers.find(({ status }) => status === 200)!.body.franchise_id as string;
    await merchant.post(DELETE, { franchise_id: id });
    await saved(merchant, LEAST);
  });

  test("a login e-mail is one franchise's of a merchant, whoever has it at others, also when many are saved at once", async () => {
    const merchants = await Promise.all(Array.from({ length: 6 }, () => installation.newMerchant()));
    const body = { ...SAMPLE, login_email: "one@example.com" };
    const answers = await Promise.all(merchants.map((merchant) => merchant.post(SAVE, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const [merchant] = merchants as [TestMerchant];
    const again = await Promise.all(
      Array.from({ length: 5 }, (_, index) => merchant.post(SAVE, { ...body, franchise_code: `AGAIN ${index}` })),
    );
    for (const answer of again) {
      expect(answer).toBeRefusal({ status: 400, code: "validation_failed", fields: ["login_email not_allowed"] });
    }
    const { rows } = await installation.pool.query("select from franchise where merchant_id = $1", [merchant.id]);
    expect(rows).toHaveLength(1);
  });
});

test("afterwards the books hold, and every answer was one that the OpenAPI document names", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
