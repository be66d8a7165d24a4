// A record's list of members against what can't be made from it: the tables, the log's seals and the API's document.
import { afterAll, beforeAll, expect, test } from "vitest";
import { THING_KINDS } from "../src/audit/thing-facts.ts";
import { CUSTOMER_MEMBERS } from "../src/customers/customer-members.ts";
import { CONTACT_MEMBERS as FRANCHISE_MEMBERS } from "../src/franchises/contact-members.ts";
import { PROFILE_MEMBERS } from "../src/merchants/profile-members.ts";
import { BENEFICIARY_MEMBERS } from "../src/payouts/beneficiaries/beneficiary-members.ts";
import type { Member } from "../src/platform/member.ts";
import { Installation } from "./support/installation.ts";

type Schema = { readonly properties?: Readonly<Record<string, unknown>>; readonly items?: Schema };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
type Operation = { readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> } };

const RECORDS: readonly { table: string; members: readonly Member[]; request: string | null }[] = [
  { table: "customer", members: CUSTOMER_MEMBERS, request: "/api/v1/merchant/customer/save" },
  { table: "beneficiary", members: BENEFICIARY_MEMBERS, request: "/api/v1/beneficiary/save" },
  { table: "franchise", members: FRANCHISE_MEMBERS, request: "/api/v1/franchise/save" },
  { table: "merchant", members: PROFILE_MEMBERS, request: null },
];

let installation: Installation;
let document: Document;

beforeAll(async () => {
  installation = await Installation.shared();
  document = (await installation.send("GET", "/openapi.json")).body as Document;
});
afterAll(() => installation.stop());

const columnOf = ({ name, column = name }: Member): string => column;

test.each(RECORDS)("the table $table has a column for each member", async ({ table, members }) => {
  const { rows } = await installation.pool.query<{ column_name: string; data_type: string }>(
    "select column_name, data_type from information_schema.columns where table_schema = 'public' and table_name = $1",
    [table],
  );
  const texts = rows.filter(({ data_type }) => data_type === "text").map(({ column_name }) => column_name);
  expect(texts).toEqual(expect.arrayContaining(members.map(columnOf)));
});

test.each(RECORDS)("a change of a $table with SQL is noticed in each member", ({ table, members }) => {
  const kinds = THING_KINDS.filter((kind) => (kind.table ?? kind.kind) === table);
  const facts = kinds.flatMap(({ facts }) => facts.flatMap(({ sql }) => sql.split(/[ ,()']+/)));
  const secrets = kinds.flatMap(({ secrets = [] }) => secrets.map(({ column }) => column));
  // The sealed numbers of beneficiaries are looked up by an index of them, which is a fact.
  const sealed = table === "beneficiary" ? ["account_number", "upi"] : secrets;
  expect([...facts, ...sealed]).toEqual(expect.arrayContaining(members.map(columnOf)));
  for (const member of members) expect(sealed.includes(columnOf(member)), member.name).toBe(Boolean(member.isSealed));
});

test.each(RECORDS.filter(({ request }) => request !== null))(
  "a request to save a $table may have each member",
  ({ members, request }) => {
    const { content } = document.paths[request!]!["post"]!.requestBody;
    const found = namesIn(content["application/json"]!.schema);
    expect([...found]).toEqual(expect.arrayContaining(members.map(({ name }) => name)));
  },
);

/** The members of a schema, and of those that it is made of. */
function namesIn(schema: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== "object" || schema === null) return found;
  const { $ref, properties } = schema as Schema & { readonly $ref?: string };
  if ($ref !== undefined) return namesIn(document.components.schemas[$ref.split("/").at(-1)!], found);
  for (const name of Object.keys(properties ?? {})) found.add(name);
  for (const value of Object.values(schema)) namesIn(value, found);
  return found;
}
