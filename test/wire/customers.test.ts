// Saving and changing customers over real HTTP. Groups and custom fields are in customer-fields.test.ts, searching is
// in customer-search.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Customers } from "../support/customers.ts";
import { Installation, type Members } from "../support/installation.ts";

/** A customer with every field, and numbers as strings. */
const SAMPLE = {
  customer_code: "C001",
  customer_name: "Rajeev Kumar",
  email: "rajeev@example.com",
  mobile: "9730946150",
  address: "123, Main Street",
  city: "Pune",
  state: "Maharashtra",
  zipcode: "411038",
  custom_fields: [
    { id: "17", name: "GST Number", type: "gst", value: "33BRSPP2039T1ZU" },
    { id: "18", name: "Company name", type: "company_name", value: "Kumar Traders" },
  ],
};

let installation: Installation;
let customers: Customers;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

async function expectUnchanged(work: () => Promise<void>): Promise<void> {
  const before = await customers.stored();
  await work();
  expect(await customers.stored()).toEqual(before);
}

describe("save", () => {
  beforeAll(async () => {
    customers = await Customers.ofNewMerchant(installation);
  });

  test("takes every field, and answers with ids", async () => {
    const answer = await customers.save([SAMPLE, { ...SAMPLE, customer_code: "C002", email: "" }]);
    expect(answer).toBeSuccess("write");
    const [first, second] = answer.body.srvrsp[0];
    expect(answer.body.srvrsp).toStrictEqual([
      [
        { customer_id: first.customer_id, customer_code: "C001", customer_name: "Rajeev Kumar", email: SAMPLE.email },
        { customer_id: second.customer_id, customer_code: "C002", customer_name: "Rajeev Kumar", email: "" },
      ],
    ]);
    expect(Number.isSafeInteger(first.customer_id) && second.customer_id > first.customer_id).toBe(true);
    expect((await customers.stored())[0]).toEqual({ ...SAMPLE, groups: [] });
  });

  test("takes a code, mobile and postal code that are numbers, and needs only a code and a name", async () => {
    await customers.add({ customer_code: 77001, customer_name: "Numbers", mobile: 9730946150, zipcode: 411038 });
    await customers.add({
      customer_code: "bare",
      customer_name: "Bare",
      email: null,
      mobile: "",
      address: " ",
      custom_fields: "",
    });
    const [numbers, bare] = (await customers.stored()).slice(-2);
    expect(numbers).toMatchObject({ customer_code: "77001", mobile: "9730946150", zipcode: "411038" });
    expect(bare).toMatchObject({ email: "", mobile: "", address: "", city: "", custom_fields: [], groups: [] });
  });

  test("keeps odd Unicode as it is, and trims", async () => {
    const names = [
      "अनुष्का शर्मा",
      "ஸ்ரீனிவாசன்",
      "O’Brien & Søn <b>",
      "👩🏽‍🌾 Farm",
      "مُحَمَّد",
      "Zoe\u0308",
      "'; drop table customer; --",
    ];
    const batch = names.map((name, index) => ({
      customer_code: `  ${name} ${index}`,
      customer_name: ` ${name}\u00a0`,
    }));
    const answer = await customers.save(batch);
    expect(answer).toBeSuccess("write");
    const saved = answer.body.srvrsp[0] as Members[];
    expect(saved.map((customer) => customer["customer_name"])).toEqual(names);
    expect(saved.map((customer) => customer["customer_code"])).toEqual(names.map((name, index) => `${name} ${index}`));
  });

  test("names every failing member of every item at once, and saves nothing", async () => {
    await expectUnchanged(async () => {
      const answer = await customers.save([
        { customer_code: "fine", customer_name: "Fine" },
        { customer_code: "x".repeat(46), customer_name: "", email: "no at sign", mobile: "12345" },
        "no object",
        { customer_name: ["A"], address: "x".repeat(501), city: "Pu\u0000ne", state: {}, zipcode: {} },
        {
          customer_code: "c",
          customer_name: "C",
          custom_fields: [{ name: "no id" }, { id: "1", value: "x".repeat(2001) }],
        },
        { customer_code: "d", customer_name: "D", custom_fields: [{ id: "1" }, { id: "1" }, 7], customer_group: 7 },
        { customer_code: "e", customer_name: "E", customer_group: ["fine", 5, "a,b", "x".repeat(101)] },
      ]);
      const fields = [
        "[1].customer_code too_long",
        "[1].customer_name required",
        "[1].email invalid",
        "[1].mobile invalid",
        "[2] invalid",
        "[3].customer_code required",
        "[3].customer_name invalid",
        "[3].address too_long",
        "[3].city invalid",
        "[3].state invalid",
        "[3].zipcode invalid",
        "[4].custom_fields[0].id required",
        "[4].custom_fields[1].value too_long",
        "[5].custom_fields[1].id not_allowed",
        "[5].custom_fields[2] invalid",
        "[5].customer_group invalid",
        "[6].customer_group[1] invalid",
        "[6].customer_group[2] invalid",
        "[6].customer_group[3] too_long",
      ].map((text) => `customer${text}`);
      expect(answer).toBeFailure({ status: 400, code: "validation_failed", fields });
    });
  });

  test.each([
    ["nothing", undefined, "customer required"],
    ["an empty list", [], "customer invalid"],
    ["an object", { customer_code: "c", customer_name: "C" }, "customer invalid"],
    [
      "501 customers",
      Array.from({ length: 501 }, (_, index) => ({ customer_code: index, customer_name: "N" })),
      "customer too_long",
    ],
  ])("refuses %s", async (_what, customer, field) => {
    await expectUnchanged(async () => {
      expect(await customers.save(customer)).toBeFailure({ status: 400, code: "validation_failed", fields: [field] });
    });
  });

  test("saves 500 at once, long texts in another script included", async () => {
    const customer = Array.from({ length: 500 }, (_, index) => ({
      customer_code: `B${index}`,
      customer_name: `ग्राहक ${index}`,
      address: "म".repeat(500),
      city: "पुणे",
      customer_group: [`Group ${index % 50}`],
      custom_fields: [{ id: "x", value: "ம".repeat(500) }],
    }));
    const answer = await customers.save(customer);
    expect(answer).toBeSuccess("write");
    const saved = answer.body.srvrsp[0] as Members[];
    expect(saved.map((one) => one["customer_code"])).toEqual(customer.map((one) => one.customer_code));
    expect(new Set(saved.map((one) => one["customer_id"])).size).toBe(500);
  });

  test("refuses codes that are taken, all of them by name, and saves none of the batch", async () => {
    await customers.add({ customer_code: "taken", customer_name: "Taken" });
    await expectUnchanged(async () => {
      const codes = ["new", "taken", "twin", "Taken", "twin", "C001"];
      const answer = await customers.save(codes.map((customer_code) => ({ customer_code, customer_name: "N" })));
      const fields = [1, 4, 5].map((index) => `customer[${index}].customer_code customer_code_exists`);
      expect(answer).toBeFailure({ status: 409, code: "customer_code_exists", fields });
      expect(JSON.stringify(answer.body.errlist)).toContain("C001");
    });
  });

  test("saves a code once when 50 requests bring it together", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        customers.save([
          { customer_code: index % 2 ? "race" : `other ${index}`, customer_name: "R", customer_group: "Racers" },
          { customer_code: index % 2 ? `other ${index}` : "race", customer_name: "R", customer_group: "racers" },
        ]),
      ),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    for (const answer of answers.filter((one) => one.status !== 200)) {
      const field = `customer[${(answer.body.errlist[0].keypath as string).includes("[0]") ? 0 : 1}].customer_code`;
      expect(answer).toBeFailure({
        status: 409,
        code: "customer_code_exists",
        fields: [`${field} customer_code_exists`],
      });
    }
    expect(
      (await customers.stored()).filter(
        (customer) => (customer["groups"] as string[]).length === 1 && customer["customer_name"] === "R",
      ),
    ).toHaveLength(2);
  });

  test("leaves the code of another merchant alone", async () => {
    const other = await Customers.ofNewMerchant(installation);
    await other.add({ customer_code: "C001", customer_name: "Theirs", customer_group: "Wholesale" });
    expect(await other.stored()).toMatchObject([{ customer_code: "C001", groups: ["Wholesale"] }]);
  });

  test("gives the first answer again for the same Idempotency-Key, also to twins, whatever the keys", async () => {
    const customer = [{ customer_code: "idem", customer_name: "Once" }];
    const headers = { "idempotency-key": "save-1" };
    const answers = await Promise.all(Array.from({ length: 10 }, () => customers.save(customer, headers)));
    for (const answer of answers) {
      expect(answer).toBeSuccess("write");
      expect(answer.body.srvrsp).toStrictEqual(answers[0]!.body.srvrsp);
    }
    expect(answers.filter((answer) => answer.headers.get("idempotent-replayed") === "true")).toHaveLength(9);
    const another = await customers.save([{ customer_code: "idem 2", customer_name: "Once" }], headers);
    expect(another).toBeFailure({ status: 409, code: "idempotency_conflict" });
    const { rows } = await installation.pool.query("select response from idempotency_key where merchant_id = $1", [
      customers.merchant.id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(customers.merchant.keys.secret_access_key);
  });
});

describe("update", () => {
  beforeAll(async () => {
    customers = await Customers.ofNewMerchant(installation);
  });

  test("changes only what is sent, clears what is sent empty, and answers as save does", async () => {
    const customer_id = await customers.add({ ...SAMPLE, customer_group: "A" });
    const answer = await customers.update([
      { customer_id: String(customer_id), email: "", city: "Mumbai", mobile: null },
    ]);
    expect(answer).toBeSuccess("write");
    const saved = { customer_id, customer_code: "C001", customer_name: "Rajeev Kumar", email: "" };
    expect(answer.body.srvrsp).toStrictEqual([[saved]]);
    expect(await customers.stored()).toEqual([{ ...SAMPLE, email: "", city: "Mumbai", mobile: "", groups: ["A"] }]);
    expect(await customers.update([{ customer_id, customer_code: "C100", customer_name: "New" }])).toBeSuccess("write");
    expect((await customers.stored())[0]).toMatchObject({
      customer_code: "C100",
      customer_name: "New",
      city: "Mumbai",
    });
  });

  test("refuses an empty code or name and every other failing member, and changes nothing", async () => {
    const customer_id = await customers.add({ customer_code: "strict", customer_name: "S" });
    await expectUnchanged(async () => {
      const answer = await customers.update([
        { customer_id, city: "Chennai" },
        { customer_id, customer_code: "", customer_name: null, email: "x" },
        { city: "Chennai" },
        { customer_id: "12a" },
      ]);
      const fields = [
        "customer[1].customer_id not_allowed",
        "customer[1].customer_code required",
        "customer[1].customer_name required",
        "customer[1].email invalid",
        "customer[2].customer_id required",
        "customer[3].customer_id invalid",
      ];
      expect(answer).toBeFailure({ status: 400, code: "validation_failed", fields });
    });
  });

  test("refuses unknown ids, all of them by name, and another merchant's just as unknown", async () => {
    const other = await Customers.ofNewMerchant(installation);
    const theirs = await other.add({ customer_code: "theirs", customer_name: "T" });
    const mine = await customers.add({ customer_code: "mine", customer_name: "M" });
    await expectUnchanged(async () => {
      const answer = await customers.update([
        { customer_id: 1 },
        { customer_id: mine, city: "Goa" },
        { customer_id: theirs, city: "Goa" },
      ]);
      const fields = ["customer[0].customer_id customer_not_found", "customer[2].customer_id customer_not_found"];
      expect(answer).toBeFailure({ status: 404, code: "customer_not_found", fields });
    });
    expect((await other.stored())[0]).toMatchObject({ city: "" });
  });

  test("passes codes on within a batch, and refuses those that others have", async () => {
    const a = await customers.add({ customer_code: "a", customer_name: "A" });
    const b = await customers.add({ customer_code: "b", customer_name: "B" });
    const c = await customers.add({ customer_code: "c", customer_name: "C" });
    const codes = async () => (await customers.stored()).slice(-3).map((customer) => customer["customer_code"]);
    expect(
      await customers.update([
        { customer_id: a, customer_code: "b" },
        { customer_id: b, customer_code: "a" },
      ]),
    ).toBeSuccess("write");
    expect(await codes()).toEqual(["b", "a", "c"]);
    const taken = await customers.update([
      { customer_id: a, customer_code: "c" },
      { customer_id: b, customer_code: "d" },
    ]);
    const fields = ["customer[0].customer_code customer_code_exists"];
    expect(taken).toBeFailure({ status: 409, code: "customer_code_exists", fields });
    const both = await customers.update([a, b].map((customer_id) => ({ customer_id, customer_code: "new" })));
    expect(both).toBeFailure({
      status: 409,
      code: "customer_code_exists",
      fields: [...fields, "customer[1].customer_code customer_code_exists"],
    });
    const stays = await customers.update([
      { customer_id: a, customer_code: "c" },
      { customer_id: c, city: "Pune" },
    ]);
    expect(stays).toBeFailure({ status: 409, code: "customer_code_exists", fields });
    expect(await codes()).toEqual(["b", "a", "c"]);
  });

  test("gives a code to one customer when saves and updates bring it together", async () => {
    const ids = [];
    for (let index = 0; index < 20; index += 1)
      ids.push(await customers.add({ customer_code: `u${index}`, customer_name: "U" }));
    const answers = await Promise.all(
      ids.flatMap((customer_id) => [
        customers.update([{ customer_id, customer_code: "contested" }]),
        customers.save([{ customer_code: "contested", customer_name: "S" }]),
      ]),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200, 409]));
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
