// Several servers over one database behind HAProxy, in the place of one: the wire tests run against them where
// NODAL_TEST_SERVERS says how many. No assertion.
import { setTimeout as sleep } from "node:timers/promises";
import { Haproxy } from "./haproxy.ts";
import { HostedServer } from "./hosted-server.ts";
import { freePort, NodalProcess, type Environment } from "./nodal.ts";

/** How many servers an installation of the tests has; what differs for more than one is in docs/scale.md. */
export const SERVERS = Number(process.env["NODAL_TEST_SERVERS"] ?? "1");
/** How long a server may cache keys and merchants. */
const MEMORY_MS = 1000;

/** Waits until all servers know a command's changes of keys and merchants, if there are several. */
export async function untilAllKnow(): Promise<void> {
  if (SERVERS > 1) await sleep(MEMORY_MS);
}

/**
 * Starts the servers of an installation: one, also if a port is requested, or as many as NODAL_TEST_SERVERS says. A single one has its own process if
 * it `isAlone`.
 */
export function startServers(environment: Environment, isAlone: boolean): Promise<NodalProcess> {
  if (SERVERS > 1 && environment["PORT"] === undefined) return ProxiedServers.startAll(environment, SERVERS);
  return isAlone ? NodalProcess.start(environment) : HostedServer.start(environment);
}

/** They are called by the proxy's address; process and output are those of the first. */
class ProxiedServers extends NodalProcess {
  readonly #servers: readonly NodalProcess[];
  readonly #haproxy: Haproxy;

  private constructor(servers: readonly NodalProcess[], haproxy: Haproxy) {
    super(servers[0]!.child, haproxy.baseUrl);
    this.#servers = servers;
    this.#haproxy = haproxy;
  }

  static async startAll(environment: Environment, count: number): Promise<ProxiedServers> {
    const own = await freePort();
    const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
    const common = { TRUST_PROXY: "127.0.0.1", PUBLIC_URL: `http://127.0.0.1:${own}`, ...environment };
    const servers = await Promise.all(ports.map((port) => NodalProcess.start({ ...common, PORT: String(port) })));
    const upstreams = ports.map((port) => ({ port: String(port) }));
    return new ProxiedServers(servers, await Haproxy.start(upstreams, true, own));
  }

  override get ownUrl(): string {
    return this.#servers[0]!.baseUrl;
  }

  override async stop(signal?: NodeJS.Signals): Promise<number | null> {
    await this.#haproxy.stop();
    const codes = await Promise.all(this.#servers.map((server) => server.stop(signal)));
    return codes.find((code) => code !== 0) ?? 0;
  }
}
