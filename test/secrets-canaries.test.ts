// Nothing that has to be secret is readable in the database or the log, whatever was asked of the service.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listTables, quote } from "../src/platform/database/backup/catalog.ts";
import { IdSource } from "../src/platform/database/ids.ts";
import { createEndpoint, rotateSecret } from "../src/webhooks/index.ts";
import { Installation, type TestMerchant } from "./support/installation.ts";
import { nodal, nodalJson } from "./support/nodal.ts";
import { Receiver, until } from "./support/webhooks.ts";

const BENEFICIARY = { account_number: "7319000000000042", upi: "canary.asha@upi" };
const OTHER_HANDLE = "canary.other@upi";
const OWN = { account: "7319000000000059", pan: "CANAR7319Y" };
const FRANCHISE = { account_number: "7319000000000067", pan_number: "CANAR7320Y", aadhar_number: "731900000075" };
const CUSTOMER = { pan: "CANAR7322Y" };
const UPDATED = { pan_number: "CANAR7321Y", aadhar_number: "731900000083" };
/** Sent where it does not belong: as further members of every request, and where it is refused. */
const STRAY = "7319000000000091";
const IFSC = "HDFC0000001";

let installation: Installation;
let receiver: Receiver;
let merchant: TestMerchant;
let webhookSecrets: string[];
/** What signs tokens, in hexadecimal. */
let installationSecret: string;

beforeAll(async () => {
  receiver = await Receiver.start();
  // The receiver sends back what it was sent.
  receiver.respond = (response, { body }) => response.writeHead(200).end(body);
  installation = await Installation.startProcess({ LOG_LEVEL: "trace", WEBHOOK_ALLOW_PRIVATE: "on" });
  merchant = await installation.newMerchant({ fund: "10000.00", bank: { account_number: OWN.account, ifsc: IFSC } });
  const { environment } = installation;
  const { bucket, merchant_id: merchantId } = (
    await installation.pool.query<{ bucket: number; merchant_id: bigint }>(
      "select bucket, merchant_id from merchant where merchant_id = $1",
      [merchant.id],
    )
  ).rows[0]!;
  await nodalJson(environment, "merchant", "set", "--merchant", merchant.id, "--pan", OWN.pan);
  const ids = new IdSource(installation.pool);
  const context = { pool: installation.pool, ids, merchant: { bucket, merchantId } };
  const draft = { url: receiver.url(), description: "", eventTypes: null };
  const { endpoint, secret } = await createEndpoint(context, draft);
  webhookSecrets = [secret, (await rotateSecret(context, endpoint.endpointId)).secret];
  installationSecret = (await installation.readSecret()).toString("hex");
  await useEverything();
  await until(() => receiver.received.filter(({ type }) => type === "withdrawal.accepted").length > 0);
});
afterAll(async () => {
  await installation.stop();
  await receiver.stop();
});

function key(name: string): Record<string, string> {
  return { "idempotency-key": name };
}

/** Uses each endpoint as it is meant to be, and each once more with what it does not expect. */
async function useEverything(): Promise<void> {
  const save = { name: "Asha Rao", ifsc: IFSC, ...BENEFICIARY };
  const saved = await merchant.save(save, key("save"));
  expect(saved.status).toBe(200);
  expect((await merchant.save(save, key("save"))).body).toEqual(saved.body);
  expect((await merchant.save(save)).status).toBe(409);
  expect((await merchant.save({ name: "By handle", upi: BENEFICIARY.upi })).status).toBe(409);
  expect((await merchant.save({ name: "Other", upi: OTHER_HANDLE })).status).toBe(200);
  expect((await merchant.save({ name: "Bent", account_number: STRAY, ifsc: STRAY, upi: STRAY })).status).toBe(400);
  const detail = { account_number: BENEFICIARY.account_number, ifsc: IFSC };
  const found = await merchant.post("/api/v1/beneficiary/detail", detail);
  expect(found.body.success).toMatchObject({ bank_account_no: BENEFICIARY.account_number, upi: BENEFICIARY.upi });
  const missing = { account_number: STRAY, ifsc: IFSC };
  expect((await merchant.post("/api/v1/beneficiary/detail", missing)).status).toBe(404);
  expect(JSON.stringify((await merchant.list()).body)).toContain(BENEFICIARY.account_number);

  const transfer = { beneficiary_id: saved.body.beneficiary_id as string, amount: "10.00" };
  const byBank = await merchant.transfer({ ...transfer, reference_id: "bank", mode: "banktransfer" }, key("bank"));
  const byHandle = await merchant.transfer({ ...transfer, reference_id: "upi", mode: "upi" });
  expect([byBank.status, byHandle.status]).toEqual([200, 200]);
  expect(await merchant.record(byBank.body.transfer_id as string)).toMatchObject({
    bankAccount: BENEFICIARY.account_number,
  });
  const withdrawal = await merchant.withdraw({ amount: "5.00" }, key("withdraw"));
  expect(withdrawal.status).toBe(200);
  const withdrawn = await merchant.record(withdrawal.body.withdrawal_id as string);
  expect(withdrawn).toMatchObject({ bankAccount: OWN.account });
  const customer = [{ customer_code: "C1", customer_name: "Asha Rao", ...CUSTOMER }];
  expect((await merchant.post("/api/v1/merchant/customer/save", { ...merchant.keys, customer })).status).toBe(200);
  await useFranchises();
  await strayEverywhere();
}

async function useFranchises(): Promise<void> {
  const franchise = {
    franchise_code: "F1",
    franchise_name: "Pune Branch",
    contact_person_name: "Meera Shah",
    email_id: "pune@example.com",
    mobile: "9876543210",
    ...FRANCHISE,
    ifsc: IFSC,
    bank_holder_name: "Meera Shah",
    bank_name: "HDFC Bank",
    account_type: "Current",
    enable_online_settlement: 1,
    commission_type: "Percentage",
    commission: "10",
    settlement_type: "Manual",
  };
  const saved = await merchant.post("/api/v1/franchise/save", franchise, key("franchise"));
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  expect((await merchant.post("/api/v1/franchise/save", franchise, key("franchise"))).body).toEqual(saved.body);
  expect((await merchant.post("/api/v1/franchise/save", franchise)).status).toBe(409);
  const changes = { franchise_id: saved.body.franchise_id as string, ...UPDATED };
  expect((await merchant.post("/api/v1/franchise/update", changes, key("change"))).status).toBe(200);
}

/** Every POST of the API's own document, with members that it does not know and values that it does not take. */
async function strayEverywhere(): Promise<void> {
  const { body } = await installation.send("GET", "/openapi.json");
  const paths = Object.entries((body as { paths: Record<string, { post?: object }> }).paths);
  const posts = paths.filter(([, methods]) => methods.post).map(([path]) => path);
  expect(posts.length).toBeGreaterThan(10);
  for (const path of posts) {
    const stray = { account_number: STRAY, upi: STRAY, pan_number: STRAY, aadhar_number: STRAY, pan: STRAY };
    const sent = { ...merchant.keys, ...stray, invoice: [{ ...stray }], customer: [{ ...stray }], mobile: STRAY };
    const answer = await merchant.post(path, sent, key(`stray ${path}`));
    expect(answer.status, path).toBeLessThan(500);
  }
}

/** What must not be found, as it would stand in text, and in bytes as PostgreSQL prints them. */
function needles(): string[] {
  const values = [
    ...Object.values(BENEFICIARY),
    OTHER_HANDLE,
    ...Object.values(OWN),
    ...Object.values(FRANCHISE),
    ...Object.values(UPDATED),
    ...Object.values(CUSTOMER),
    STRAY,
    ...webhookSecrets,
  ];
  const forms = (text: string): string[] => {
    const bytes = Buffer.from(text);
    return [text, bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, "").slice(0, -1)];
  };
  // A secret of a webhook is used as the bytes behind its prefix.
  const ofSecrets = webhookSecrets.map((secret) =>
    Buffer.from(secret.slice("whsec_".length), "base64").toString("hex"),
  );
  return [...values.flatMap(forms), ...ofSecrets, installationSecret];
}

describe("after everything was used", () => {
  test("the receiver was told in full, as the API answers", () => {
    const told = receiver.received.map(({ body }) => body).join();
    for (const value of [...Object.values(BENEFICIARY), OWN.account]) expect(told).toContain(value);
  });

  test("no column of any table has it, but for the simulated bank's own book", async () => {
    const tables = await listTables(installation.pool);
    expect(tables.length).toBeGreaterThan(30);
    const found: string[] = [];
    for (const table of tables) {
      const { rows } = await installation.pool.query<{ needle: string }>(
        `select distinct needle from ${quote(table)} as row
         join unnest($1::text[]) as needle on position(lower(needle) in lower(row::text)) > 0`,
        [needles()],
      );
      if (`${table.schema}.${table.name}` === "simulator.payment") expect(rows.length).toBeGreaterThan(0);
      else found.push(...rows.map(({ needle }) => `${table.name}: ${needle}`));
    }
    expect(found).toEqual([]);
  });

  test("the webhook's attempts are kept with what was answered", async () => {
    const { rows } = await installation.pool.query<{ answer: string }>("select answer from webhook_attempt");
    expect(rows.length).toBeGreaterThan(0);
    for (const { answer } of rows) expect(answer).toMatch(/^enc1:/);
  });

  test("no line of the log has it, at its most talkative", () => {
    const { output } = installation.server;
    expect(output).toContain('"level":"debug"');
    expect(needles().filter((needle) => output.includes(needle))).toEqual([]);
  });

  test("verify opens all of it, and finds what was moved, changed or left plain", async () => {
    const { environment, pool } = installation;
    const verify = async (): Promise<{ ok: boolean; violations: { check: string; message: string }[] }> =>
      JSON.parse((await nodal(environment, "verify", "--deep", "--json")).stdout);
    expect(await verify()).toMatchObject({ ok: true, violations: [] });
    await pool.query("create table kept as select * from beneficiary");
    await pool.query(
      `update beneficiary set upi = (select upi from kept where kept.beneficiary_id <> beneficiary.beneficiary_id
         and kept.merchant_id = $1 and kept.upi is not null) where upi is not null and merchant_id = $1`,
      [merchant.id],
    );
    const moved = await verify();
    const values = moved.violations.filter(({ check }) => check === "encrypted_values");
    expect(values.map(({ check, message }) => [check, message.split(":", 2).join(":")])).toEqual([
      ["encrypted_values", "beneficiary: upi"],
      ["encrypted_values", "beneficiary: upi"],
    ]);
    await pool.query(
      "update beneficiary set upi = kept.upi from kept where kept.beneficiary_id = beneficiary.beneficiary_id",
    );
    await pool.query("update beneficiary set account_index = '\\x00' where merchant_id = $1 and name = 'Asha Rao'", [
      merchant.id,
    ]);
    expect((await verify()).violations.map(({ message }) => message)).toContain(
      "beneficiary: account_index is not the index of account_number and ifsc",
    );
    await pool.query(
      "update beneficiary set account_index = kept.account_index from kept where kept.beneficiary_id = beneficiary.beneficiary_id",
    );
    await pool.query("drop table kept");
    await expect(pool.query("update merchant set pan = $1", [OWN.pan])).rejects.toThrow("merchant_encrypted");
    expect(await verify()).toMatchObject({ ok: true });
  });

  test("commands mask it, and show it in full when asked to", async () => {
    const commands = [
      ["merchant", "show", "--merchant", merchant.id],
      ["franchise", "list", "--merchant", merchant.id],
      ["event", "list", "--merchant", merchant.id],
      ["simulator", "book", "--merchant", merchant.id],
    ];
    for (const command of commands) {
      const masked = await nodal(installation.environment, ...command, "--json");
      expect(masked.code, masked.stderr).toBe(0);
      const shown = needles().filter((needle) => masked.stdout.includes(needle));
      expect(shown, command.join(" ")).toEqual([]);
    }
    const franchise = await nodal(installation.environment, ...commands[1]!, "--json", "--reveal");
    const events = await nodal(installation.environment, ...commands[2]!, "--json", "--reveal");
    for (const value of [FRANCHISE.account_number, ...Object.values(UPDATED)])
      expect(franchise.stdout).toContain(value);
    for (const value of [...Object.values(BENEFICIARY), OWN.account]) expect(events.stdout).toContain(value);
    const statement = await nodal(installation.environment, "statement", "--merchant", merchant.id, "--json");
    expect(statement.stdout).toContain("account XXXX0042");
    expect(needles().filter((needle) => statement.stdout.includes(needle))).toEqual([]);
  });
});
