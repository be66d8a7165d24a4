// A new release's migrations under a running server of this one: nothing fails, and nothing is lost or doubled.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyInstallation } from "../src/installation/index.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { createPool, type OwnedPool } from "../src/platform/database/pool.ts";
import { Browser, newPerson } from "./support/dashboard.ts";
import { Installation, type TestMerchant } from "./support/installation.ts";
import { Invoices } from "./support/invoices.ts";
import { LATER, laterMigrations } from "./support/later-release.ts";
import type { Answer } from "./support/nodal.ts";
import { withTestSecrets } from "./support/secrets.ts";

/** Between two requests of a client. */
const PAUSE_MS = 5;
/** How many more requests each client sends after a migration. */
const AFTER = 8;

/** What releases after this one may bring, one a migration. */
const COMING = {
  "0003_every_table.sql": `
    do $$ declare each regclass; begin
      for each in
        select oid::regclass from pg_class where relkind in ('r', 'p') and not relispartition
        and relnamespace in ('public'::regnamespace, 'simulator'::regnamespace) order by oid
      loop execute format('alter table %s add column upgrade_note text not null default ''none''', each); end loop;
    end $$;`,
  "0004_nullable.sql": `
    alter table transfer add column colour_id bigint;
    alter table invoice add column colour_id bigint, add column colours text[];
    alter table merchant add column colour_id bigint;
    create index transfer_by_colour on transfer (bucket, merchant_id, colour_id) where colour_id is not null;
    create index invoice_by_colour on invoice (bucket, merchant_id, colour_id) where colour_id is not null;`,
};

let installation: Installation;
let owner: OwnedPool;
beforeAll(async () => {
  // A request waits for a migration of a busy machine as long as it takes there.
  installation = await Installation.startProcess({ LOCK_TIMEOUT_MS: "30000" });
  owner = withTestSecrets(createPool({ url: installation.databaseUrl, size: 1 }));
});
afterAll(async () => {
  await owner?.end();
  await installation?.stop();
});

/** Clients that send again and again, and keep what each request was answered. */
class Load {
  readonly refused: string[] = [];
  readonly answered = new Map<string, Answer[]>();
  readonly #clients: Promise<void>[] = [];
  /** How many requests of each client have been answered. */
  readonly #counts: number[] = [];
  #hasEnded = false;

  /** Sends what `ask` makes of a number of its own, one after the other. */
  add(name: string, ask: (number: string) => Promise<Answer>): void {
    this.#clients.push(this.#run(name, ask));
  }

  /** Waits until each client has had so many more answers, and at least half a second. */
  async goOn(count: number): Promise<void> {
    const before = [...this.#counts];
    await sleep(500);
    while (this.#counts.some((now, client) => now < before[client]! + count)) await sleep(PAUSE_MS);
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(this.#clients);
  }

  async #run(name: string, ask: (number: string) => Promise<Answer>): Promise<void> {
    const client = this.#counts.push(0) - 1;
    for (let count = 0; !this.#hasEnded; count += 1) {
      const answer = await ask(`${client}-${count}`).catch((error: unknown) => error as Error);
      if (answer instanceof Error) this.refused.push(`${name}: ${answer.stack}`);
      else if (answer.status !== 200) this.refused.push(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      else this.answered.set(name, [...(this.answered.get(name) ?? []), answer]);
      this.#counts[client]! += 1;
      await sleep(PAUSE_MS);
    }
  }
}

type Stage = {
  readonly payers: readonly TestMerchant[];
  readonly invoices: Invoices;
  readonly person: Browser;
};

async function addClients(load: Load, { payers, invoices, person }: Stage): Promise<void> {
  for (const payer of payers) {
    const beneficiary = await payer.addBeneficiary();
    const body = { beneficiary_id: beneficiary, amount: "1.00", narrative: "x" };
    for (let client = 0; client < 2; client += 1)
      load.add("transfer", (number) => payer.transfer({ ...body, reference_id: `u-${number}` }));
    load.add("reading payouts", async (number) => {
      const found = await Promise.all([payer.balance(), payer.list(), payer.status("referenceid", `u-0-${number}`)]);
      return found.find(({ status }) => status !== 200 && status !== 404) ?? found[0];
    });
    load.add("beneficiary", (number) =>
      payer.save({
        name: `Payee ${number}`,
        account_number: number.replace("-", "").padStart(12, "9"),
        ifsc: "YESB0000262",
      }),
    );
  }
  for (let client = 0; client < 2; client += 1) {
    load.add("invoice", async (number) => {
      const saved = await invoices.save(
        [
          {
            customer_code: "C1",
            bill_date: "2026-06-01",
            due_date: "2026-06-15",
            particular_rows: [{ item: "Work", total_amount: "100.00" }],
          },
        ],
        { "idempotency-key": `i-${number}` },
      );
      if (saved.status !== 200) return saved;
      const { invoice_id: invoiceId } = (saved.body as { srvrsp: [{ invoice_id: string }] }).srvrsp[0];
      const paid = await invoices.settle({ invoice_id: invoiceId, amount: "10.00" });
      return paid.status === 200 ? saved : paid;
    });
  }
  load.add("reading invoices", () => invoices.list());
  for (const path of ["/transfers", "/invoices", "/customers", "/beneficiaries", "/statement", "/audit"])
    load.add(`page ${path}`, () => person.get(path));
}

async function countOf(text: string, ...values: unknown[]): Promise<number> {
  return (await owner.query(text, values)).rows.length;
}

test("columns, tables and indexes come under a load of every kind, and every request is answered well", async () => {
  const payers = [
    await installation.newMerchant({ fund: "100000.00" }),
    await installation.newMerchant({ fund: "100000.00" }),
  ];
  const invoices = await Invoices.ofNewMerchant(installation);
  const person = await Browser.signIn(installation, await newPerson(installation, invoices.merchant.id));
  const load = new Load();
  try {
    await addClients(load, { payers, invoices, person });
    await load.goOn(AFTER);
    const names = Object.keys(COMING) as (keyof typeof COMING)[];
    expect(await migrate(owner, laterMigrations())).toEqual([LATER]);
    for (const [index, name] of names.entries()) {
      await load.goOn(AFTER);
      const release = Object.fromEntries(names.slice(0, index + 1).map((each) => [each, COMING[each]]));
      expect(await migrate(owner, laterMigrations(release))).toEqual([name]);
    }
    await load.goOn(AFTER);
  } finally {
    await load.stop();
  }
  expect(load.refused).toEqual([]);
  const ids = (name: string, field: string): string[] =>
    (load.answered.get(name) ?? []).map(({ body }) => String((body as Record<string, unknown>)[field]));
  const transferIds = ids("transfer", "transfer_id");
  expect(transferIds.length).toBeGreaterThanOrEqual(4 * 4 * AFTER);
  expect(await countOf("select from transfer where transfer_id = any ($1)", transferIds.map(BigInt))).toBe(
    transferIds.length,
  );
  expect(await countOf("select from transfer")).toBe(transferIds.length);
  const saved = load.answered.get("invoice")!.length;
  expect(saved).toBeGreaterThanOrEqual(2 * 4 * AFTER);
  expect(await countOf("select from invoice where merchant_id = $1", invoices.merchant.id)).toBe(saved);
  expect(await countOf("select from settlement where merchant_id = $1", invoices.merchant.id)).toBe(saved);
  const { violations, summary } = await verifyInstallation(owner);
  expect([violations, summary.ok]).toEqual([[], true]);
});
