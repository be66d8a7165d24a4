// HAProxy before servers of tests, with the example of deploy/haproxy. No assertion.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REPOSITORY } from "./files.ts";
import { freePort, hasEnded } from "./nodal.ts";

const USUAL_PLACES = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy", "/usr/bin/haproxy"];

/** The remedy if it is not installed. */
export const HAPROXY_REMEDY =
  "Tests through HAProxy need it. Install it (on Debian: sudo apt-get install haproxy), or name one in HAPROXY_PATH.";

/** The path of the program: `HAPROXY_PATH`, or the distributions' usual places; `null` if there is none. */
export function findHaproxy(): string | null {
  const places = process.env["HAPROXY_PATH"] ? [process.env["HAPROXY_PATH"]] : USUAL_PLACES;
  return places.find((path) => existsSync(path)) ?? null;
}

/** Replaces the single occurrence of a text; throws unless there is exactly one. */
function replaceOnce(text: string, part: string | RegExp, by: string): string {
  const replaced = text.replace(part, by);
  if (replaced === text) throw new Error(`deploy/haproxy/haproxy.cfg has no ${String(part)} any more`);
  return replaced;
}

/** A server behind it: its PORT, and its OPERATIONS_PORT if it has one. */
export type Upstream = { readonly port: string; readonly operationsPort?: string };

/** A running HAProxy. */
export class Haproxy {
  readonly baseUrl: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  output = "";

  private constructor(child: ChildProcess, folder: string, baseUrl: string) {
    this.#child = child;
    this.#folder = folder;
    this.baseUrl = baseUrl;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.output += chunk.toString()));
    }
  }

  /**
   * Starts it in front of these servers, on the port `own` if given. `isOpen` also lets the routes through that the example keeps
   * internal, for tests that need them.
   */
  static async start(upstreams: readonly Upstream[], isOpen = false, own?: number): Promise<Haproxy> {
    const program = findHaproxy();
    if (program === null) throw new Error(HAPROXY_REMEDY);
    const port = own ?? (await freePort());
    let text = readFileSync(join(REPOSITORY, "deploy/haproxy/haproxy.cfg"), "utf8");
    text = replaceOnce(text, "bind :8000", `bind 127.0.0.1:${port}`);
    const servers = upstreams.map(
      ({ port: served, operationsPort: asked = served }, index) =>
        `    server s${index} 127.0.0.1:${served} port ${asked}\n`,
    );
    text = replaceOnce(text, /( +server \w+ [\d.:]+ port \d+\n)+/, servers.join(""));
    // Tests set the client's address, as another proxy would.
    if (isOpen)
      text = replaceOnce(
        replaceOnce(text, / +http-request deny if \{ path .*\n/, ""),
        / +http-request del-header .*\n +option forwardfor\n/,
        "",
      );
    const folder = mkdtempSync(join(tmpdir(), "nodal-haproxy-"));
    writeFileSync(join(folder, "haproxy.cfg"), text);
    // -dR: two with the same port would share it, and each other's requests.
    const words = ["-db", "-dR", "-f", join(folder, "haproxy.cfg")];
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
    const haproxy = new Haproxy(child, folder, `http://127.0.0.1:${port}`);
    await haproxy.#untilServing();
    return haproxy;
  }

  /** Waits until it sends requests again to a server that it saw down; the first is 0. */
  async untilUp(server: number): Promise<void> {
    const deadline = performance.now() + 60_000;
    const lastSeen = () => this.output.match(new RegExp(`Server nodal/s${server} is (UP|DOWN)`, "g"))?.at(-1);
    while (!lastSeen()?.endsWith("UP")) {
      if (performance.now() > deadline) throw new Error(`server ${server} is not up again:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    if (!hasEnded(this.#child)) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #untilServing(): Promise<void> {
    const deadline = performance.now() + 30_000;
    for (;;) {
      const isServing = await fetch(`${this.baseUrl}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isServing) return;
      if (this.#child.exitCode !== null || performance.now() > deadline) throw new Error(`no HAProxy:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
