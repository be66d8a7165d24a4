// The set-ups that the benchmark of servers compares, each started on the same database: one server, two behind
// HAProxy, and one with two workers.
import { join } from "node:path";
import type { TestDatabase } from "../test/support/database-copy.ts";
import { Haproxy } from "../test/support/haproxy.ts";
import type { NodalProcess } from "../test/support/nodal.ts";
import { Installation, logOf } from "./installation.ts";
import { findChild, readFamilySeconds, readOwnSeconds } from "./process-use.ts";

/** Their names, and what they are in tables. */
export const SETUPS = { one: "one server", two: "two servers", workers: "WORKERS=2" } as const;
export type SetupName = keyof typeof SETUPS;

/** Processor time since the start, in seconds. */
export type SetupUse = { readonly servers: number; readonly database: number; readonly proxy: number };

/** What two servers have and one does not. */
type Second = { readonly server: NodalProcess; readonly haproxy: Haproxy; readonly haproxyId: number };

/** A set-up that runs. */
export class Setup {
  readonly installation: Installation;
  readonly #second: Second | null;

  private constructor(installation: Installation, second: Second | null) {
    this.installation = installation;
    this.#second = second;
  }

  /**
   * Starts a set-up on a database that outlives it.
   * @param profileFolder where its servers write CPU profiles when they stop; `null` for none
   */
  static async start(name: SetupName, { url }: TestDatabase, profileFolder: string | null): Promise<Setup> {
    const installation = await Installation.start({
      profileFolder: profileFolder && join(profileFolder, name),
      settings: { WORKERS: name === "workers" ? "2" : "1", TRUST_PROXY: "127.0.0.1" },
      database: { url, release: async () => {} },
    });
    try {
      return new Setup(installation, name === "two" ? await startSecond(installation) : null);
    } catch (error) {
      await installation.close();
      throw error;
    }
  }

  /** Where its requests go. */
  get baseUrl(): string {
    return this.#second?.haproxy.baseUrl ?? this.installation.baseUrl;
  }

  get port(): number {
    return Number(new URL(this.baseUrl).port);
  }

  /** Of all its processes, and of PostgreSQL. */
  async readUse(): Promise<SetupUse> {
    const ids = [this.installation.processId, ...(this.#second ? [this.#second.server.child.pid!] : [])];
    const [servers, database, proxy] = await Promise.all([
      Promise.all(ids.map((id) => readFamilySeconds(id))),
      this.installation.readDatabaseCpuSeconds(),
      this.#second ? readOwnSeconds(this.#second.haproxyId) : 0,
    ]);
    return { servers: servers.reduce((sum, each) => sum + each, 0), database, proxy };
  }

  /** Stops all that it started. Prints the warnings and errors of its servers. */
  async close(): Promise<void> {
    await this.#second?.haproxy.stop();
    await this.#second?.server.stop();
    const logs = [this.#second ? logOf(this.#second.server) : "", await this.installation.close()];
    const log = logs.filter((text) => text !== "").join("\n");
    if (log !== "") console.error(`The servers wrote:\n${log}`);
  }
}

async function startSecond(installation: Installation): Promise<Second> {
  const server = await installation.startAnother();
  try {
    const ports = [installation.baseUrl, server.baseUrl].map((address) => ({ port: new URL(address).port }));
    const haproxy = await Haproxy.start(ports);
    const haproxyId = await findChild(process.pid, "haproxy");
    if (haproxyId === null) throw new Error("HAProxy has ended");
    return { server, haproxy, haproxyId };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
