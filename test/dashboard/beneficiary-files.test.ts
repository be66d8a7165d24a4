// Files of beneficiaries through the dashboard's API: who may send one, what is said of it, and what is saved. How
// pages show it is test/browser/import-beneficiaries.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, flatRefusal, newPerson, type Person } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";

const PATH = "/beneficiary-files";
const HEAD = "name,account_number,ifsc,upi";
const COUNT = 620;
const MANY = Array.from({ length: COUNT }, (_, index) => `Payee ${index},${5_000_000_000 + index},HDFC0000001,`);

let site: Installation;
let merchant: TestMerchant;
let person: Person;
let owner: Browser;
let viewer: Browser;
let stranger: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  merchant = await site.newMerchant({ fund: "10.00" });
  person = await newPerson(site, merchant.id);
  owner = await Browser.signIn(site, person);
  viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  const other = await site.newMerchant({ fund: "10.00" });
  stranger = await Browser.signIn(site, await newPerson(site, other.id));
});
afterAll(() => site?.stop());

/** Sends a file as the browser does: the file itself is the body. */
async function sendFile(browser: Browser, path: string, lines: readonly string[]) {
  const response = await fetch(`${site.server.baseUrl}/api/v4${path}`, {
    method: "POST",
    body: `${[HEAD, ...lines].join("\n")}\n`,
    headers: {
      "content-type": "text/csv",
      origin: site.server.baseUrl,
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "x-nodal-csrf": browser.csrfToken,
    },
  });
  return { status: response.status, body: flatRefusal(await response.json()) as Members };
}

test("who may not manage beneficiaries sends none, and has no file to fill in", async () => {
  const before = await merchant.snapshot();
  for (const path of [PATH, `${PATH}/preview`]) {
    const { status, body } = await sendFile(viewer, path, MANY);
    expect(status).toBe(403);
    expect(body.error).toContain("beneficiaries.manage");
  }
  expect((await viewer.get(`${PATH}/sample`)).status).toBe(403);
  const sample = await owner.get(`${PATH}/sample`);
  expect(sample.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(await merchant.snapshot()).toEqual(before);
});

test("a preview tells what is there and what is wrong, shows ends of accounts, and saves nothing", async () => {
  const saved = await merchant.addBeneficiary({ ...GOOD_ACCOUNT, name: "Asha Rao" });
  const before = await merchant.snapshot();
  const { account_number, ifsc } = GOOD_ACCOUNT;
  const lines = [`Asha Rao,${account_number},${ifsc},`, "Uma Iyer,,,uma@upi", "Uma Iyer,,,uma@upi", "Ravi,123456789,,"];
  const { body } = await sendFile(owner, `${PATH}/preview`, lines);
  expect(body).toMatchObject({
    lines: 4,
    good: 3,
    fresh: 1,
    must_wait: false,
    first_lines: [
      { line: 2, account_number: "XXXX1191", beneficiary_id: saved, same_as_line: null },
      { line: 3, upi: "XXXX@upi", beneficiary_id: "", same_as_line: null },
      { line: 4, beneficiary_id: "", same_as_line: 3 },
    ],
    errors: [{ line: 5, field: "ifsc" }],
    warnings: [{ line: 4, field: "upi" }],
  });
  const refused = await sendFile(owner, PATH, lines);
  expect(refused.status).toBe(400);
  expect(refused.body.errors).toMatchObject([{ field: "line 5: ifsc" }]);
  expect(await merchant.snapshot()).toEqual(before);
  // What one merchant has is not there for another one.
  const theirs = await sendFile(stranger, `${PATH}/preview`, lines.slice(0, 1));
  expect(theirs.body).toMatchObject({ fresh: 1, first_lines: [{ beneficiary_id: "" }] });
});

test("a long file is saved in parts, with a result of all of them, and once", async () => {
  const first = await sendFile(owner, PATH, MANY);
  expect(first.body).toMatchObject({ lines: 500, saved: 500, there: 0, next: 501 });
  const rest = await sendFile(owner, `${PATH}?after=501`, MANY);
  expect(rest.body).toMatchObject({ lines: 120, saved: 120, there: 0, next: null });
  const rows = `${String(first.body.result)}${String(rest.body.result)}`.trimEnd().split("\r\n");
  expect(rows[0]).toBe("\uFEFFline,name,account_number,ifsc,upi,beneficiary_id,status");
  expect(rows).toHaveLength(COUNT + 1);
  expect(rows.at(-1)).toMatch(/^621,Payee 619,XXXX0619,HDFC0000001,,\d+,SAVED$/);
  const id = rows.at(-1)!.split(",")[5]!;
  expect((await owner.get(`/beneficiaries/${id}`)).body).toMatchObject({ name: "Payee 619" });
  expect((await stranger.get(`/beneficiaries/${id}`)).status).toBe(404);
  // The log says of each of them who imported it.
  const { rows: actors } = await site.pool.query(
    `select distinct actor from journal where merchant_id = $1 and type = 'beneficiary.created'
       and subject_id in (select beneficiary_id from beneficiary where merchant_id = $1 and name like 'Payee %')`,
    [merchant.id],
  );
  expect(actors).toEqual([{ actor: `user:${person.id}` }]);
  const again = await sendFile(owner, `${PATH}?after=501`, MANY);
  expect(again.body).toMatchObject({ lines: 120, saved: 0, there: 120, next: null });
  expect(await site.findProblems()).toEqual([]);
});
