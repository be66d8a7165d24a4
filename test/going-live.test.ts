// The guide to going live, followed to the letter in a fresh installation: each of its commands runs against stand-ins, and a payment leaves.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AuthenticatorApp, Browser } from "./support/dashboard.ts";
import { startDemo, type DemoInstallation } from "./support/demo.ts";
import { REPOSITORY } from "./support/files.ts";
import { freePort, nodal, nodalJson, send } from "./support/nodal.ts";

type Record = Readonly<{ [member: string]: string }>;

let demo: DemoInstallation;
const standIns: ChildProcess[] = [];

beforeAll(async () => {
  demo = await startDemo();
});
afterAll(async () => {
  for (const child of standIns) child.kill("SIGKILL");
  await demo.stop();
});

/** The lines of the guide's blocks of commands, in order. */
function commandsOf(page: string): string[] {
  const blocks = page.matchAll(/^```sh\n([\s\S]*?)^```/gm);
  return [...blocks].flatMap(([, block]) => block!.split("\n").filter((line) => line !== ""));
}

/** The words of a line as a shell reads them, with the variables that the page has named. */
async function wordsOf(line: string, variables: Record): Promise<string[]> {
  const { stdout } = await promisify(execFile)("bash", ["-uc", `printf '%s\\0' ${line}`], { env: variables });
  return stdout.split("\0").slice(0, -1);
}

/** `npm run stand-in -- PROVIDER` with a port of its own; it ends on SIGTERM, as a terminal or a supervisor sends it. */
async function startStandIn(args: readonly string[]): Promise<string> {
  const port = await freePort();
  const child = spawn("npm", ["run", "stand-in", "--", ...args, "--port", String(port)], { cwd: REPOSITORY });
  standIns.push(child);
  let output = "";
  while (!output.includes("what it paid")) output += String((await once(child.stdout, "data"))[0]);
  return `http://127.0.0.1:${port}`;
}

/** The third thing that the page asks for, as its reader does it in the dashboard. */
async function setUpSecondFactor(): Promise<void> {
  const { email, password } = demo.owner;
  const owner = await Browser.signIn({ server: demo }, { email, password, merchant: demo.merchantId });
  const newPassword = "seven calm rivers";
  expect(
    (await owner.post("/session/password/change", { old_password: password, new_password: newPassword })).status,
  ).toBe(200);
  const { secret } = (await owner.post("/session/second-factor/enrol", { password: newPassword })).body as {
    secret: string;
  };
  const code = await new AuthenticatorApp(secret).nextCode();
  expect((await owner.post("/session/second-factor/confirm", { code })).status).toBe(200);
}

test("each command of the guide does what it says", async () => {
  await setUpSecondFactor();
  const variables: { [name: string]: string } = { ...demo.environment, MERCHANT: demo.merchantId };
  /** The address that the page has, and where the stand-in really is. */
  const addresses = new Map<string, string>();
  let [keys, paid]: [Record, unknown] = [{}, null];
  const commands = commandsOf(readFileSync(join(REPOSITORY, "docs/going-live.md"), "utf8"));
  expect(commands.length).toBeGreaterThan(12);
  for (const line of commands) {
    const words = await wordsOf(line, variables);
    if (line.startsWith("npm run stand-in -- ")) {
      addresses.set(`http://127.0.0.1:${9701 + addresses.size}`, await startStandIn(words.slice(4)));
      continue;
    }
    if (words[0] === "export") {
      const [name, value] = words[1]!.split("=");
      variables[name!] = value!;
      continue;
    }
    expect(words[0]).toBe("nodal");
    // It pays while the accounts are connected.
    if (words[2] === "disconnect") paid = await payOnce(variables["LIVE"]!, keys, [...addresses.values()]);
    const args = words.slice(1).map((word) => addresses.get(word) ?? word);
    const { code, stdout, stderr } = await nodal(variables, ...args, "--json");
    expect([line, code, stderr]).toEqual([line, 0, ""]);
    const answer = JSON.parse(stdout) as Record;
    if (words[2] === "go-live") variables["LIVE"] = answer["merchant_id"]!;
    if (words[2] === "connect") variables["ACCOUNT"] = answer["account_id"]!;
    if (words[1] === "key") keys = answer;
  }
  expect(paid).toEqual([{ amountPaise: 12_345, kind: "paid" }]);
  expect(await nodalJson(demo.environment, "verify")).toMatchObject({ ok: true });
});

test("npm run stand-in ends on SIGTERM", async () => {
  const ended = standIns.map((child) => once(child, "exit"));
  for (const child of standIns) child.kill("SIGTERM");
  expect(standIns).toHaveLength(2);
  await Promise.all(ended);
});

/** Pays once, and returns what the books of the stand-ins hold once it is there. */
async function payOnce(live: string, keys: Record, standInUrls: readonly string[]): Promise<unknown[]> {
  await nodalJson(demo.environment, "fund", "--merchant", live, "--amount", "500.00", "--reference", "in");
  const given = { access_key_id: keys["access_key_id"], secret_access_key: keys["secret_access_key"] };
  const { body } = await send(demo.baseUrl, "POST", "/api/token", given);
  const headers = { authorization: `Bearer ${(body as { success: { token: string } }).success.token}` };
  const call = (path: string, members: object) => send(demo.baseUrl, "POST", `/api/v1/${path}`, members, headers);
  const payee = { name: "Asha Rao", account_number: "026291800001191", ifsc: "YESB0000262" };
  const { beneficiary_id } = (await call("beneficiary/save", payee)).body as { beneficiary_id: string };
  const transfer = { beneficiary_id, amount: "123.45", reference_id: "the first" };
  // A server notices a new account within two seconds, and answers `PENDING` until the bank has decided. The merchant may send
  // 30 requests a minute.
  const status = async () => {
    const answer = await call("beneficiary/transfer", transfer);
    return (answer.body as { transfer_status?: string }).transfer_status;
  };
  await expect.poll(status, { interval: 2500 }).toBe("SUCCESS");
  const books = standInUrls.map(async (url) => {
    const answer = await fetch(`${url}/_sim/book`);
    return ((await answer.json()) as { movements: { amountPaise: number; kind: string }[] }).movements;
  });
  return (await Promise.all(books)).flat().map(({ amountPaise, kind }) => ({ amountPaise, kind }));
}
