// Every route of /api/v4 refuses bad input: each of its fields is spoilt as the OpenAPI document describes it. The answer names all of
// them, and nothing is changed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { badRequestsOf, type BadRequest } from "../support/bad-input.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { isOfMerchant, operations, scopesOf, V4_BASE, type Operation } from "../support/v4-document.ts";

/** Ids of a form of their own. */
const IDS: Readonly<Record<string, string>> = {
  invoice_id: "R000000001",
  opening_balance_id: "R000000001",
  debit_note_id: "R000000001",
  ifsc: "HDFC0000001",
};

/** Bodies that are right, where no single member is required but one of several is. */
const GOOD_BODIES: Readonly<Record<string, unknown>> = {
  "POST /api/v4/webhooks/:endpoint_id/redeliver": { event: 1 },
  "POST /api/v4/installation/webhooks/:endpoint_id/redeliver": { event: 1 },
};

let installation: Installation;
let merchant: TestMerchant;
let owner: Browser;
let operator: Browser;

beforeAll(async () => {
  installation = await Installation.shared();
  merchant = await installation.newMerchant();
  owner = await Browser.signIn(installation, await newPerson(installation, merchant.id));
  operator = await Browser.signIn(installation, await newPerson(installation, null));
});
afterAll(() => installation.stop());

/** Who calls an operation, and where: an operator calls what only operators may. */
function callerOf(route: string, operation: Operation, { params = {} }: BadRequest) {
  const [method = "", url = ""] = route.split(" ");
  const path = url.slice(V4_BASE.length).replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? IDS[name] ?? "1");
  const scopes = scopesOf(operation);
  const isForOperators = scopes.length > 0 && scopes.every((scope) => /^(merchants|jobs|installation)\./.test(scope));
  if (!isForOperators) return { caller: owner, method, path };
  return { caller: operator, method, path: isOfMerchant(route) ? `/merchants/${merchant.id}${path}` : path };
}

async function countEntries(): Promise<number> {
  const sql = "select count(*)::integer as entries from journal where merchant_id = $1";
  const { rows } = await installation.pool.query<{ entries: number }>(sql, [merchant.id]);
  return rows[0]!.entries;
}

const tried = operations.map(({ route, operation }) => [route, operation, badRequestsOf(operation)] as const);

test.each(tried)("%s names what is wrong", async (route, operation, bad) => {
  const before = await countEntries();
  for (const request of bad) {
    const { caller, method, path } = callerOf(route, operation, request);
    const address = request.query === undefined ? path : `${path}?${request.query}`;
    const body = request.what === "unknown" ? (GOOD_BODIES[route] ?? request.body) : request.body;
    const answer = await caller.send(method, address, body);
    const named = ((answer.body.errors ?? []) as { field: string }[]).map(({ field }) => field);
    const lacking = request.fields.filter((field) => !named.includes(field));
    expect([request.what, answer.status, answer.body.code, lacking]).toEqual([
      request.what,
      400,
      "validation_failed",
      [],
    ]);
  }
  expect(await countEntries()).toBe(before);
});
