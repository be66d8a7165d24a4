// A server with its database for a file of wire tests, and merchants that cost no start of a command. Every answer is
// kept, to compare with the OpenAPI document. No assertion.
import { setTimeout as sleep } from "node:timers/promises";
import { verifyInstallation } from "../../src/installation/index.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { profileRecord, createMerchants, readInstallationSecret } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import { parsePaise } from "../../src/platform/money.ts";
import type { TestDatabase } from "./database-copy.ts";
import { hasEnded, type NodalProcess, send, type Answer, type Environment } from "./nodal.ts";
import { environmentOf, makePreparedDatabase } from "./prepared-data.ts";
import { startServers } from "./proxied-servers.ts";
import { TEST_ACTOR, withTestSecrets } from "./secrets.ts";

export type Keys = { readonly access_key_id: string; readonly secret_access_key: string };
export type Account = { readonly account_number: string; readonly ifsc: string };
/** The members of a request body. */
export type Members = Readonly<Record<string, unknown>>;

type OpenApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Members }>>>>;
};
type NewMerchantOptions = {
  readonly fund?: string;
  readonly name?: string;
  readonly bank?: Account;
  readonly live?: boolean;
};

/** A sandbox account to which every transfer succeeds. */
export const GOOD_ACCOUNT: Account = { account_number: "026291800001191", ifsc: "YESB0000262" };

const PLAIN_PROFILE = {
  ...profileRecord.blank,
  email: "wire@example.com",
  mobile: "",
  address: "",
  city: "",
  state: "Karnataka",
  zipcode: "",
  gstin: "",
  pan: "",
  bankHolder: "",
  timeZone: "Asia/Kolkata",
};
const SETTLE_TIMEOUT_MS = 180_000;

let shared: Installation | null = null;

/** A running server with its database. */
export class Installation {
  /** What a command line of this installation needs. */
  readonly environment: Environment;
  readonly server: NodalProcess;
  /** The database in use, as its owner. */
  readonly databaseUrl: string;
  /** The database as the server reaches it, for connections that take a role. */
  readonly serverUrl: string;
  readonly pool: OwnedPool;
  readonly #database: TestDatabase;
  readonly #ids: IdSource;
  readonly #answers: { readonly method: string; readonly path: string; readonly status: number }[] = [];
  #isSpoiled = false;

  private constructor(database: TestDatabase, environment: Environment, server: NodalProcess) {
    this.#database = database;
    this.environment = environment;
    this.serverUrl = environment["DATABASE_URL"]!;
    this.server = server;
    this.databaseUrl = database.url;
    this.pool = withTestSecrets(createPool({ url: database.url, size: 2, actor: TEST_ACTOR }));
    this.#ids = new IdSource(this.pool);
  }

  /** Starts a server on a new database, in the process of this worker's servers. */
  static async start(settings: Environment = {}): Promise<Installation> {
    const database = await makePreparedDatabase();
    return Installation.#on(database, await environmentOf(database), settings, false);
  }

  /** The same with a process of its own, for what ends it, measures it or reads all that it prints; `reach` says how to reach the database. */
  static async startProcess(settings: Environment = {}, reach = environmentOf): Promise<Installation> {
    const database = await makePreparedDatabase();
    return Installation.on(database, await reach(database), settings);
  }

  /** Starts a server in a process of its own on a database, which it releases in the end. */
  static on(database: TestDatabase, environment: Environment, settings: Environment): Promise<Installation> {
    return Installation.#on(database, environment, settings, true);
  }

  static async #on(
    database: TestDatabase,
    environment: Environment,
    settings: Environment,
    isAlone: boolean,
  ): Promise<Installation> {
    try {
      return new Installation(database, environment, await startServers({ ...environment, ...settings }, isAlone));
    } catch (error) {
      // The file's `afterAll` has nothing to stop yet.
      await database.release();
      throw error;
    }
  }

  /**
   * The one that the files of this worker share, without settings: for a file that only uses merchants which it created itself, and
   * leaves the server running.
   */
  static async shared(): Promise<Installation> {
    if (shared !== null && hasEnded(shared.server.child)) await shared.stop();
    return (shared ??= await Installation.start());
  }

  /** Stops the server and removes its data. A shared one goes on for the next file, if this one left it sound. */
  async stop(): Promise<void> {
    if (this === shared) {
      this.#answers.length = 0;
      if (!this.#isSpoiled && !hasEnded(this.server.child)) return;
      shared = null;
    }
    await this.pool.end();
    await this.server.stop();
    await this.#database.release();
  }

  /** Sends one request and records its answer. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await send(this.server.baseUrl, method, path, body, headers);
    this.#answers.push({ method, path: path.split("?", 1)[0]!, status: answer.status });
    return answer;
  }

  /** Makes a merchant with this much money (rupees), and signs it in. */
  async newMerchant(options: NewMerchantOptions = {}): Promise<TestMerchant> {
    const { name = "Wire Traders", bank = { account_number: "", ifsc: "" }, live = false } = options;
    const profile = { ...PLAIN_PROFILE, name, bankAccount: bank.account_number, ifsc: bank.ifsc, live };
    const [created] = await createMerchants(this.pool, this.#ids, [profile]);
    const { merchant, accessKeyId, secret } = created!;
    const { bucket, merchantId } = merchant;
    if (options.fund) {
      const funding = {
        bucket,
        merchantId,
        amountPaise: parsePaise(options.fund)!,
        reference: live ? `opening ${merchantId}` : "opening",
      };
      await fundMerchant(this.pool, this.#ids, funding);
    }
    const keys = { access_key_id: accessKeyId, secret_access_key: secret };
    return TestMerchant.signIn(this, String(merchantId), keys);
  }

  /** The secret that signs this installation's tokens. */
  readSecret(): Promise<Buffer> {
    return readInstallationSecret(this.pool);
  }

  /** The violations that `nodal verify` finds, and the answers so far that the OpenAPI document lacks. */
  async findProblems(): Promise<unknown[]> {
    const { summary, violations } = await verifyInstallation(this.pool).catch((error: unknown) => {
      this.#isSpoiled = true;
      throw error;
    });
    if (!summary.ok) this.#isSpoiled = true;
    return [...(summary.ok ? [] : [{ ...summary, violations }]), ...(await this.#listUndocumented())];
  }

  /** The answers so far whose status the OpenAPI document does not name for their route. */
  async #listUndocumented(): Promise<string[]> {
    const { body } = await send(this.server.baseUrl, "GET", "/openapi.json");
    const { paths } = body as OpenApiDocument;
    const routes = Object.entries(paths).map(([path, methods]) => ({ matches: matcherOf(path), methods }));
    const found = new Set<string>();
    for (const { method, path, status } of this.#answers) {
      const operation = routes.find((route) => route.matches.test(path))?.methods[method.toLowerCase()];
      if (operation && !Object.hasOwn(operation.responses, String(status))) found.add(`${method} ${path} ${status}`);
    }
    return [...found];
  }
}

/** A merchant with a token: its requests, and the questions that tests ask most. */
export class TestMerchant {
  readonly id: string;
  readonly keys: Keys;
  readonly token: string;
  readonly #installation: Installation;

  private constructor(installation: Installation, id: string, keys: Keys, token: string) {
    this.#installation = installation;
    this.id = id;
    this.keys = keys;
    this.token = token;
  }

  static async signIn(installation: Installation, id: string, keys: Keys): Promise<TestMerchant> {
    const answer = await installation.send("POST", "/api/token", keys);
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${JSON.stringify(answer.body)}`);
    return new TestMerchant(installation, id, keys, answer.body.success.token as string);
  }

  get(path: string): Promise<Answer> {
    return this.#installation.send("GET", path, undefined, { authorization: `Bearer ${this.token}` });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#installation.send("POST", path, body, { authorization: `Bearer ${this.token}`, ...headers });
  }

  save(body: Members | string, headers?: Record<string, string>): Promise<Answer> {
    return this.post("/api/v1/beneficiary/save", body, headers);
  }

  transfer(body: Members | string, headers?: Record<string, string>): Promise<Answer> {
    return this.post("/api/v1/beneficiary/transfer", body, headers);
  }

  withdraw(body: Members | string, headers?: Record<string, string>): Promise<Answer> {
    return this.post("/api/v1/payout/withdraw", body, headers);
  }

  status(type: "transferid" | "referenceid", id: string): Promise<Answer> {
    return this.get(`/api/v1/payout/transferstatus/${type}/${encodeURIComponent(id)}`);
  }

  list(query = ""): Promise<Answer> {
    return this.get(`/api/v1/beneficiary/list${query}`);
  }

  balance(): Promise<Answer> {
    return this.get("/api/v1/payout/balance");
  }

  /** Saves a beneficiary and returns its id. */
  async addBeneficiary(fields: Members = GOOD_ACCOUNT): Promise<string> {
    const answer = await this.save({ name: "Asha Rao", ...fields });
    if (answer.status !== 200) throw new Error(`not saved: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.beneficiary_id as string;
  }

  /** The available balance. */
  async available(): Promise<string> {
    return (await this.balance()).body.balance as string;
  }

  /** The transfer's current record. */
  async record(transferId: string): Promise<Record<string, unknown>> {
    const answer = await this.status("transferid", transferId);
    if (answer.status !== 200) throw new Error(`no record: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.success.transfer as Record<string, unknown>;
  }

  /** Waits until the record has the status, and returns it; at the timeout, as it then is. */
  async recordWith(
    status: string,
    transferId: string,
    timeoutMs = SETTLE_TIMEOUT_MS,
  ): Promise<Record<string, unknown>> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const record = await this.record(transferId);
      if (record["status"] === status || performance.now() > deadline) return record;
      await sleep(50);
    }
  }

  /** Polls the balance until it is answered with the status; at the timeout returns the last answer. */
  async balanceWith(status: number): Promise<Answer> {
    const deadline = performance.now() + SETTLE_TIMEOUT_MS / 2;
    for (;;) {
      const answer = await this.balance();
      if (answer.status === status || performance.now() > deadline) return answer;
      await sleep(100);
    }
  }

  /** Everything that a refused request must not change. */
  async snapshot(): Promise<unknown> {
    const { rows } = await this.#installation.pool.query(
      `select
        (select count(*)::text from transfer where merchant_id = $1) as transfers,
        (select count(*)::text from journal where merchant_id = $1) as postings,
        (select count(*)::text from beneficiary where merchant_id = $1) as beneficiaries,
        (select count(*)::text from idempotency_key where merchant_id = $1) as idempotency_keys`,
      [this.id],
    );
    return { counts: rows[0] as unknown, balance: (await this.balance()).body as unknown };
  }
}

function matcherOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
}
