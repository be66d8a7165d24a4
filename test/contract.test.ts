// Connectors and stand-ins have no path, status or code that the provider's contract table (docs/providers/) lacks: the words of
// their sources are compared with it, and so is every answer that the stand-in gives while everything is asked of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cashfree } from "../stand-ins/cashfree.ts";
import type { Protocol } from "../stand-ins/stand-in.ts";
import { razorpayx } from "../stand-ins/razorpayx.ts";
import { cashfreeWebhooks, driveCashfree } from "./support/cashfree-drive.ts";
import { driveRazorpayx, razorpayxWebhooks } from "./support/razorpayx-drive.ts";
import { Contract, findUncontracted } from "./support/contract.ts";
import { REPOSITORY } from "./support/files.ts";
import { RecordedStandIn, routesOf } from "./support/recorded-stand-in.ts";

type Side = {
  readonly name: string;
  readonly protocol: Protocol;
  /** Sources that speak the provider's words. */
  readonly files: readonly string[];
  /** Words in them that are not the provider's. */
  readonly own: readonly string[];
  /** Asks everything of the stand-in, over the connector too. */
  readonly drive: (standIn: RecordedStandIn) => Promise<void>;
  readonly webhooks: (standIn: RecordedStandIn) => unknown[];
  /** How many answers it gives at least. */
  readonly answers: number;
};

/** Words of JavaScript, of Node, and of what every connector and stand-in is made of. */
const OURS = [
  "string object function base64 base64url hex sha256 second Bearer authorization GET POST PUT PATCH DELETE get post put patch",
  "IMPS NEFT RTGS UPI PENDING SUCCESS FAILED REVERSED REJECTED PAID QUEUED",
  "payee submit status verify balance low_balance payment question review",
  // What is below it went well.
  "300",
].flatMap((words) => words.split(" "));

const SIDES: readonly Side[] = [
  {
    name: "cashfree",
    protocol: cashfree,
    files: [
      "src/payouts/providers/cashfree.ts",
      "src/payouts/providers/cashfree-codes.ts",
      "src/payouts/providers/cashfree-keys.ts",
      "src/payouts/providers/cashfree-verification.ts",
      "stand-ins/cashfree.ts",
      "stand-ins/cashfree-answers.ts",
      "stand-ins/cashfree-gateway.ts",
      "stand-ins/cashfree-links.ts",
      "stand-ins/gateway-bodies.ts",
      "stand-ins/gateway-book.ts",
      "stand-ins/gateway-notices.ts",
      "stand-ins/gateway-orders.ts",
      "stand-ins/cashfree-payees.ts",
      "stand-ins/cashfree-transfers.ts",
      "stand-ins/cashfree-verification.ts",
    ],
    own: [
      // The control API, ids of the stand-in, time, and this machine.
      "/_sim/links",
      "amount",
      "link",
      "session",
      "sim",
      "never",
      "localhost",
      "cashfree",
      "unauthorized",
      "invalid",
      "pending",
      "not_listed",
      "too_many",
      "not_found",
      "unknown_payee",
    ],
    drive: driveCashfree,
    webhooks: cashfreeWebhooks,
    answers: 150,
  },
  {
    name: "razorpayx",
    protocol: razorpayx,
    files: [
      "src/payouts/providers/razorpayx.ts",
      "src/payouts/providers/razorpayx-events.ts",
      "stand-ins/razorpayx.ts",
      "stand-ins/razorpayx-account.ts",
      "stand-ins/razorpayx-answers.ts",
      "stand-ins/razorpayx-payees.ts",
      "stand-ins/razorpayx-payouts.ts",
    ],
    own: [
      "razorpayx",
      "too_many",
      "not_found",
      "unknown_payee",
      "not_listed",
      "created_ms",
      "boolean",
      "narrative",
      "extra",
      // What the simulated bank says.
      "INVALID_IFSC_FAIL",
      "INVALID_ACCOUNT_FAIL",
      "BENE_BANK_DECLINED",
      "RETURNED_FROM_BENEFICIARY",
      "BANK_GATEWAY_ERROR",
      "INSUFFICIENT_BALANCE",
    ],
    drive: driveRazorpayx,
    webhooks: razorpayxWebhooks,
    answers: 100,
  },
];

const read = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");

describe.each(SIDES)("$name", ({ name, protocol, files, own, drive, webhooks, answers }) => {
  const contract = new Contract(read(`docs/providers/${name}.md`));
  let standIn: RecordedStandIn;

  beforeAll(async () => {
    standIn = await RecordedStandIn.start(protocol);
    await drive(standIn);
  });
  afterAll(() => standIn.stop());

  test.each(files)("%s speaks words of the table alone", (path) => {
    expect(findUncontracted(contract, read(path), new Set([...OURS, ...own]))).toEqual([]);
  });

  test("each of our own words is used", () => {
    const text = files.map(read).join("\n");
    expect(own.filter((word) => !text.includes(word) || contract.knows(word))).toEqual([]);
  });

  test("every file of the connector and the stand-in is looked at", () => {
    const imported = files.flatMap((path) =>
      [...read(path).matchAll(/from "\.\/([a-z-]+\.ts)"/g)].map(([, file]) => file!),
    );
    const missing = imported.filter(
      (file) => file.startsWith(name) && !files.some((path) => path.endsWith(`/${file}`)),
    );
    expect(missing).toEqual([]);
  });

  test("the stand-in has no route that the table lacks", () => {
    const routes = routesOf(protocol);
    expect(routes.length).toBeGreaterThan(5);
    expect(routes.filter(([method, path]) => !contract.hasCall(method, path))).toEqual([]);
  });

  test("every answer is one of the table, and every route was asked", () => {
    expect(standIn.answers.length).toBeGreaterThan(answers);
    expect([...new Set(standIn.answers.flatMap((answer) => contract.lacksOf(answer)))]).toEqual([]);
    const asked = new Contract(read(`docs/providers/${name}.md`));
    const silent = routesOf(protocol).filter(
      ([method, path]) => !standIn.answers.some((seen) => seen.method === method && isAt(path, seen.path)),
    );
    expect([silent, asked.facts.length > 50]).toEqual([[], true]);
  });

  test("every webhook is one of the table", () => {
    const bodies = webhooks(standIn);
    expect(bodies.length).toBeGreaterThan(2);
    expect(bodies.flatMap((body) => contract.lacksOfWebhook(body))).toEqual([]);
  });
});

function isAt(route: string, path: string): boolean {
  return new RegExp(`^${route.replaceAll(".", "\\.").replaceAll(/:[a-z_]+/g, "[^/]+")}$`).test(path);
}

describe("what the table lacks is found", () => {
  const PAGE = `# P

| Method and path | Status | Code | Fields | Source |
|---|---|---|---|---|
| any | 400 | invalid_request_error | type, message | [a] |
| GET /payout/transfers | 200 | SUCCESS | status, transfer_id | [a] |
| GET /payout/transfers | 404 | transfer_id_not_found | code, message | [a] |
| webhook | - | TRANSFER_SUCCESS | type, data | [a] |

[a]: https://example.com
`;
  const contract = new Contract(PAGE);

  test.each([
    ["a code", `if (code === "transfer_not_found") return null;`, "transfer_not_found"],
    ["a status of a table", `const S = { NEW_STATUS: "SUCCESS" };`, "NEW_STATUS"],
    ["a status in a switch", `switch (x) { case "HALTED": break; }`, "HALTED"],
    ["a word in a template", "const x = `${a}.vpa_wrong`;", "vpa_wrong"],
    ["a word at the end of a template", "const x = `vpa_wrong.${a}`;", "vpa_wrong"],
    ["a member that is sent", `const body = { transfer_wish: 1 };`, "transfer_wish"],
    ["a member that is read", `const x = body.transfer_wish;`, "transfer_wish"],
    ["a path", `call("/payout/transfer");`, "/payout/transfer"],
    ["a piece of a path", "call(`/transfers/batch/${id}`);", "/transfers/batch/"],
    ["an HTTP status", `if (status === 422) throw error;`, "422"],
  ])("%s in a source", (_what, text, word) => {
    expect(findUncontracted(contract, text, new Set())).toEqual([`1: ${word}`]);
  });

  test("words of the table, our own, sentences and types pass", () => {
    const text = `import { x } from "./wrong_name.ts";
      type T = "wrong_type";
      if (status === 404 && code === "transfer_id_not_found") call("/transfers", "Nothing is wrong here.", "ours_alone");`;
    expect(findUncontracted(contract, text, new Set(["ours_alone"]))).toEqual([]);
  });

  test.each([
    [{ method: "GET", path: "/payout/other", status: 200, body: {} }, "GET /payout/other 200: no such path"],
    [{ method: "GET", path: "/payout/transfers", status: 409, body: {} }, "GET /payout/transfers 409: no such status"],
    [
      { method: "GET", path: "/payout/transfers", status: 404, body: { code: "transfer_not_found" } },
      "GET /payout/transfers 404: no such code: transfer_not_found",
    ],
    [
      { method: "GET", path: "/payout/transfers", status: 200, body: { items: [{ status: "DONE" }] } },
      "GET /payout/transfers 200: no such member: items,GET /payout/transfers 200: no such status: DONE",
    ],
  ])("in an answer: %o", (answer, found) => {
    expect(contract.lacksOf(answer).join()).toBe(found);
  });

  test("in a webhook", () => {
    expect(contract.lacksOfWebhook({ type: "TRANSFER_SUCCESS", data: { status: "SUCCESS" } })).toEqual([]);
    expect(contract.lacksOfWebhook({ type: "TRANSFER_LOST" })).toEqual([
      "webhook: no such event: TRANSFER_LOST",
      "webhook: no such type: TRANSFER_LOST",
    ]);
  });

  test.each([
    ["| GET payout | 200 | - | x | [a] |", "is no call"],
    ["| any | 1200 | - | x | [a] |", "is no status"],
    ["| any | 200 | - | x | somewhere |", "has no source"],
    ["| any | 200 | - | x | [b] |", "source that is not defined"],
    ["| any | 200 | x | [a] |", "has not five cells"],
    ["| any | 400 | invalid_request_error | type | [a] |", "repeats a fact"],
  ])("a row that is no fact: %s", (row, problem) => {
    expect(() => new Contract(PAGE.replace("| webhook", `${row}\n| webhook`))).toThrow(problem);
  });
});
