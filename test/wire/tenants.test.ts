// The second wall between merchants: policies of the database. Every table that holds merchants' rows has one, and every
// route works behind it. The first wall, in every query, is tested in isolation.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEquippedMerchants } from "../../src/cli/new-merchants.ts";
import { sampleProfile } from "../../src/cli/samples.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { createPool, inTransaction, type OwnedPool } from "../../src/platform/database/pool.ts";
import { TenantDatabase } from "../../src/platform/database/tenant.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { GOOD_ACCOUNT, Installation, TestMerchant, type Members } from "../support/installation.ts";
import { INVOICE_DETAIL, INVOICE_SAVE, INVOICE_SETTLE, PAYMENT, PLAIN } from "../support/invoices.ts";
import { ask, CUSTOMER_DETAIL, CUSTOMER_LIST, CUSTOMER_SAVE, CUSTOMER_UPDATE } from "../support/merchant-wire.ts";
import { send, type Answer } from "../support/nodal.ts";
import { REPEATED, SUBSCRIPTION_SAVE } from "../support/subscriptions.ts";

/** What belongs to no merchant. */
const OF_NOBODY = ["data_key", "dispatcher", "installation", "ledger_rule", "schedule", "schema_migration"];

let installation: Installation;
let merchants: TestMerchant[];
let requests: OwnedPool;

beforeAll(async () => {
  installation = await Installation.start();
  requests = createPool({ url: installation.databaseUrl, size: 4, role: "nodal_tenant" });
  const ids = new IdSource(installation.pool);
  const profiles = ["One", "Two"].map((name) => ({ ...sampleProfile(name, `${name}@example.com`), ...BANK }));
  const made = await createEquippedMerchants(installation.pool, ids, profiles);
  merchants = await Promise.all(
    made.map(async ({ merchant, accessKeyId, secret }) => {
      await fundMerchant(installation.pool, ids, { ...merchant, amountPaise: 1_000_000n, reference: "opening" });
      const keys = { access_key_id: accessKeyId, secret_access_key: secret };
      return TestMerchant.signIn(installation, String(merchant.merchantId), keys);
    }),
  );
});
afterAll(async () => {
  await requests.end();
  await installation.stop();
});

const BANK = { bankAccount: GOOD_ACCOUNT.account_number, ifsc: GOOD_ACCOUNT.ifsc };

/** Calls every route of the API once, so that it succeeds. Answers them by method and path. */
async function callEveryRoute(merchant: TestMerchant): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const note = async (route: string, answer: Promise<Answer>): Promise<Members> => {
    answers.set(route, await answer);
    return (await answer).body as Members;
  };
  const post = (path: string, body: Members): Promise<Members> => note(`POST ${path}`, merchant.post(path, body));
  const call = async (path: string, body: Members): Promise<Members[]> =>
    (await note(`POST ${path}`, ask(installation, merchant, path, body)))["srvrsp"] as Members[];
  await note("POST /api/token", installation.send("POST", "/api/token", merchant.keys));

  const { beneficiary_id } = await post("/api/v1/beneficiary/save", { name: "Asha", ...GOOD_ACCOUNT });
  await post("/api/v1/beneficiary/detail", GOOD_ACCOUNT);
  await note("GET /api/v1/beneficiary/list", merchant.list());
  await post("/api/v1/beneficiary/transfer", { beneficiary_id, amount: "10.00", reference_id: "r-1" });
  await post("/api/v1/payout/withdraw", { amount: "10.00" });
  await note("GET /api/v1/payout/transferstatus/{type}/{id}", merchant.status("referenceid", "r-1"));
  await note("GET /api/v1/payout/balance", merchant.balance());

  const login = { login_email: `f${merchant.id}@example.com`, password: "correct horse", role_name: "Franchise" };
  const franchise = { ...FRANCHISE_LEAST, enable_franchise_login: "1", ...login, ...BANK_OF_FRANCHISE };
  const { franchise_id } = await post("/api/v1/franchise/save", franchise);
  await post("/api/v1/franchise/update", { franchise_id, city: "Pune" });

  const groups = { custom_fields: [{ id: "1", name: "Note", type: "text", value: "x" }], customer_group: "Retail" };
  const customer = { customer_code: "C1", customer_name: "Ravi Kumar", ...groups };
  const [saved] = (await call(CUSTOMER_SAVE, { customer: [customer] })) as unknown as Members[][];
  await call(CUSTOMER_UPDATE, { customer: [{ customer_id: saved![0]!["customer_id"], city: "Pune" }] });
  const billed = { ...PLAIN, franchise_id, invoice_properties: { notify_patron: "1" } };
  const [paid, open] = await call(INVOICE_SAVE, { template_id: "", invoice: [billed, billed] });
  await call(INVOICE_SETTLE, { invoice_id: paid!["invoice_id"], amount: "100.00", ...PAYMENT, notify: "1" });
  await call("/api/v3/merchant/invoice/update", {
    invoice_id: open!["invoice_id"],
    invoice: { bill_cycle_name: "May" },
  });
  await call("/api/v3/merchant/invoice/deleteInvoice", { invoice_id: open!["invoice_id"] });
  await call(INVOICE_DETAIL, { invoice_id: paid!["invoice_id"] });
  await call("/api/v1/merchant/invoice/getlist", { group: "Retail" });
  await call(CUSTOMER_DETAIL, { customer_code: "C1" });
  await call(CUSTOMER_LIST, { searchby: "name", keyword: "Kumar" });
  const dates = { start_date: "2026-11-01", due_date: "2026-11-11" };
  const repeat = { mode: "Yearly", repeat_every: "1", end_mode: "Never", carry_forword_dues: "1", ...dates };
  await call(SUBSCRIPTION_SAVE, { template_id: "", ...repeat, invoice: REPEATED });
  await post("/api/v1/franchise/delete", { franchise_id });

  const page = await fetch(String(paid!["short_url"]));
  const pdf = await fetch(`${String(paid!["short_url"])}/pdf`);
  expect([page.status, pdf.status]).toEqual([200, 200]);
  return answers;
}

const BANK_OF_FRANCHISE = { bank_holder_name: "F", account_number: "00789101112", ifsc: "HDFC0000789" };

describe("every route", () => {
  test("works where the server's own role may not touch what merchants have", async () => {
    await callEveryRoute(merchants[0]!);
    // The keys of callers are looked up for many merchants at once; all else of a request is its merchant's.
    const { rows } = await installation.pool.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'merchant_id' and table_name not in ('merchant', 'access_key')`,
    );
    for (const { name } of rows) await installation.pool.query(`revoke all on ${name} from nodal_server`);
    try {
      const answers = await callEveryRoute(merchants[1]!);
      expect([...answers].filter(([, { status }]) => status !== 200)).toEqual([]);
      const { body } = await send(installation.server.baseUrl, "GET", "/openapi.json");
      const routes = Object.entries((body as { paths: Record<string, object> }).paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      expect([...answers.keys()].toSorted()).toEqual(routes.toSorted());
    } finally {
      for (const { name } of rows) {
        await installation.pool.query(`grant select, insert, update, delete on ${name} to nodal_server`);
      }
    }
  });
});

type Column = { readonly table_name: string; readonly column_name: string };

describe("every table", () => {
  test("of merchants' rows has a policy, and requests have no other table to write to", async () => {
    const { rows } = await installation.pool.query<{
      name: string;
      is_secured: boolean;
      policies: string[];
      writable: boolean;
    }>(
      `select
         c.relname as name, c.relrowsecurity as is_secured,
         array(
           select polname::text || ': ' || pg_get_expr(polqual, polrelid) from pg_policy
           where polrelid = c.oid and 'nodal_tenant'::regrole = any (polroles) order by 1
         ) as policies,
         has_any_column_privilege('nodal_tenant', c.oid, 'insert, update')
           or has_table_privilege('nodal_tenant', c.oid, 'delete') as writable
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       order by 1`,
    );
    const ofMerchants = rows.filter(({ name }) => !OF_NOBODY.includes(name));
    expect(ofMerchants.length).toBeGreaterThan(30);
    const own = "own_rows: (merchant_id = nodal_merchant_id())";
    for (const { name, is_secured: isSecured, policies } of ofMerchants) {
      const expected = name === "sign_in" ? ["every_address: true", own] : [own];
      expect([name, isSecured, policies]).toEqual([name, true, expected]);
    }
    for (const { name, writable } of rows) {
      if (OF_NOBODY.includes(name)) expect([name, writable]).toEqual([name, false]);
    }
  });

  test("shows a request its merchant's rows only, and nothing to one that names no merchant", async () => {
    await callEveryRoute(await another());
    const tenants = new TenantDatabase(requests);
    const { rows } = await installation.pool.query<Column>(
      `select table_name, column_name from information_schema.columns
       where table_schema = 'public' and column_name = 'merchant_id'
         and has_table_privilege('nodal_tenant', format('%I.%I', table_schema, table_name), 'select')`,
    );
    let seen = 0;
    for (const { table_name: name } of rows) {
      if (name === "sign_in") continue;
      const of = async (db: Pick<OwnedPool, "query">): Promise<string[]> =>
        (await db.query<{ id: bigint }>(`select distinct merchant_id as id from ${name}`)).rows.map(({ id }) =>
          String(id),
        );
      expect([name, await of(requests)]).toEqual([name, []]);
      for (const { id } of merchants) {
        const found = await of(tenants.of({ merchantId: BigInt(id) }));
        expect([name, found.filter((other) => other !== id)]).toEqual([name, []]);
        seen += found.length;
      }
    }
    expect(seen).toBeGreaterThan(20);
  });

  test("takes no change of another merchant's rows, whatever the statement says", async () => {
    const [one, two] = merchants as [TestMerchant, TestMerchant];
    const db = new TenantDatabase(requests).of({ merchantId: BigInt(one.id) });
    const changed = await db.query("update customer set city = 'Stolen' where merchant_id = $1", [two.id]);
    expect(changed.rowCount).toBe(0);
    const insert = db.query(
      `insert into beneficiary select bucket, $1, 7, type, name, email_id, mobile, account_number || '1', ifsc, upi, address,
         city, state, zipcode, created_at from beneficiary limit 1`,
      [two.id],
    );
    await expect(insert).rejects.toMatchObject({ code: "42501" });
    const nobody = inTransaction(requests, (connection) => connection.query("select from customer"));
    expect((await nobody).rowCount).toBe(0);
  });
});

/** A third merchant, for what has to happen behind nobody else's walls. */
async function another(): Promise<TestMerchant> {
  const ids = new IdSource(installation.pool);
  const profile = { ...sampleProfile("Three", "three@example.com"), ...BANK };
  const [made] = await createEquippedMerchants(installation.pool, ids, [profile]);
  const { merchant, accessKeyId, secret } = made!;
  await fundMerchant(installation.pool, ids, { ...merchant, amountPaise: 1_000_000n, reference: "opening" });
  const keys = { access_key_id: accessKeyId, secret_access_key: secret };
  const signedIn = await TestMerchant.signIn(installation, String(merchant.merchantId), keys);
  merchants.push(signedIn);
  return signedIn;
}
