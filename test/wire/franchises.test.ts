// Franchises over real HTTP: save, update, delete, and what each leaves behind. Refusals to save are in
// franchises-refused.test.ts, money in commission.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import "../support/expect-wire.ts";
import { FRANCHISE_LEAST as LEAST, FRANCHISE_SAMPLE as SAMPLE } from "../support/franchises.ts";
import { Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { nodal, nodalJson } from "../support/nodal.ts";

const SAVE = "/api/v1/franchise/save";
const UPDATE = "/api/v1/franchise/update";
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

function show(merchant: TestMerchant, franchiseId: string): Promise<Members> {
  return nodalJson(
    installation.environment,
    "franchise",
    "show",
    "--merchant",
    merchant.id,
    "--franchise",
    franchiseId,
    "--reveal",
  );
}

async function rowOf(franchiseId: string): Promise<Members> {
  const { rows } = await installation.pool.query<Members>("select * from franchise where franchise_id = $1", [
    franchiseId,
  ]);
  return rows[0]!;
}

async function signInsOf(franchiseId: string): Promise<number> {
  const { rows } = await installation.pool.query("select from sign_in where subject_id = $1", [franchiseId]);
  return rows.length;
}

describe("save", () => {
  test("answers with the new id, and every field is kept", async () => {
    const merchant = await installation.newMerchant();
    const answer = await merchant.post(SAVE, SAMPLE);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toStrictEqual({
      success: expect.stringMatching(/saved/) as string,
      status: "1",
      franchise_id: expect.stringMatching(/^[0-9]{1,16}$/) as string,
    });
    const { password: _, enable_franchise_login: __, ...kept } = SAMPLE;
    expect(await show(merchant, answer.body.franchise_id as string)).toMatchObject({
      ...kept,
      enable_online_settlement: true,
      commission: "12.50",
      status: "active",
      commission_accrued: "0.00",
      commission_paid: "0.00",
      commission_due: "0.00",
    });
  });

  test("logs its account as a beneficiary, with nothing else of the franchise", async () => {
    const merchant = await installation.newMerchant();
    await saved(merchant, SAMPLE);
    const { rows } = await installation.pool.query<{ after: Members }>(
      "select after from journal where merchant_id = $1 and type = 'beneficiary.created'",
      [merchant.id],
    );
    const names = rows.map(({ after }) => Object.keys(after));
    expect(names).toHaveLength(1);
    expect(names[0]).toEqual(expect.arrayContaining(["name", "account_number", "email_id", "mobile", "zipcode"]));
    for (const name of ["contact_person_name", "pan_number", "aadhar_number", "gst_number"]) {
      expect(names[0]).not.toContain(name);
    }
  });

  test("takes the required fields alone, and numbers as strings or strings as numbers", async () => {
    const merchant = await installation.newMerchant();
    await saved(merchant, LEAST);
    const spelt = {
      ...SAMPLE,
      franchise_code: 1002,
      mobile: 9730946150,
      aadhar_number: 123412341234,
      zipcode: 411038,
      enable_online_settlement: "1",
      commission: "12.50",
      account_number: 789101113,
      enable_franchise_login: 0,
    };
    const id = await saved(merchant, spelt);
    expect(await show(merchant, id)).toMatchObject({ franchise_code: "1002", login_email: null, role_name: null });
    expect(await signInsOf(id)).toBe(0);
  });

  test("takes empty optional fields", async () => {
    const merchant = await installation.newMerchant();
    const empty = ["pan_number", "aadhar_number", "gst_number", "address", "zipcode", "login_email", "password"];
    const body = { ...LEAST, ...Object.fromEntries(empty.map((name) => [name, ""])), enable_franchise_login: "0" };
    const id = await saved(merchant, body);
    expect(await rowOf(id)).toMatchObject({ pan_number: "", login_email: null, beneficiary_id: null });
  });

  test("keeps the password as a hash that is argon2id's, and nowhere else", async () => {
    const merchant = await installation.newMerchant();
    const id = await saved(merchant, { ...SAMPLE, login_email: "hash@example.com" });
    const { rows } = await installation.pool.query("select password_hash from login where login_id = $1", [id]);
    expect(rows[0]!["password_hash"]).toMatch(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$/);
    expect(JSON.stringify(await show(merchant, id))).not.toMatch(/correct horse|argon2id/);
    expect(installation.server.output).not.toContain("correct horse");
  });

  test("keeps the bank account as a beneficiary of its kind; one that is saved already is used again", async () => {
    const merchant = await installation.newMerchant();
    const account = { account_number: "5550001", ifsc: "HDFC0000001" };
    const known = await merchant.addBeneficiary({ name: "Old Friend", ...account });
    const [first, second, again] = await Promise.all([
      saved(merchant, { ...SAMPLE, franchise_code: "A", login_email: "a@example.com" }),
      saved(merchant, { ...SAMPLE, franchise_code: "B", login_email: "b@example.com" }),
      saved(merchant, { ...SAMPLE, ...account, franchise_code: "C", login_email: "c@example.com" }),
    ]);
    const shown = await Promise.all([first, second, again].map((id) => show(merchant, id)));
    const [ofFirst, ofSecond, ofAgain] = shown.map((record) => record["beneficiary_id"]);
    expect(ofSecond).toBe(ofFirst);
    expect(ofAgain).toBe(known);
    const { body } = await merchant.list();
    const records = body.success as Members[];
    expect(records.map(({ beneficiary_id, type }) => [beneficiary_id, type])).toEqual(
      expect.arrayContaining([
        [known, "Vendor"],
        [ofFirst, "Franchise"],
      ]),
    );
    expect(records).toHaveLength(2);
  });

  test("an Idempotency-Key gives the first answer again, whatever the password says", async () => {
    const merchant = await installation.newMerchant();
    const body = { ...SAMPLE, login_email: "twice@example.com" };
    const headers = { "idempotency-key": "franchise-1" };
    const first = await merchant.post(SAVE, body, headers);
    const again = await merchant.post(SAVE, { ...body, password: "another horse" }, headers);
    expect(again).toMatchObject({ status: 200, body: first.body as unknown });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await merchant.post(SAVE, { ...body, city: "Nagpur" }, headers)).toBeRefusal({
      status: 409,
      code: "idempotency_conflict",
    });
  });
});

describe("update", () => {
  test("changes the fields that are sent and no others, even such as it does not take", async () => {
    const merchant = await installation.newMerchant();
    const id = await saved(merchant, { ...SAMPLE, login_email: "update@example.com" });
    const before = await show(merchant, id);
    const changes = {
      franchise_name: "Pune Central",
      gst_number: "",
      zipcode: 411001,
      commission: 99,
      settlement_type: "Manual",
      account_number: "1",
      login_email: "not an address",
      franchise_code: "OTHER",
    };
    const answer = await merchant.post(UPDATE, { franchise_id: id, ...changes });
    const { warnings, ...body } = answer.body as { warnings: { code: string; field: string }[] };
    expect(body).toStrictEqual({
      success: expect.stringMatching(/updated/) as string,
      status: "1",
      franchise_id: id,
    });
    expect(warnings).toContainEqual(expect.objectContaining({ code: "unknown_member", field: "commission" }));
    expect(await show(merchant, id)).toEqual({
      ...before,
      franchise_name: "Pune Central",
      gst_number: "",
      zipcode: "411001",
    });
  });

  test("takes the id as a number, and nothing to change", async () => {
    const merchant = await installation.newMerchant();
    const id = await saved(merchant, LEAST);
    expect(await merchant.post(UPDATE, { franchise_id: Number(id) })).toMatchObject({
      status: 200,
      body: { franchise_id: id },
    });
  });

  test("refuses every failing field at once, required ones that are sent empty too", async () => {
    const merchant = await installation.newMerchant();
    const id = await saved(merchant, LEAST);
    const body = {
      franchise_id: id,
      franchise_name: "",
      email_id: "x",
      mobile: null,
      aadhar_number: "1",
      zipcode: "x",
    };
    expect(await merchant.post(UPDATE, body)).toBeRefusal({
      status: 400,
      code: "validation_failed",
      fields: [
        "franchise_name required",
        "email_id invalid",
        "mobile required",
        "aadhar_number invalid",
        "zipcode invalid",
      ],
    });
  });
});

describe("delete", () => {
  test("ends the login at once, keeps the history, and is 404 the second time", async () => {
    const merchant = await installation.newMerchant();
    const body = { ...SAMPLE, login_email: "delete@example.com" };
    const id = await saved(merchant, body);
    expect(await signInsOf(id)).toBe(1);
    const answer = await merchant.post(DELETE, { franchise_id: Number(id) });
    expect(answer).toMatchObject({ status: 200, body: { status: "1", franchise_id: id } });
    expect(await signInsOf(id)).toBe(0);
    expect(await rowOf(id)).toMatchObject({ login_email: null, role_name: null });
    expect((await installation.pool.query("select from login where login_id = $1", [id])).rowCount).toBe(0);
    expect(await show(merchant, id)).toMatchObject({ status: "deleted", franchise_code: "FR-PUNE-01" });
    const gone = { status: 404, code: "franchise_not_found" };
    expect(await merchant.post(DELETE, { franchise_id: id })).toBeRefusal(gone);
    expect(await merchant.post(UPDATE, { franchise_id: id, city: "Nagpur" })).toBeRefusal(gone);
    await saved(merchant, body);
  });

  test("of two at once one wins", async () => {
    const merchant = await installation.newMerchant();
    const id = await saved(merchant, LEAST);
    const answers = await Promise.all([1, 2, 3].map(() => merchant.post(DELETE, { franchise_id: id })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
  });

  test("an Idempotency-Key gives the first answer again", async () => {
    const merchant = await installation.newMerchant();
    const id = await saved(merchant, LEAST);
    const headers = { "idempotency-key": "delete-1" };
    for (const _ of [1, 2]) {
      expect((await merchant.post(DELETE, { franchise_id: id }, headers)).status).toBe(200);
    }
  });
});

describe("another merchant", () => {
  test("can't change or delete a franchise, and is told that there is none", async () => {
    const [merchant, other] = [await installation.newMerchant(), await installation.newMerchant()];
    const id = await saved(merchant, LEAST);
    const before = await rowOf(id);
    const gone = { status: 404, code: "franchise_not_found" };
    expect(await other.post(UPDATE, { franchise_id: id, city: "Nagpur" })).toBeRefusal(gone);
    expect(await other.post(DELETE, { franchise_id: id })).toBeRefusal(gone);
    expect(await rowOf(id)).toEqual(before);
    const { code, stderr } = await nodal(
      installation.environment,
      "franchise",
      "show",
      "--merchant",
      other.id,
      "--franchise",
      id,
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/franchise does not exist/) as string });
  });

  test("is what a request without a token is too", async () => {
    for (const path of [SAVE, UPDATE, DELETE]) {
      expect(await installation.send("POST", path, LEAST)).toBeRefusal({ status: 401, code: "missing_token" });
    }
  });
});

describe("the command line", () => {
  test("lists franchises with their commission, deleted ones too", async () => {
    const merchant = await installation.newMerchant();
    const ids = [await saved(merchant, LEAST), await saved(merchant, { ...LEAST, franchise_code: "SECOND" })];
    await merchant.post(DELETE, { franchise_id: ids[0] });
    const listed = await nodalJson<Members[]>(installation.environment, "franchise", "list", "--merchant", merchant.id);
    // In the order of their ids, which several servers give out in either order within a second.
    const order = listed.map(({ franchise_id }) => Number(franchise_id));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    const states = new Map(listed.map(({ franchise_id, status }) => [franchise_id, status]));
    expect([states.size, states.get(ids[0]), states.get(ids[1])]).toEqual([2, "deleted", "active"]);
    const standing = listed.find(({ franchise_id }) => franchise_id === ids[1]);
    expect(standing).toMatchObject({ commission: "50.00", commission_due: "0.00" });
  });
});

test("afterwards the books hold, and every answer was one that the OpenAPI document names", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
