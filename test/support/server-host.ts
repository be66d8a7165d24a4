// A process that runs `nodal` servers, for tests that are not about the process: most of the cost of a short-lived one is its
// start, and code that runs for the first time.
import { createLogger } from "../../src/platform/log.ts";
import { readSettings } from "../../src/platform/settings-file.ts";
import type * as Start from "../../src/cli/start.ts";
import { loadProgram } from "../../src/program.ts";

/** The parent's requests, for the server that it calls `id`. */
export type ToHost = { readonly id: number } & (
  | { readonly start: Readonly<Record<string, string>> }
  | { readonly stop: true }
);
/** The replies about that server. `failed` is the reason why it did not start or stop. */
export type FromHost = { readonly id: number } & (
  | { readonly address: string }
  | { readonly stopped: true }
  | { readonly failed: string }
  | { readonly log: string }
);

const { openServer } = (await loadProgram("start")) as typeof Start;
const servers = new Map<number, Start.OpenServer>();

process.once("disconnect", () => process.exit());
process.on("message", (asked: ToHost) => void answer(asked).then((told) => tell({ ...told, id: asked.id })));

async function answer(asked: ToHost): Promise<{ address: string } | { stopped: true } | { failed: string }> {
  try {
    return "start" in asked ? { address: await start(asked.id, asked.start) } : await stop(asked.id);
  } catch (error) {
    return { failed: String((error as Error).stack) };
  }
}

async function start(id: number, environment: Readonly<Record<string, string>>): Promise<string> {
  const config = readSettings(environment);
  const write = (log: string): void => tell({ id, log });
  const server = await openServer(config, createLogger(config.LOG_LEVEL, { write }));
  servers.set(id, server);
  return server.address;
}

async function stop(id: number): Promise<{ stopped: true }> {
  await servers.get(id)!.stop();
  servers.delete(id);
  return { stopped: true };
}

function tell(told: FromHost): void {
  // The parent may be gone, and this process soon after it.
  if (process.connected) process.send!(told);
}
