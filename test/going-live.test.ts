// The guide to going live, followed word by word: each of its commands is run against a stand-in, and real money leaves.
// What belongs here: reading the guide and running it. Only ids, and the stand-in's port, are others than on the page.
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { requireMerchant } from "../src/merchants/index.ts";
import { newPerson } from "./support/dashboard.ts";
import { REPOSITORY } from "./support/files.ts";
import { Installation, TestMerchant, type Keys } from "./support/installation.ts";
import { giveSecondFactor } from "./support/live.ts";
import { freePort, nodal } from "./support/nodal.ts";

let installation: Installation;
let sandbox: TestMerchant;
let merchant: TestMerchant;
let standIn: ChildProcess | null = null;

beforeAll(async () => {
  installation = await Installation.shared();
  sandbox = await installation.newMerchant({ fund: "10.00" });
  const { id } = await newPerson(installation, sandbox.id);
  const { bucket, merchantId } = await requireMerchant(installation.pool, BigInt(sandbox.id));
  await giveSecondFactor(installation.pool, { bucket, merchantId, loginId: BigInt(id) });
});
afterAll(async () => {
  standIn?.kill();
  await installation.stop();
});

/** The lines of the guide's blocks of commands, in order. */
function commandsOf(page: string): string[] {
  const blocks = page.matchAll(/^```sh\n([\s\S]*?)^```/gm);
  return [...blocks].flatMap(([, block]) => block!.split("\n").filter((line) => line !== ""));
}

async function startStandIn(args: readonly string[], port: number): Promise<void> {
  standIn = spawn(process.execPath, ["stand-ins/run.ts", ...args, "--port", String(port)], { cwd: REPOSITORY });
  await new Promise((resolve) => standIn!.stdout!.once("data", resolve));
}

test("each command of the guide does what it says", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const environment: Record<string, string> = { ...installation.environment };
  let [accountId, liveId] = ["", ""];
  let paid: unknown;
  const commands = commandsOf(readFileSync(join(REPOSITORY, "docs/going-live.md"), "utf8"));
  expect(commands.length).toBeGreaterThan(6);
  for (const line of commands) {
    const words = line.split(" ");
    if (line.startsWith("npm run stand-in -- ")) {
      await startStandIn(words.slice(4), Number(new URL(url).port));
    } else if (line.startsWith("export ")) {
      const [name, value] = words[1]!.split("=");
      environment[name!] = value!;
    } else {
      expect(words[0]).toBe("nodal");
      // What it pays, it pays while the account is connected.
      if (words[2] === "disconnect") paid = await payOnce(url);
      const ids: Record<string, string> = {
        "1000001": sandbox.id,
        "<live_id>": liveId,
        "http://127.0.0.1:9701": url,
        "<account_id>": accountId,
      };
      const { code, stdout, stderr } = await nodal(
        environment,
        ...words.slice(1).map((word) => ids[word] ?? word),
        "--json",
      );
      expect([line, code, stderr]).toEqual([line, 0, ""]);
      const answer = JSON.parse(stdout) as Record<string, string>;
      if (words[2] === "go-live") liveId = answer["merchant_id"]!;
      if (words[2] === "connect") accountId = answer["account_id"]!;
      if (words[2] === "create") merchant = await TestMerchant.signIn(installation, liveId, keysOf(answer));
    }
  }
  expect(paid).toEqual({ amountPaise: 12_345, kind: "paid" });
  expect(await sandbox.available()).toBe("10.00");
  expect(await installation.findProblems()).toEqual([]);
});

function keysOf(answer: Record<string, string>): Keys {
  return { access_key_id: answer["access_key_id"]!, secret_access_key: answer["secret_access_key"]! };
}

/** Pays once, and returns what the stand-in's book says of it. */
async function payOnce(url: string): Promise<unknown> {
  await nodal(installation.environment, "fund", "--merchant", merchant.id, "--amount", "500.00", "--reference", "in");
  const beneficiary_id = await merchant.addBeneficiary();
  const body = { beneficiary_id, amount: "123.45", reference_id: "the first" };
  await vi.waitFor(async () => expect((await merchant.transfer(body)).status).toBe(200), {
    timeout: 10_000,
    interval: 500,
  });
  return vi.waitFor(
    async () => {
      const answer = await fetch(`${url}/_sim/book`);
      const { movements } = (await answer.json()) as { movements: { amountPaise: number; kind: string }[] };
      const { rows } = await installation.pool.query(
        "select from transfer where merchant_id = $1 and state = 'SUCCESS'",
        [merchant.id],
      );
      expect([movements.length, rows.length]).toEqual([1, 1]);
      return { amountPaise: movements[0]!.amountPaise, kind: movements[0]!.kind };
    },
    { timeout: 15_000, interval: 100 },
  );
}
