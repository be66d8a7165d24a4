// Going live, on a database in which the sandbox has a row in every table: what is copied, what stays, the requirements, and that
// concurrent requests and a crash leave one live merchant or none. test/wire/live.test.ts tests commands and the dashboard.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CorruptionStage } from "../../test/corruption/stage.ts";
import { fillEveryTable } from "../../test/support/every-table.ts";
import { giveSecondFactor } from "../../test/support/live.ts";
import { createTemplate, EMPTY_CONTENT } from "../invoices/index.ts";
import { setLogo } from "../invoices/templates/template-store.ts";
import {
  changeMerchant,
  changeUser,
  createUser,
  findMerchantByKey,
  requireMerchant,
  resetUserPassword,
  type Login,
  type Merchant,
  type MerchantKey,
} from "../merchants/index.ts";
import { findPasswordHash, findTotpSecret } from "../merchants/users/login-store.ts";
import { findByEmail } from "../merchants/users/sign-in-store.ts";
import { verifyPassword } from "../platform/password.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { createMerchantWithOwner } from "./create-merchants.ts";
import { goLive, type WentLive } from "./go-live.ts";
import { sampleProfile } from "./samples.ts";
import { changeMerchants, reproveLogins } from "../../test/support/reprove.ts";

/** Copied unchanged, except for these columns: ids, which are new, and values about days before the first. */
const TAKEN_OVER: Readonly<Record<string, readonly string[]>> = {
  role: ["proof"],
  payout_policy: ["proof"],
  notification_setting: ["reminded_on"],
  book_setting: ["locked_until"],
  number_series: ["series_id"],
  template: ["template_id", "series", "proof"],
};
/** With new rows from the first day: its empty book, its events, and its logins. */
const BEGUN = ["merchant", "merchant_notice", "ledger_book", "ledger_account", "journal", "login", "sign_in"];
/** A live merchant has no rows in these. A new table must be added to one of the lists. */
const LEFT_BEHIND = [
  "access_key",
  "approval",
  "beneficiary",
  "book_day",
  "book_entry",
  "commission",
  "commission_hold",
  "commission_payment",
  "commission_rate",
  "credit_note",
  "credit_note_refund",
  "customer",
  "customer_column",
  "customer_group",
  "customer_group_member",
  "email_change",
  "estimate",
  "franchise",
  "funding",
  "gst_document",
  "gst_problem",
  "idempotency_key",
  "invoice",
  "invoice_day",
  "invoice_draft",
  "invoice_month",
  "invoice_revision",
  "item",
  "login_session",
  "mail_address",
  "message_day",
  "notification",
  "number_counter",
  "password_reset",
  "payout_batch",
  "payout_batch_line",
  "payout_day",
  "book_balance",
  "payout_day_sum",
  "provider_account",
  "provider_downtime",
  "provider_notice",
  "provider_payee",
  "recovery_code",
  "statement_account",
  "statement_import",
  "statement_line",
  "clearing_item",
  "receipt",
  "receipt_refund",
  "advance_voucher",
  "advance_tax",
  "tds_claim",
  "reconciliation",
  "settlement",
  "subscription",
  "subscription_occurrence",
  "deposit",
  "late_fee",
  "payment_review",
  "transfer",
  "transfer_attachment",
  "transfer_dispatch",
  "transfer_tag",
  "webhook_attempt",
  "webhook_delivery",
  "webhook_endpoint",
  "webhook_secret",
];
/** Written later by the schedule that seals. */
const SEALED = ["journal_seal", "sealed_book", "sealed_thing"];

let stage: CorruptionStage;
let sandbox: Merchant;
let owner: Login;
let went: WentLive;

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(table: string, { merchantId }: MerchantKey, without: readonly string[] = []): Promise<string[]> {
  const { rows } = await stage.db.owner.query<{ row: Row }>(
    `select to_jsonb(${table}) as row from ${table} where merchant_id = $1`,
    [merchantId],
  );
  return rows
    .map(({ row }) => Object.entries(row).filter(([name]) => ![...OF_ROW, ...without].includes(name)))
    .map((entries) => JSON.stringify(entries))
    .toSorted();
}
/** Equal values that are encrypted differently each time a row is written. */
const ENCRYPTED_ANEW = ["pan", "bank_account"];
const OF_ROW = ["bucket", "merchant_id", "created_at"];

async function everyTable(): Promise<string[]> {
  const { rows } = await stage.db.owner.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and column_name = 'merchant_id' and table_type = 'BASE TABLE' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** The sandbox's rows, table by table, except for what going live changes. */
async function marksOf(merchant: MerchantKey): Promise<Record<string, string>> {
  const marks: Record<string, string> = {};
  for (const table of await everyTable()) {
    // The journals of both record that one went live.
    const noted = ["last_entry_no", "terms_version", "changed_at"];
    const changes = { merchant: ["counterpart_id", "proof", ...ENCRYPTED_ANEW], ledger_book: noted }[table] ?? [];
    if (table === "journal") continue;
    marks[table] = createHash("sha256")
      .update((await rowsOf(table, merchant, changes)).join("\n"))
      .digest("hex");
  }
  return marks;
}

function go({ merchantId }: Pick<MerchantKey, "merchantId">, logins: readonly bigint[] | null = null) {
  return goLive({ pool: stage.db.server, merchant: { merchantId }, kycRequired: false }, { logins, by: null });
}

/** A sandbox that can go live. */
async function newSandbox(fields: Partial<Merchant> = {}): Promise<{ sandbox: Merchant; ownerId: bigint }> {
  const { db } = stage;
  const bank = { bankAccount: "00011020001772", ifsc: "HDFC0000001" };
  const profile = { ...sampleProfile("Sandbox", "sandbox@example.com"), ...bank, ...fields };
  const { merchant } = await createMerchantWithOwner(
    { pool: db.server, ids: db.ids },
    { profile, userEmail: null, kycRequired: false },
  );
  const { rows } = await db.owner.query<{ login_id: bigint }>("select login_id from login where merchant_id = $1", [
    merchant.merchantId,
  ]);
  const ownerId = rows[0]!.login_id;
  await giveSecondFactor(db.server, { ...merchant, loginId: ownerId });
  return { sandbox: merchant, ownerId };
}

async function countOf(table: string): Promise<bigint> {
  const { rows } = await stage.db.owner.query<{ count: bigint }>(`select count(*) as count from ${table}`);
  return rows[0]!.count;
}

beforeAll(async () => {
  stage = await CorruptionStage.open();
  await fillEveryTable(stage);
  const { db } = stage;
  const context = { pool: db.server, ids: db.ids, merchant: stage.merchant };
  const draft = { kind: "user", email: "asha@example.com", name: "Asha", roleName: "Owner" } as const;
  const { loginId } = await createUser({ ...context, by: null }, draft);
  await giveSecondFactor(db.server, { ...stage.merchant, loginId });
  const second = { ...EMPTY_CONTENT, name: "Second", prefix: "B-{FY}-", width: 4, yearly: true, makeDefault: true };
  const { templateId } = await createTemplate(
    { ...context, idempotency: null, renderer: {} as never },
    { ...second, terms: "Net 30", creditPrefix: null, debitPrefix: null, estimatePrefix: null, logo: null },
  );
  const logo = { mimeType: "image/png", bytes: Buffer.from("a logo") } as const;
  await inTransaction(db.server, (connection) => setLogo(connection, { ...stage.merchant, templateId }, logo));
  await changeMerchants(db.owner, "update merchant set clock_date = current_date + 40 where merchant_id = $1", [
    stage.merchant.merchantId,
  ]);
  sandbox = await requireMerchant(db.server, stage.merchant.merchantId);
});
afterAll(() => stage.db.close());

describe("a live merchant that was opened beside a sandbox with something in every table", () => {
  let before: Record<string, string>;
  beforeAll(async () => {
    before = await marksOf(sandbox);
    went = await go(sandbox);
    owner = went.logins[0]!;
  });

  test("has what the lists say, and nothing else", async () => {
    const tables = await everyTable();
    const lists = [...Object.keys(TAKEN_OVER), ...BEGUN, ...LEFT_BEHIND, ...SEALED];
    expect(tables.filter((table) => !lists.includes(table))).toEqual([]);
    for (const [table, ownColumns] of Object.entries(TAKEN_OVER)) {
      const rows = await rowsOf(table, went.live, ownColumns);
      expect([table, rows]).toEqual([table, await rowsOf(table, sandbox, ownColumns)]);
      expect([table, rows.length > 0]).toEqual([table, true]);
    }
    for (const table of [...LEFT_BEHIND, ...SEALED])
      expect([table, await rowsOf(table, went.live)]).toEqual([table, []]);
  });

  test("has the sandbox's profile, and a book with nothing in it", async () => {
    const { bucket: _, merchantId, createdAt, ...live } = went.live;
    const { bucket: _bucket, merchantId: sandboxId, createdAt: began, ...earlier } = sandbox;
    expect(live).toEqual({
      ...earlier,
      live: true,
      counterpartId: sandboxId,
      clockDate: null,
      payoutRails: null,
    });
    expect(Temporal.Instant.compare(createdAt, began)).toBe(1);
    expect(await findMerchantByKey(stage.db.server, went.live)).toMatchObject({ merchantId, counterpartId: sandboxId });
    expect(await findMerchantByKey(stage.db.server, sandbox)).toEqual({ ...sandbox, counterpartId: merchantId });
    const { rows } = await stage.db.owner.query<Row>(
      `select available_paise + held_paise + abs(nodal_bank_paise) as paise,
         (select count(*) from journal where merchant_id = $1 and kind is not null) as postings
       from ledger_book where merchant_id = $1`,
      [merchantId],
    );
    expect(rows).toEqual([{ paise: 0n, postings: 0n }]);
  });

  test("numbers with series of its own, which its templates name as those of the sandbox do", async () => {
    const series = async ({ merchantId }: MerchantKey) => {
      const { rows } = await stage.db.owner.query<{ text: string; ids: bigint[] }>(
        `select string_agg(name || ' ' || own.prefix || ' ' || credit.prefix, ', ' order by name) as text,
           array_agg(own.series_id) || array_agg(credit.series_id) as ids
         from template
         join number_series own
           on own.bucket = template.bucket and own.merchant_id = template.merchant_id
           and own.series_id = (series ->> 'invoice')::bigint
         join number_series credit
           on credit.bucket = template.bucket and credit.merchant_id = template.merchant_id
           and credit.series_id = (series ->> 'credit_note')::bigint
         where template.merchant_id = $1`,
        [merchantId],
      );
      return rows[0]!;
    };
    const [live, earlier] = [await series(went.live), await series(sandbox)];
    expect(live.text).toBe(earlier.text);
    expect(live.ids.filter((id) => earlier.ids.includes(id))).toEqual([]);
  });

  test("is signed in to with the same password and second factor, by its link only", async () => {
    const { db } = stage;
    expect(went.logins.map(({ email }) => email)).toEqual(["asha@example.com"]);
    const key = (await findByEmail(db.server, { email: "asha@example.com", merchantId: sandbox.merchantId }))!;
    expect(await findTotpSecret(db.server, owner)).toBe(await findTotpSecret(db.server, key));
    expect(await findPasswordHash(db.server, owner)).toBe(await findPasswordHash(db.server, key));
    expect(owner).toMatchObject({ hasSecondFactor: true, roleName: "Owner", mustChangePassword: true });
    expect(await findByEmail(db.server, { email: owner.email, merchantId: null })).toMatchObject(key);
    const found = await findByEmail(db.server, { email: owner.email, merchantId: went.live.merchantId });
    expect(found?.loginId).toBe(owner.loginId);
    // From then on they are separate: a new password here is not one there.
    const managed = { kind: "user", loginId: key.loginId } as const;
    const password = await resetUserPassword({ pool: db.server, merchant: sandbox, by: null }, managed);
    expect(await verifyPassword(password, await findPasswordHash(db.server, key), "a")).toBe(true);
    expect(await verifyPassword(password, await findPasswordHash(db.server, owner), "a")).toBe(false);
  });

  test("leaves the sandbox as it was", async () => {
    const changed = Object.entries(await marksOf(sandbox)).filter(([table, mark]) => before[table] !== mark);
    // Its password was changed above.
    expect(changed.map(([table]) => table).filter((table) => !["login", "password_reset"].includes(table))).toEqual([]);
  });

  test("is told of in the logs of both, and verify finds nothing", async () => {
    const types = async ({ merchantId }: MerchantKey, after: string) => {
      const { rows } = await stage.db.owner.query<{ type: string }>(
        "select type from journal where merchant_id = $1 and after::text like $2 order by entry_no",
        [merchantId, after],
      );
      return rows.map(({ type }) => type);
    };
    expect(await types(sandbox, `%"counterpart_id": "${went.live.merchantId}"%`)).toEqual(["merchant.changed"]);
    expect(await types(went.live, "%")).toEqual([
      "merchant.created",
      "policy.changed",
      "login.created",
      "template.created",
      "template.created",
      "notification_setting.changed",
      "book_setting.changed",
    ]);
    await stage.seal();
    // Rows that a test wrote into the sandbox by SQL cause no violation.
    const { violations } = await stage.verify();
    expect(violations.filter(({ message }) => message.includes(String(went.live.merchantId)))).toEqual([]);
  });
});

describe("going live is refused", () => {
  const refusals: [string, string, () => Promise<unknown>][] = [
    ["a second time", "already_live", () => go(sandbox)],
    ["to a live merchant", "already_live", () => go(went.live)],
    ["to a merchant that there is not", "merchant_not_found", () => go({ merchantId: 5n })],
    [
      "to a sandbox without a bank account",
      "no_bank_account",
      async () => go((await newSandbox({ bankAccount: "", ifsc: "" })).sandbox),
    ],
    [
      "to a suspended sandbox",
      "access_denied",
      async () => {
        const { sandbox: merchant } = await newSandbox();
        await changeMerchant({ pool: stage.db.server, ids: stage.db.ids, merchant }, { status: "suspended" });
        return go(merchant);
      },
    ],
    [
      "without an Owner who has a second factor",
      "second_factor_required",
      async () => {
        const { sandbox: merchant, ownerId } = await newSandbox();
        await stage.db.owner.query("update login set totp_confirmed_at = null where login_id = $1", [ownerId]);
        await reproveLogins(stage.db.owner, merchant);
        return go(merchant);
      },
    ],
    [
      "with somebody who is no Owner",
      "validation_failed",
      async () => {
        const { sandbox: merchant, ownerId } = await newSandbox();
        const context = { pool: stage.db.server, ids: stage.db.ids, merchant, by: null };
        const draft = { kind: "user", email: "clerk@example.com", name: "Clerk", roleName: "Manager" } as const;
        return go(merchant, [ownerId, (await createUser(context, draft)).loginId]);
      },
    ],
    [
      "with an Owner who is disabled",
      "validation_failed",
      async () => {
        const { sandbox: merchant } = await newSandbox();
        const context = { pool: stage.db.server, ids: stage.db.ids, merchant, by: null };
        const draft = { kind: "user", email: "gone@example.com", name: "Gone", roleName: "Owner" } as const;
        const { loginId } = await createUser(context, draft);
        await changeUser(context, { kind: "user", loginId, changes: { disabled: true } });
        return go(merchant, [loginId]);
      },
    ],
  ];
  test.each(refusals)("%s", async (_, code, ask) => {
    await expect(ask()).rejects.toMatchObject({ code });
    const merchants = await countOf("merchant where live");
    expect(merchants).toBe(1n);
  });
});

test("of many at once one makes the live merchant, and the others are told which it is", async () => {
  const { sandbox: merchant } = await newSandbox();
  const lives = await countOf("merchant where live");
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => go(merchant)));
  const made = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value.live.merchantId] : []));
  expect(made).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status === "rejected")) {
    expect((answer as PromiseRejectedResult).reason).toMatchObject({
      code: "already_live",
      message: expect.stringContaining(String(made[0])) as string,
    });
  }
  expect(await countOf("merchant where live")).toBe(lives + 1n);
  expect(await countOf(`login where merchant_id = ${made[0]}`)).toBe(1n);
});
