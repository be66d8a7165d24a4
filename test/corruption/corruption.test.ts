// What the database's owner does with SQL, `nodal verify` says; and what he copies, works nowhere.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sealBooks } from "../../src/audit/seal-books.ts";
import { changeMerchant } from "../../src/merchants/index.ts";
import { fund } from "../support/ledger.ts";
import { CORRUPTIONS } from "./corruptions.ts";
import { CorruptionStage } from "./stage.ts";

let stage: CorruptionStage;

beforeAll(async () => {
  stage = await CorruptionStage.open();
});
afterAll(() => stage.db.close());

test("nothing is wrong with a sound database, and it has a head of its seals", async () => {
  const { ok, violations, seal_head } = await stage.verify();
  expect({ ok, violations }).toEqual({ ok: true, violations: [] });
  expect(seal_head).toMatch(/^[0-9a-f]{64}$/);
  expect(await stage.corrupted([], (pool) => stage.verify(pool))).toMatchObject({ ok: true, violations: [] });
});

test.each(CORRUPTIONS.map(({ what, ...corruption }) => [what, corruption] as const))(
  "%s",
  async (_, { sql, check }) => {
    const { ok, violations } = await stage.corrupted(sql, (pool) => stage.verify(pool));
    expect(ok).toBe(false);
    expect([...new Set(violations.map((violation) => violation.check))]).toContain(check);
  },
);

describe("an earlier state that is put back", () => {
  const TABLES = [
    ["journal", "ledger_book", "ledger_account", "funding", "transfer", "merchant"],
    ["journal_seal", "sealed_book", "sealed_thing"],
  ].flat();
  const CHAIN = ["seal_link", "seal_head"];

  const keep = (tables: readonly string[], where: string): string[] =>
    tables.map((table) => `create table kept_${table} as select * from ${table} ${where}`);
  const putBack = (tables: readonly string[], where: string): string[] =>
    tables.flatMap((table) => [`delete from ${table} ${where}`, `insert into ${table} select * from kept_${table}`]);

  beforeAll(async () => {
    const kept = [...keep(TABLES, "where merchant_id = $other"), ...keep(CHAIN, "")];
    for (const statement of kept) await stage.db.owner.query(stage.named(statement));
  });

  test("of one merchant with its seals is found without anything kept elsewhere", async () => {
    const other = { ...stage.merchant, merchantId: BigInt(stage.ids.get("other")!) };
    await changeMerchant({ pool: stage.db.server, ids: stage.db.ids, merchant: other }, { city: "Mysuru" });
    await sealBooks(stage.db.server);
    expect(await stage.verify()).toMatchObject({ ok: true });
    const statements = putBack(TABLES, "where merchant_id = $other");
    const { violations } = await stage.corrupted(statements, (pool) => stage.verify(pool));
    expect(violations.map(({ check }) => check)).toContain("seal_chain");
  });

  test("of the whole database is found by a head that was kept, and an earlier head stays in the chain", async () => {
    const { seal_head: kept } = await stage.verify();
    const head = Buffer.from(kept, "hex");
    await fund(stage.db, stage.merchant, 100n, "after the head");
    await sealBooks(stage.db.server);
    expect(await stage.verify(stage.db.owner, head)).toMatchObject({ ok: true });
    // Only the other merchant has anything newer than what was kept.
    const statements = [
      ...putBack(TABLES, "where merchant_id = $other"),
      "delete from journal_seal where link_no > (select link_no from kept_seal_head)",
      ...putBack(CHAIN, ""),
    ];
    const { violations } = await stage.corrupted(statements, (pool) => stage.verify(pool, head));
    expect(violations).toContainEqual(
      expect.objectContaining({ check: "seal_chain", message: expect.stringContaining("an earlier state") as string }),
    );
  });
});
