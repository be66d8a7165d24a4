// An installation that gets hurt: its server and its PostgreSQL can be killed, stopped and started again on the same
// data. What is sent to it is load.ts, what must then hold is books.ts.
import { profileRecord } from "../../src/merchants/index.ts";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createMerchantsWithTemplate } from "../../src/installation/index.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { contactRecord, insertBeneficiaries, UNVERIFIED, type Beneficiary } from "../../src/payouts/index.ts";
import { findEmbeddedDatabaseUrl } from "../../src/platform/database/embedded.ts";
import { signal } from "../../src/platform/database/embedded/processes.ts";
import { findTestPostgresPid, killTestPostgres, makeTestDataDir, removeTestDataDir } from "../support/data-folders.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import type { Keys } from "../support/installation.ts";
import { freePort, hasEnded, MerchantClient, NodalProcess, type Environment } from "../support/nodal.ts";
import { TEST_ACTOR, withTestSecrets } from "../support/secrets.ts";
import { CITUS_URL, createCitusDatabase } from "../support/citus.ts";
import type { TestDatabase } from "../support/database-copy.ts";
import { putDurableDataDir } from "../support/prepared-data.ts";
import type { SmallDisk } from "./small-disk.ts";
import { recordEventsOf } from "../support/record-events.ts";

/** Payees by what the sandbox does with them: docs/rules/rails.md#simulated-bank. */
export const PAYEES = {
  success: { accountNumber: "026291800001191", ifsc: "YESB0000262", upi: null },
  upi: { accountNumber: null, ifsc: null, upi: "success@upi" },
  upiFailed: { accountNumber: null, ifsc: null, upi: "failure@upi" },
  failed: { accountNumber: "2640101002729", ifsc: "CNRR0002640", upi: null },
  pendingThenSuccess: { accountNumber: "00224412311300", ifsc: "YESB0000001", upi: null },
  pendingThenFailed: { accountNumber: "7766666351000", ifsc: "YESB0000001", upi: null },
  reversed: { accountNumber: "7766671735000", ifsc: "SBIN0000004", upi: null },
  staysPending: { accountNumber: "007711000031", ifsc: "HDFC0000077", upi: null },
  held: { accountNumber: "34978321547298", ifsc: "KKBK0000001", upi: null },
} as const;

export type PayeeName = keyof typeof PAYEES;

export type SiteMerchant = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly token: string;
  readonly keys: Keys;
  readonly beneficiaryIds: Readonly<Record<PayeeName, string>>;
};

const PROFILE = {
  ...profileRecord.blank,
  name: "Crash Traders",
  email: "crash@example.com",
  mobile: "",
  address: "",
  city: "",
  state: "Karnataka",
  zipcode: "",
  gstin: "29AAACI1234K1Z5",
  pan: "",
  bankAccount: "00011020001772",
  ifsc: "HDFC0000001",
  bankHolder: "Crash Traders",
  timeZone: "Asia/Kolkata",
};

/** Waits until `holds`; throws with `what` when it does not within the time. */
export async function until(holds: () => Promise<boolean>, timeoutMs: number, what: string): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(25);
  }
}

export class CrashSite {
  readonly environment: Environment;
  readonly baseUrl: string;
  readonly databaseUrl: string;
  /** Connections of the test's own, as the database's owner. */
  readonly pool: OwnedPool;
  readonly ids: IdSource;
  /** Of its own: transactions that hold all of the pool's connections may be waiting for ids. */
  readonly #idPool: OwnedPool;
  /** Where the data is, when it is on a disk that can be filled up. */
  readonly #disk: SmallDisk | null;
  /** The database on Citus; `null` where it is embedded. */
  readonly #onCitus: TestDatabase | null;
  server: NodalProcess;

  private constructor(
    environment: Environment,
    server: NodalProcess,
    databaseUrl: string,
    { disk, onCitus }: { readonly disk: SmallDisk | null; readonly onCitus: TestDatabase | null },
  ) {
    this.environment = environment;
    this.#disk = disk;
    this.#onCitus = onCitus;
    this.server = server;
    this.baseUrl = server.baseUrl;
    this.databaseUrl = databaseUrl;
    this.pool = withTestSecrets(createPool({ url: databaseUrl, size: 4, actor: TEST_ACTOR }));
    this.#idPool = createPool({ url: databaseUrl, size: 1 });
    this.ids = new IdSource(this.#idPool);
  }

  /**
   * Starts a server on an embedded database of its own, whose commits are forced to the disk; restarts keep its port and settings.
   * `close` removes the disk. Where this run is for Citus the database is there, which can't be killed or stopped.
   */
  static async open(settings: Environment = {}, disk: SmallDisk | null = null): Promise<CrashSite> {
    const dataDir = disk?.dataDir ?? (await makeTestDataDir());
    const onCitus = CITUS_URL === null ? null : await createCitusDatabase(CITUS_URL);
    if (!onCitus) await putDurableDataDir(dataDir);
    const place = onCitus ? { DATABASE_URL: onCitus.url } : {};
    const environment = { DATA_DIR: dataDir, PORT: String(await freePort()), ...place, ...settings };
    const server = await NodalProcess.start(environment).catch(async (error: unknown) => {
      await onCitus?.release();
      await removeData(dataDir, disk);
      throw error;
    });
    const databaseUrl = onCitus?.url ?? (await findEmbeddedDatabaseUrl({ dataDir, isDefaultDataDir: false }));
    return new CrashSite(environment, server, databaseUrl!, { disk, onCitus });
  }

  /** Starts the server again, with other settings where some are given. */
  async start(settings: Environment = {}): Promise<void> {
    this.server = await NodalProcess.start({ ...this.environment, ...settings });
  }

  /** Kills the server (kill -9). */
  killServer(): Promise<void> {
    return killProcess(this.server);
  }

  /** Makes the server hang for a time. */
  async pauseServer(timeMs: number): Promise<void> {
    this.server.child.kill("SIGSTOP");
    await sleep(timeMs);
    this.server.child.kill("SIGCONT");
  }

  /** Kills PostgreSQL's main process and all of its others at once (kill -9). */
  async killDatabase(): Promise<void> {
    const pid = await this.databasePid();
    await this.#signalDatabase("SIGKILL");
    await until(async () => (await this.databasePid()) !== pid, 120_000, "the killed PostgreSQL is gone");
  }

  /** Makes PostgreSQL hang for a time: connections stay open, and nothing is answered. */
  async pauseDatabase(timeMs: number): Promise<void> {
    await this.#signalDatabase("SIGSTOP");
    await sleep(timeMs);
    await this.#signalDatabase("SIGCONT");
  }

  async #signalDatabase(name: NodeJS.Signals): Promise<void> {
    const pid = await this.databasePid();
    if (pid === null) throw new Error("PostgreSQL does not run");
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    for (const member of [pid, ...children.trim().split(" ").map(Number)]) signal(member, name);
  }

  /** The main process of the embedded PostgreSQL; null when none runs. */
  databasePid(): Promise<number | null> {
    return findTestPostgresPid(this.environment["DATA_DIR"]!);
  }

  /** Makes one merchant for each amount, with that much money and a beneficiary of each kind, and signs it in. */
  async newMerchants(fundsPaise: readonly bigint[]): Promise<SiteMerchant[]> {
    const profiles = fundsPaise.map(() => PROFILE);
    const created = await createMerchantsWithTemplate(this, profiles);
    return Promise.all(
      created.map(async ({ merchant: { bucket, merchantId }, accessKeyId, secret }, index) => {
        const funding = { bucket, merchantId, amountPaise: fundsPaise[index]!, reference: "opening" };
        await fundMerchant(this.pool, this.ids, funding);
        const beneficiaries = await Promise.all(
          Object.keys(PAYEES).map((name) => this.#newBeneficiary(bucket, merchantId, name as PayeeName)),
        );
        await insertBeneficiaries(this.pool, beneficiaries);
        const beneficiaryIds = beneficiaries.map(({ beneficiaryId }) => beneficiaryId);
        await recordEventsOf(this.pool, merchantId, "beneficiary.created", beneficiaryIds);
        const keys = { access_key_id: accessKeyId, secret_access_key: secret };
        const { token } = await MerchantClient.signIn(this.baseUrl, keys);
        const ids = Object.fromEntries(beneficiaries.map(({ name, beneficiaryId }) => [name, String(beneficiaryId)]));
        return { bucket, merchantId, token, keys, beneficiaryIds: ids as SiteMerchant["beneficiaryIds"] };
      }),
    );
  }

  async #newBeneficiary(bucket: number, merchantId: bigint, name: PayeeName): Promise<Beneficiary> {
    return {
      ...PAYEES[name],
      bucket,
      merchantId,
      beneficiaryId: await this.ids.next(),
      type: "Vendor",
      approval: "approved",
      ...contactRecord.blank,
      name,
      createdAt: Temporal.Now.instant(),
      verification: UNVERIFIED,
    };
  }

  /** Ends everything and removes the data. */
  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.#idPool.end()]);
    await this.server.stop("SIGKILL");
    await this.#onCitus?.release();
    await removeData(this.environment["DATA_DIR"]!, this.#disk);
  }
}

async function removeData(dataDir: string, disk: SmallDisk | null): Promise<void> {
  if (!disk) return removeTestDataDir(dataDir);
  await killTestPostgres(dataDir).catch(() => {});
  await disk.remove();
}

/** Kills a server (kill -9) and waits until it is gone. */
export async function killProcess({ child }: NodalProcess): Promise<void> {
  if (hasEnded(child)) {
    throw new Error(`the server had ended by itself: ${child.exitCode ?? child.signalCode}`);
  }
  child.kill("SIGKILL");
  await once(child, "exit");
}
