// Values written by a table's list of columns are read back unchanged.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { readSecretRows, secretsOf } from "../secrets/index.ts";
import { findFault, resealRow } from "../secrets/secret-table.ts";
import type { Pool } from "./pool.ts";
import { NOW, table, type Row } from "./table.ts";

type ThingKey = { readonly bucket: number; readonly ownerId: bigint; readonly thingId: bigint };
type Thing = ThingKey & {
  readonly name: string;
  readonly secretNumber: string | null;
  readonly count: number | null;
  readonly isOpen: boolean;
  readonly day: Temporal.PlainDate | null;
  readonly madeAt: Temporal.Instant;
  readonly labels: readonly { readonly label: string }[];
  readonly picture: Uint8Array | null;
  readonly account: { readonly holder: string; readonly number: string };
  readonly pause: { readonly reason: string; readonly until: Temporal.Instant } | null;
};

const THINGS = table<Thing, ThingKey>("thing", ["bucket", "ownerId", "thingId"], {
  bucket: "smallint",
  ownerId: "bigint",
  thingId: "bigint",
  name: "thing_name text",
  secretNumber: "text sealed",
  count: "integer",
  isOpen: "boolean",
  day: "date",
  madeAt: "timestamptz",
  labels: "jsonb",
  picture: "bytea",
  account: { holder: "text", number: "account_number text sealed" },
  pause: { reason: "pause_reason text", until: "pause_until timestamptz" },
});

const FULL: Thing = {
  bucket: 3,
  ownerId: 9_007_199_254_740_993n,
  thingId: 1n,
  name: `quoted "name", {braces} \\ and NULL`,
  secretNumber: "1234",
  count: -7,
  isOpen: true,
  day: Temporal.PlainDate.from("2024-02-29"),
  madeAt: Temporal.Instant.from("2026-11-22T12:30:00.123456Z"),
  labels: [{ label: `a "b"` }],
  picture: Buffer.from([0, 1, 255]),
  account: { holder: "Asha", number: "00011" },
  pause: { reason: "rain", until: Temporal.Instant.from("2026-11-23T00:00:00Z") },
};
const SPARSE: Thing = {
  ...FULL,
  thingId: 2n,
  name: "",
  secretNumber: null,
  count: null,
  isOpen: false,
  day: null,
  labels: [],
  picture: null,
  account: { holder: "", number: "" },
  pause: null,
};

let db: LedgerDatabase;
let pool: Pool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  pool = db.owner;
  await pool.query(
    `create table thing (
       bucket smallint, owner_id bigint, thing_id bigint, thing_name text, secret_number text, count integer, is_open boolean,
       day date, made_at timestamptz, labels jsonb, picture bytea, holder text, account_number text, pause_reason text,
       pause_until timestamptz, note text not null default 'none')`,
  );
});
afterAll(() => db.close());

async function save(things: readonly Thing[]): Promise<void> {
  await pool.query("delete from thing");
  const { columns, arrays, values } = THINGS.arrays(things, { from: 2, secrets: await secretsOf(pool) });
  await pool.query(`insert into thing (note, ${columns}) select $1, * from unnest(${arrays})`, ["said", ...values]);
}

async function list(): Promise<Thing[]> {
  const { rows } = await pool.query<Row>("select * from thing order by thing_id");
  return readSecretRows(pool, rows, THINGS.read);
}

/** Temporal values can only be compared by their text. */
const comparable = (things: readonly Thing[]): unknown[] =>
  things.map((thing) => ({
    ...thing,
    day: thing.day && String(thing.day),
    madeAt: String(thing.madeAt),
    pause: thing.pause && { ...thing.pause, until: String(thing.pause.until) },
  }));

test("rows of every type are written many at once, and read as they were", async () => {
  await save([FULL, SPARSE]);
  expect(comparable(await list())).toEqual(comparable([FULL, SPARSE]));
});

test("encrypted columns are encrypted for their own row, and not read without secrets", async () => {
  await save([FULL]);
  const { rows } = await pool.query<Row & { secret_number: string; account_number: string }>("select * from thing");
  expect(rows[0]).toMatchObject({
    secret_number: expect.stringMatching(/^enc1:/),
    account_number: expect.stringMatching(/^enc1:/),
  });
  const secrets = await secretsOf(pool);
  expect(secrets.unseal("thing.secret_number", [3, FULL.ownerId, 1n], rows[0]!.secret_number)).toBe("1234");
  expect(() => THINGS.read(rows[0]!)).toThrow("no secrets");
  expect(() => THINGS.read({ ...rows[0]!, thing_id: 2n }, secrets)).toThrow("belongs to another row");
});

test("a value that is bound to another column opens beside that only, also after it is encrypted again", async () => {
  type Access = ThingKey & Pick<Thing, "name" | "secretNumber">;
  const bound = table<Access, ThingKey>(
    "thing",
    ["bucket", "ownerId", "thingId"],
    { bucket: "smallint", ownerId: "bigint", thingId: "bigint", name: "thing_name text", secretNumber: "text sealed" },
    { secretNumber: ["name"] },
  );
  const { bucket, ownerId, thingId, name, secretNumber } = FULL;
  const access = { bucket, ownerId, thingId, name, secretNumber };
  await pool.query("delete from thing");
  await bound.insert(pool, access);
  expect(await bound.find(pool, access)).toEqual(access);
  await expect(bound.update(pool, { bucket, ownerId, thingId, secretNumber: "5678" })).rejects.toThrow("write both");
  const secrets = await secretsOf(pool);
  const { rows } = await pool.query<Row>("select bucket, owner_id, thing_id, thing_name, secret_number from thing");
  const secretTable = bound.secretTable();
  const again = { ...rows[0]!, ...resealRow(secrets, secretTable, rows[0]!) };
  expect(again).not.toEqual(rows[0]);
  expect(bound.read(again, secrets)).toEqual(access);
  expect(findFault(secrets, secretTable, again)).toBeNull();
  const moved = { ...again, thing_name: "elsewhere" };
  expect(() => bound.read(moved, secrets)).toThrow("a column that is bound to it was changed");
  expect(findFault(secrets, secretTable, moved)).toContain("secret_number: ");
});

test("an assignment writes what is given and nothing else; null is given, undefined is not", async () => {
  await save([FULL]);
  const changes = { count: undefined, day: null, secretNumber: "5678", account: { holder: "Ravi", number: "2" } };
  const { bucket, ownerId, thingId } = FULL;
  const { assignments, values } = THINGS.assign(
    { bucket, ownerId, thingId, ...changes },
    { secrets: await secretsOf(pool) },
  );
  expect(assignments).toEqual(["secret_number = $4", "day = $5", "holder = $6", "account_number = $7"]);
  await pool.query(`update thing set ${assignments.join(", ")} where bucket = $1 and owner_id = $2 and thing_id = $3`, [
    bucket,
    ownerId,
    thingId,
    ...values,
  ]);
  const changed = { ...FULL, day: null, secretNumber: "5678", account: { holder: "Ravi", number: "2" } };
  expect(comparable(await list())).toEqual(comparable([changed]));
});

test("many rows are updated from a part of the columns; the others stay", async () => {
  await save([FULL, SPARSE]);
  const part = THINGS.without("secretNumber", "labels", "picture", "account", "pause", "madeAt");
  const { columns, arrays, values } = part.arrays([
    { ...FULL, name: "one" },
    { ...SPARSE, name: "two", count: 4 },
  ]);
  await pool.query(
    `update thing set ${part.assignmentsFrom("changed")} from unnest(${arrays}) as changed (${columns})
     where thing.thing_id = changed.thing_id`,
    values,
  );
  const changed = [
    { ...FULL, name: "one" },
    { ...SPARSE, name: "two", count: 4 },
  ];
  expect(comparable(await list())).toEqual(comparable(changed));
});

test("what encrypts a table again knows its key and its encrypted columns from the list", () => {
  expect(THINGS.secretTable()).toEqual({
    table: "thing",
    key: { bucket: "smallint", owner_id: "bigint", thing_id: "bigint" },
    path: ["bucket", "owner_id", "thing_id"],
    columns: ["secret_number", "account_number"],
    beside: {},
    indexes: [],
  });
});

test("a column that is an array is not written by arrays, which would take it apart", () => {
  const tagged = table<{ readonly id: bigint; readonly tags: readonly string[] }, { readonly id: bigint }>(
    "tagged",
    ["id"],
    {
      id: "bigint",
      tags: "text[]",
    },
  );
  expect(() => tagged.arrays([{ id: 1n, tags: ["a", "b"] }])).toThrow("tagged.tags is an array");
});

test("a row is inserted as far as it is given, found, changed under a condition and removed by its key", async () => {
  await pool.query("delete from thing");
  const key = { bucket: 3, ownerId: 1n, thingId: 7n };
  const given = { ...key, name: "one", madeAt: NOW, day: null, secretNumber: "77", account: FULL.account };
  expect(await THINGS.insert(pool, { ...given, isOpen: undefined })).toBe(true);
  expect(await THINGS.find(pool, key)).toMatchObject({
    name: "one",
    secretNumber: "77",
    isOpen: null,
    account: FULL.account,
  });
  expect(await THINGS.find(pool, { ...key, thingId: 8n })).toBeNull();
  expect(await THINGS.update(pool, { ...key, name: "two", secretNumber: "78" }, "count is not null")).toBe(false);
  expect(await THINGS.update(pool, { ...key, name: "two", secretNumber: "78" })).toBe(true);
  expect(await THINGS.find(pool, key, true)).toMatchObject({ name: "two", secretNumber: "78" });
  expect(await THINGS.delete(pool, key)).toBe(true);
  expect(await THINGS.delete(pool, key)).toBe(false);
});

test("whole rows are inserted many at once, and read by whatever finds them", async () => {
  await pool.query("delete from thing");
  expect(await THINGS.insertAll(pool, [FULL, SPARSE])).toBe(2);
  const found = await THINGS.select(pool, "select * from thing where thing_id > $1 order by thing_id", [0n]);
  expect(comparable(found)).toEqual(comparable([FULL, SPARSE]));
});
