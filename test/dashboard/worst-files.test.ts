// Every reader of files is given the worst of its kind, and the server goes on answering. What each reader says of a
// file is tested beside it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_FILE_BYTES } from "../../src/platform/file-size.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { hasEnded } from "../support/nodal.ts";

let installation: Installation;
let merchant: TestMerchant;
let browser: Browser;

beforeAll(async () => {
  // A process of its own: a file that ends it must end no other test.
  installation = await Installation.startProcess();
  merchant = await installation.newMerchant();
  browser = await Browser.signIn(installation, await newPerson(installation, merchant.id));
});
afterAll(() => installation.stop());

/** Of the size that is let in, or of so many bytes. */
function filled(head: string, piece: string, tail = "", bytes = MAX_FILE_BYTES): string {
  return head + piece.repeat(Math.floor((bytes - head.length - tail.length) / Buffer.byteLength(piece))) + tail;
}

const MT940 = ":20:A\n:25:1\n:28C:1\n:60F:C261101INR0,\n";
const ENTITIES = Array.from({ length: 20 }, (_, index) => `<!ENTITY a${index + 1} "${`&a${index};`.repeat(10)}">`);

/** A quarter of what is let in: these files are read in the server, in pieces that all cost the same. */
const TABLE_BYTES = MAX_FILE_BYTES / 4;

/** Texts that cost as much as a text can, by what is bad about them. */
const TABLES: Readonly<Record<string, () => string>> = {
  "one huge cell": () => filled("name,amount\n", "x", "", TABLE_BYTES),
  "commas alone": () => filled("name,amount\n", ",", "", TABLE_BYTES),
  "a million rows": () => filled("name,amount\n", "a,1\n", "", TABLE_BYTES),
  "old line breaks alone": () => filled("name,amount\n", "\r", "", TABLE_BYTES),
  "a quotation mark that nothing closes": () => filled('name,amount\n"', "x\n", "", TABLE_BYTES),
  "quotation marks alone": () => filled("name,amount\n", '"', "", TABLE_BYTES),
  "a heading without end": () => filled("", "name,", "", TABLE_BYTES),
  "nothing but marks of separators": () => filled("sep=;\n", ";", "", TABLE_BYTES),
};
const STATEMENTS: Readonly<Record<string, () => string>> = {
  ...TABLES,
  "JSON of many empty items": () => filled('{"items":[', "{},", "{}]}"),
  "JSON that is nested without end": () => filled("", '{"a":'),
  "JSON of unusual numbers": () => filled("[", "1e3,", "1]"),
  "XML that is nested without end": () => filled("<Document>", "<a>"),
  "XML with an entity bomb": () =>
    `<!DOCTYPE a [<!ENTITY a0 "aaaaaaaaaa">${ENTITIES.join("")}]><Document>&a20;</Document>`,
  "XML of many attributes": () => filled("<Document ", 'a="b" ', "/>"),
  "XML of empty entries": () => filled("<Document><BkToCstmrStmt><Stmt>", "<Ntry/>"),
  "MT940 of empty lines": () => filled(`${MT940}:86:`, "\n"),
  "MT940 of many movements": () => filled(MT940, ":61:2611201120C1,NTRFX\n"),
};

const CSV = { "content-type": "text/csv" };
const READERS: readonly (readonly [path: string, files: Readonly<Record<string, () => string>>])[] = [
  ["/reconciliation/preview?account=Main", STATEMENTS],
  ["/payout-files/preview", TABLES],
  ["/beneficiary-files/preview", TABLES],
  ["/customer-files/preview", TABLES],
  ["/opening-balance-files/preview", TABLES],
  ["/receipt-files/preview", TABLES],
  ["/invoice-files/preview", TABLES],
];

/** Asks whether the server is there, again and again, until `work` is done. Returns the statuses. */
async function healthDuring(work: Promise<unknown>): Promise<Set<number>> {
  const statuses = new Set<number>();
  let isDone = false;
  const ended = work.finally(() => (isDone = true));
  do {
    const answer = await fetch(`${installation.server.baseUrl}/healthz`);
    statuses.add(answer.status);
    await answer.text();
  } while (!isDone);
  await ended;
  return statuses;
}

test.each(READERS.flatMap(([path, files]) => Object.entries(files).map(([name, make]) => ({ path, name, make }))))(
  "$path takes $name",
  async ({ path, make }) => {
    const sent = browser.post(path, make(), CSV);
    expect(await healthDuring(sent)).toEqual(new Set([200]));
    const { status, body } = await sent;
    // Read or refused, in a few words; nothing is as long as what was sent.
    expect([200, 400, 413]).toContain(status);
    expect(JSON.stringify(body).length).toBeLessThan(1_000_000);
    expect(hasEnded(installation.server.child)).toBe(false);
  },
);

test.each([
  ["a file that is larger than any", "/reconciliation/preview?account=Main", () => "x".repeat(MAX_FILE_BYTES + 1)],
  [
    "a statement of 37 MB of empty items",
    "/reconciliation/preview?account=Main",
    () => `{"items":[${"{},".repeat(12_000_000)}{}]}`,
  ],
])("%s is refused", async (_, path, make) => {
  const sent = browser.post(path, make(), CSV).catch(() => ({ status: 413 }));
  expect(await healthDuring(sent)).toEqual(new Set([200]));
  expect((await sent).status).toBe(413);
});

const JSON_TYPE = { "content-type": "application/json" };
const BODIES: Readonly<Record<string, (bytes: number) => string>> = {
  "unusual numbers": (bytes) => filled('{"a":[', "1e3,", "1]}", bytes),
  values: (bytes) => filled('{"a":[', "{},", "1]}", bytes),
  names: (bytes) => `{${Array.from({ length: Math.floor(bytes / 14) }, (__, index) => `"k${index}":1`).join(",")}}`,
  nesting: (bytes) => filled('{"a":', "[", "", bytes),
  "one text": (bytes) => filled('{"name":"', "x", '"}', bytes),
};

test.each(Object.entries(BODIES))("no body of JSON holds the server up: %s", async (_, make) => {
  const bearer = { ...JSON_TYPE, authorization: `Bearer ${merchant.token}` };
  const keys = JSON.stringify(merchant.keys).slice(0, -1);
  const sent = Promise.all([
    // A logo, a list of customers and of invoices from a file, and a form.
    browser.post("/templates", make(2_000_000), JSON_TYPE),
    browser.post("/customers/batch", make(4_000_000), JSON_TYPE),
    browser.post("/invoice-files", make(8_000_000), JSON_TYPE),
    browser.post("/beneficiaries", make(60_000), JSON_TYPE),
    installation.send("POST", "/api/v1/beneficiary/transfer", make(1_000_000), bearer),
    installation.send("POST", "/api/v1/beneficiary/transfer/batch", make(4_000_000), bearer),
    installation.send("POST", "/api/v3/merchant/invoice/save", `${keys},${make(8_000_000).slice(1)}`, JSON_TYPE),
    // Of a provider, to an account that is not there.
    installation.send("POST", "/hooks/razorpayx/1-1-1", make(60_000), JSON_TYPE),
  ]);
  expect(await healthDuring(sent)).toEqual(new Set([200]));
  for (const { status } of await sent) expect([400, 401, 404, 413]).toContain(status);
});
