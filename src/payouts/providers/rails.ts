// The rails of an installation: the simulated bank, and accounts at providers, of merchants and of the installation.
import { LRUCache } from "lru-cache";
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { connectorOf, railName, readRailName, type ProviderAccountKey } from "./provider-account.ts";
import { Circuits, type HealthChange } from "../../platform/providers/circuits.ts";
import { Downtimes } from "./downtimes.ts";
import { listDowntimes } from "./provider-downtime-store.ts";
import { findProviderAccount, isStillConnected, noteHealth } from "./provider-account-store.ts";
import type { Connector } from "./connector.ts";
import { UNPACED } from "../../platform/providers/call-turn.ts";
import type { Paces } from "../../platform/providers/pace.ts";
import { payeesOf } from "./provider-payee-store.ts";
import type { PaymentReport, Rail } from "../rails/rail.ts";
import { SIMULATOR } from "../rails/simulator.ts";

const CONNECTORS_REMEMBERED = 1000;
/** An account in use is read again from this age on: its credentials may have changed. */
const READ_AGAIN_MS = 1000;

/** A connector, with the version of its account's credentials. */
type Known = { readonly connector: Connector; readonly version: number };
type Remembered = { readonly known: Promise<Known | null>; readonly untilMs: number };

export class Rails {
  readonly #db: Queryable;
  readonly #simulator: Rail | null;
  readonly #timeoutMs: number;
  /** The rate limits of accounts; `null` for none. */
  readonly paces: Paces | null;
  /** Which accounts are out of order. */
  readonly circuits = new Circuits();
  /** Which payees' banks are out of order, according to providers. */
  readonly downtimes = new Downtimes();
  /** Called when an account works again. */
  onWorking: () => void = () => {};
  readonly #connectors = new LRUCache<string, Remembered>({ max: CONNECTORS_REMEMBERED });

  /**
   * @param db sees the accounts of all merchants; each look-up names its own
   * @param simulator `null` if only providers are used
   */
  constructor(db: Queryable, simulator: Rail | null, timeoutMs: number, paces: Paces | null = null) {
    this.paces = paces;
    this.#db = db;
    this.#simulator = simulator;
    this.#timeoutMs = timeoutMs;
    this.circuits.onChange = (change) => void this.#noteHealth(change);
  }

  /** The rail of this name, for a merchant. Throws if there is none, or its credentials can't be decrypted. */
  of(name: string, merchant: MerchantKey): Rail | Promise<Rail> {
    return name === SIMULATOR && this.#simulator ? this.#simulator : this.connector(name, merchant);
  }

  /**
   * Whether payments may be sent over this rail: its account is still connected. A server caches accounts for up to two seconds, so this
   * reads the row, and waits for a change in progress. A disconnection either counts this payment as in progress or is visible here.
   */
  async isConnected(name: string, merchant: MerchantKey): Promise<boolean> {
    if (name === SIMULATOR) return true;
    const account = readRailName(name, merchant);
    return account !== null && isStillConnected(this.#db, account);
  }

  /** The connector to an account at a provider. Throws if there is none. */
  async connector(name: string, merchant: MerchantKey): Promise<Connector> {
    const connector = await this.find(name, merchant);
    if (!connector) throw new Error(`The merchant ${merchant.merchantId} has no account named ${name}.`);
    return connector;
  }

  /** The same, or `null` if neither the merchant nor the installation has such an account. Its credentials are at most 1 s old. */
  async find(name: string, merchant: MerchantKey): Promise<Connector | null> {
    const account = readRailName(name, merchant);
    if (!account) return null;
    const key = `${account.bucket} ${account.merchantId} ${name}`;
    const remembered = this.#connectors.get(key);
    if (remembered && performance.now() < remembered.untilMs) return (await remembered.known)?.connector ?? null;
    const known = this.#read(name, account, remembered?.known ?? null);
    const reading = { known, untilMs: performance.now() + READ_AGAIN_MS };
    this.#connectors.set(key, reading);
    try {
      const found = await known;
      // So that guessed addresses don't fill the cache.
      if (!found) this.#forget(key, reading);
      return found?.connector ?? null;
    } catch (error) {
      this.#forget(key, reading);
      throw error;
    }
  }

  /** Makes the next call read an account again, since it has changed. */
  readAgain(name: string, merchant: MerchantKey): void {
    const account = readRailName(name, merchant);
    const key = account ? `${account.bucket} ${account.merchantId} ${name}` : "";
    const remembered = this.#connectors.get(key);
    if (remembered) this.#connectors.set(key, { ...remembered, untilMs: 0 });
  }

  #forget(key: string, reading: Remembered): void {
    if (this.#connectors.peek(key) === reading) this.#connectors.delete(key);
  }

  /** Keeps the same connector while its credentials stay the same, because it caches payees. */
  async #read(name: string, key: ProviderAccountKey, before: Promise<Known | null> | null): Promise<Known | null> {
    const account = await findProviderAccount(this.#db, key);
    if (!account || railName(account) !== name) return null;
    this.downtimes.set(name, key, await listDowntimes(this.#db, key));
    if (account.failingSince) this.circuits.noteEarlier({ ...key, account: name });
    const earlier = await before?.catch(() => null);
    if (earlier?.version === account.version) return earlier;
    const pace = this.paces?.of(name, account.callsPerSecond) ?? UNPACED;
    const parts = { payees: payeesOf(this.#db, account.accountId), pace };
    return { connector: connectorOf(account, this.#timeoutMs, parts), version: account.version };
  }

  /** Records for users that an account is out of order or works again. Only informative: each process finds out by itself. */
  async #noteHealth(change: HealthChange): Promise<void> {
    if (change.reason === null) this.onWorking();
    const account = readRailName(change.account, change);
    // After a failure, the next change records it.
    if (account) await noteHealth(this.#db, account, change.reason).catch(() => {});
  }

  /** Starts to deliver the simulated bank's own reports. */
  start(onReport: (report: PaymentReport) => Promise<void>): void {
    this.#simulator?.start(onReport);
  }

  /** Stops deliveries and closes connections. */
  async stop(): Promise<void> {
    await this.paces?.close();
    await this.#simulator?.stop();
  }
}
