// The second wall between merchants: policies of the database. Every table that holds merchants' rows has one, and every
// route works behind it. The first wall, in every query, is tested in isolation.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMerchantsWithTemplate, sampleProfile } from "../../src/installation/index.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { createPool, inTransaction, type OwnedPool } from "../../src/platform/database/pool.ts";
import { TenantDatabase, TenantGroups } from "../../src/platform/database/tenant.ts";
import { CITUS_URL } from "../support/citus.ts";
import { callEveryRoute } from "../support/every-route.ts";
import { GOOD_ACCOUNT, Installation, TestMerchant } from "../support/installation.ts";
import { send } from "../support/nodal.ts";

/** What belongs to no merchant. */
const OF_NOBODY = [
  "data_key",
  "dispatch_claim",
  "dispatcher",
  "installation",
  "rate_count",
  "schedule",
  "schema_migration",
  "seal_head",
  "seal_link",
];

let installation: Installation;
let merchants: TestMerchant[];
let requests: OwnedPool;

beforeAll(async () => {
  installation = await Installation.start();
  requests = createPool({ url: installation.serverUrl, size: 4, role: "nodal_tenant", pipelined: true });
  const ids = new IdSource(installation.pool);
  const profiles = ["One", "Two"].map((name) => ({ ...sampleProfile(name, `${name}@example.com`), ...BANK }));
  const made = await createMerchantsWithTemplate({ pool: installation.pool, ids }, profiles);
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

// First, since what follows changes the server's rights.
test("every role can add to the trail of what happened, and none can change it", async () => {
  const { rows } = await installation.pool.query<{ role: string; name: string }>(
    `select role, name
     from unnest(array['nodal_server', 'nodal_tenant', 'nodal_payouts', 'nodal_invoices', 'nodal_simulator', 'public']) as role,
       unnest(array['journal', 'journal_seal', 'funding', 'invoice_revision']) as name
     where has_any_column_privilege(role, name, 'update') or has_table_privilege(role, name, 'delete, truncate')`,
  );
  expect(rows).toEqual([]);
});

test("no role changes whom a beneficiary stands for, or deletes it: transfers keep no copy", async () => {
  const { rows } = await installation.pool.query<{ role: string; changes: string[]; may_delete: boolean }>(
    `select
       role, coalesce(array_agg(name) filter (where has_column_privilege(role, 'beneficiary', name, 'update')), '{}')
         as changes,
       has_table_privilege(role, 'beneficiary', 'delete, truncate') as may_delete
     from unnest(array['nodal_server', 'nodal_tenant', 'nodal_payouts', 'nodal_simulator', 'public']) as role,
       (select attname::text as name from pg_attribute
        where attrelid = 'beneficiary'::regclass and attnum > 0 and not attisdropped) as attribute
     group by role`,
  );
  expect(rows).toHaveLength(5);
  for (const { role, changes, may_delete: mayDelete } of rows) {
    const approves = role === "nodal_server" || role === "nodal_tenant";
    const standing = [
      "approval",
      "email_id",
      "mobile",
      "address",
      "city",
      "state",
      "zipcode",
      "verification",
      "verified_at",
      "name_at_bank",
      "bank_branch",
      "verification_utr",
      "verification_reference",
      "proof",
    ];
    expect([role, changes.toSorted(), mayDelete]).toEqual([role, approves ? standing.toSorted() : [], false]);
  }
});

describe("every route", () => {
  test("works where the server's own role may not touch what merchants have", async () => {
    await callEveryRoute(installation, merchants[0]!);
    // The keys of callers are looked up for many merchants at once; all else of a request is its merchant's.
    const { rows } = await installation.pool.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'merchant_id' and table_name not in ('merchant', 'access_key')`,
    );
    for (const { name } of rows) await installation.pool.query(`revoke all on ${name} from nodal_server`);
    try {
      const answers = await callEveryRoute(installation, merchants[1]!);
      expect([...answers].filter(([, { status }]) => status !== 200)).toEqual([]);
      const { body } = await send(installation.server.baseUrl, "GET", "/openapi.json");
      const routes = Object.entries((body as { paths: Record<string, object> }).paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      // Those of /api/v4 are walked in keys-on-v4.test.ts.
      const specified = routes.filter((route) => !route.includes(" /api/v4/"));
      expect([...answers.keys()].toSorted()).toEqual(specified.toSorted());
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
      expect([name, isSecured, policies]).toEqual([name, true, [own]]);
    }
    for (const { name, writable } of rows) {
      if (OF_NOBODY.includes(name)) expect([name, writable]).toEqual([name, false]);
    }
  });

  test("shows a request its merchant's rows only, and nothing to one that names no merchant", async () => {
    await callEveryRoute(installation, await another());
    const tenants = new TenantDatabase(requests);
    const { rows } = await installation.pool.query<Column>(
      `select table_name, column_name from information_schema.columns
       where table_schema = 'public' and column_name = 'merchant_id'
         and has_table_privilege('nodal_tenant', format('%I.%I', table_schema, table_name), 'select')`,
    );
    let seen = 0;
    for (const { table_name: name } of rows) {
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
      `insert into beneficiary (
         bucket, merchant_id, beneficiary_id, name, email_id, mobile, account_number, ifsc, address, city, state, zipcode,
         created_at)
       select
         bucket, $1, 7, name, email_id, mobile, account_number || '1', ifsc, address, city, state, zipcode, created_at
       from beneficiary limit 1 returning 1`,
      [two.id],
    );
    await expect(insert).rejects.toMatchObject({ code: "42501" });
    const nobody = inTransaction(requests, (connection) => connection.query("select from customer"));
    expect((await nobody).rowCount).toBe(0);
  });
});

type Named = { readonly merchantId: bigint };

describe("roles", () => {
  const rightsOf = async (role: string): Promise<object> => {
    const { rows } = await installation.pool.query<{ rights: string; tables: string[] }>(
      `select rights, array_agg(name order by name) as tables
       from (
         select table_name::text as name, string_agg(lower(privilege_type), ' ' order by privilege_type) as rights
         from information_schema.role_table_grants
         where table_schema = 'public' and grantee = $1 group by 1
       ) as granted
       group by rights`,
      [role],
    );
    return Object.fromEntries(rows.map(({ rights, tables }) => [rights, tables]));
  };

  test("that commit for many merchants at once may do what that takes, and nothing else", async () => {
    expect(await rightsOf("nodal_payouts")).toEqual({
      select: ["beneficiary", "data_key", "late_fee", "payout_policy", "provider_account", "transfer_in_hand"],
      "insert select": ["approval", "idempotency_key", "journal"],
      "insert select update": [
        "ledger_account",
        "ledger_book",
        "payment_review",
        "payout_day",
        "provider_notice",
        "transfer",
      ],
      "delete insert select": ["dispatch_claim"],
      "delete insert select update": [
        "dispatcher",
        "provider_downtime",
        "provider_payee",
        "rate_count",
        "transfer_dispatch",
      ],
    });
    expect(await rightsOf("nodal_invoices")).toEqual({
      insert: ["book_entry", "customer_group_member", "gst_document", "gst_problem", "notification", "settlement"],
      select: ["data_key", "notification_setting", "number_series", "template"],
      "insert select": ["customer", "customer_group", "invoice", "journal"],
      "select update": ["ledger_book"],
      "insert select update": ["book_day", "invoice_day", "invoice_month", "number_counter"],
      "delete insert select update": ["idempotency_key"],
    });
  });

  test("that commit for the merchants whom they name see and write the rows of these and of nobody else", async () => {
    const [one, two] = merchants.map(({ id }) => ({ merchantId: BigInt(id) })) as [Named, Named];
    const third = { merchantId: BigInt((await another()).id) };
    const pool = createPool({ url: installation.serverUrl, size: 2, role: "nodal_invoices", pipelined: true });
    try {
      const groups = new TenantGroups(pool);
      const { rows: tables } = await installation.pool.query<{ name: string }>(
        `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id'
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
           and has_column_privilege('nodal_invoices', c.oid, a.attnum, 'select')`,
      );
      expect(tables.length).toBeGreaterThan(12);
      const seen = async (db: Pick<OwnedPool, "query">): Promise<Set<bigint>> => {
        const found = new Set<bigint>();
        for (const { name } of tables) {
          const { rows } = await db.query<{ id: bigint }>(`select distinct merchant_id as id from ${name}`);
          for (const { id } of rows) found.add(id);
        }
        return found;
      };
      expect(await seen(groups.of([one, two]))).toEqual(new Set([one.merchantId, two.merchantId]));
      expect(await seen(groups.of([third]))).toEqual(new Set([third.merchantId]));
      expect(await seen(groups.of([]))).toEqual(new Set());
      expect(await seen(pool)).toEqual(new Set());
      const insert = `insert into number_counter (bucket, merchant_id, series_id, financial_year, last_number)
        select bucket, $1, series_id, 1999, 1 from number_series where merchant_id = $2 limit 1 returning 1`;
      const foreign = groups.of([one, two]).query(insert, [third.merchantId, one.merchantId]);
      await expect(foreign).rejects.toMatchObject({ code: "42501" });
      const { rowCount } = await groups
        .of([one, two])
        .query("update ledger_book set last_entry_no = last_entry_no where merchant_id = $1", [third.merchantId]);
      expect(rowCount).toBe(0);
    } finally {
      await pool.end();
    }
  });

  // On Citus customers are looked through without the function.
  test.runIf(CITUS_URL === null)(
    "of requests find no other merchant's customers by their parts, though the search looks with the owner's eyes",
    async () => {
      const [one, two] = merchants as [TestMerchant, TestMerchant];
      const { rows } = await installation.pool.query<{ bucket: number; customer_id: bigint }>(
        "select bucket, customer_id from customer where merchant_id = $1 and customer_name = 'Ravi Kumar'",
        [two.id],
      );
      const find = async (asker: TestMerchant): Promise<unknown[]> => {
        const db = new TenantDatabase(requests).of({ merchantId: BigInt(asker.id) });
        const search = "select id from customers_with_parts($1, $2, array['customer_name'], array['ravi kumar']) as id";
        return (await db.query<{ id: bigint }>(search, [rows[0]!.bucket, two.id])).rows;
      };
      expect(await find(two)).toEqual([{ id: rows[0]!.customer_id }]);
      expect(await find(one)).toEqual([]);
    },
  );
});

/** A third merchant, for what has to happen behind nobody else's walls. */
async function another(): Promise<TestMerchant> {
  const ids = new IdSource(installation.pool);
  const profile = { ...sampleProfile("Three", "three@example.com"), ...BANK };
  const [made] = await createMerchantsWithTemplate({ pool: installation.pool, ids }, [profile]);
  const { merchant, accessKeyId, secret } = made!;
  await fundMerchant(installation.pool, ids, { ...merchant, amountPaise: 1_000_000n, reference: "opening" });
  const keys = { access_key_id: accessKeyId, secret_access_key: secret };
  const signedIn = await TestMerchant.signIn(installation, String(merchant.merchantId), keys);
  merchants.push(signedIn);
  return signedIn;
}
