// `nodal start`, the server's process: reads the configuration, starts, prints a welcome, and stops cleanly on a
// signal. The server itself is ../server.ts.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Command } from "commander";
import { ensureDashboardBuilt } from "../api/index.ts";
import {
  describeDatabase,
  openForWorker,
  prepareDatabase,
  type HeldDatabase,
  type InstallationDatabase,
} from "../database.ts";
import {
  checkProductionData,
  checkProductionSettings,
  createDemo,
  START_RULES,
  type Demo,
} from "../installation/index.ts";
import { signInLink } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import { forgetServerAddress, noteServerAddress } from "../platform/server-address.ts";
import { readSettings } from "../platform/settings-file.ts";
import { Supervisor } from "../platform/workers/supervisor.ts";
import { isWorker, WorkerLink } from "../platform/workers/worker-link.ts";
import { isInOnePiece } from "../program.ts";
import { explainListening, startServer, type ListenError, type RunningServer } from "../server.ts";
import type { Addable } from "./command.ts";
import { failureObject, printFailure } from "./failure.ts";
import { commandOrigin } from "./on-database.ts";
import { ignoreClosedPipes } from "./output.ts";

/** The margin of a stop beyond the configured times. */
const STOP_MARGIN_MS = 20_000;

export const start: Addable = {
  addTo(parent, name) {
    parent
      .command(name)
      .description("run the server until SIGTERM or Ctrl-C; docs/settings.md lists its settings")
      .addHelpText("after", "\nExample:\n  PORT=8080 nodal start")
      .action((_options: object, command: Command) =>
        runServer(command.optsWithGlobals<{ json?: true }>().json ?? false),
      );
  },
};

/**
 * Runs the server until SIGTERM or SIGINT. Sets the exit code; 1 if it could not start. `json` prints the welcome as
 * one JSON value.
 */
export async function runServer(json = false): Promise<void> {
  ignoreClosedPipes();
  try {
    const config = readSettings(process.env, { rules: START_RULES });
    if (isWorker) await work(config);
    else await serve(config, createLogger(config.LOG_LEVEL), json ? printWelcomeJson : printWelcome);
  } catch (error) {
    printFailure(failureObject(error), json);
    process.exitCode = 1;
  }
}

async function serve(config: Config, logger: Logger, sayHello: typeof printWelcome): Promise<void> {
  const signal = stopSignal();
  const server = await openServer(config, logger);
  try {
    const { address, database } = server;
    if (database.dataDir !== null) noteServerAddress(database.dataDir, config.PUBLIC_URL ?? address);
    // Only once it listens: a demo merchant is useless if its keys can't be shown.
    const wantsDemo = database.dataDir !== null && config.NODAL_ENV !== "production";
    const demo = wantsDemo ? await createDemo(database, commandOrigin()) : null;
    sayHello(address, config, database.dataDir, demo);
    logger.info({ address }, "ready");
    logger.info({ signal: await signal }, "stopping");
  } catch (error) {
    // Report this error, even if the stop fails too.
    await server.stop().catch((err: unknown) => logger.error({ err }, "could not stop in good order"));
    throw error;
  }
  try {
    await server.stop();
  } finally {
    logger.info("stopped");
  }
}

/** A listening server with its database. `stop` ends both; call it once. */
export type OpenServer = RunningServer & { readonly database: InstallationDatabase };

/**
 * Prepares the configured database, and starts a server on it. @throws as `prepareDatabase`; ConfigError; the system's
 * error if it can't listen
 */
export async function openServer(config: Config, logger: Logger): Promise<OpenServer> {
  checkProductionSettings(config);
  const database = await prepareDatabase(config, "server", logger);
  try {
    await checkProductionData(config, database);
    await ensureDashboardBuilt(logger);
    if (!isInOnePiece) logger.info({ remedy: "npm run build" }, "running from the source: a start takes longer");
    const server = await (config.WORKERS > 1 ? startWorkers : startServer)(config, database, logger);
    return { address: server.address, database, stop: () => stopWithDatabase(server, database) };
  } catch (error) {
    await database.release();
    throw error;
  }
}

async function stopWithDatabase(server: RunningServer, database: InstallationDatabase): Promise<void> {
  try {
    await server.stop();
  } finally {
    // While this process still has the data folder.
    if (database.dataDir !== null) forgetServerAddress(database.dataDir);
    await database.release();
  }
}

/** A worker's assignment: the supervisor's database, and the shared port. */
type Assignment = HeldDatabase & { readonly port: number };

/** Starts the server as several processes of this machine. The database stays with this one. */
async function startWorkers(
  { WORKERS: count, DRAIN_TIMEOUT_MS: drainMs, DRAIN_NOTICE_MS: noticeMs, HOST: host, PORT, OPERATIONS_PORT }: Config,
  { url, ownerUrl, dataDir, alone }: InstallationDatabase,
  logger: Logger,
): Promise<RunningServer> {
  const findFree = (wanted: number): Promise<number> => findFreePort(host, wanted, { OPERATIONS_PORT });
  const port = await findFree(PORT);
  if (OPERATIONS_PORT !== null) await findFree(OPERATIONS_PORT);
  const supervisor = new Supervisor({
    count,
    exec: join(import.meta.dirname, "../main.ts"),
    // Later workers are not alone.
    assign: (isFirst): Assignment => ({ url, ownerUrl, dataDir, alone: alone && isFirst, port }),
    // A stop waits for several such times, one after the other.
    stopWithinMs: noticeMs + 3 * drainMs + STOP_MARGIN_MS,
    logger,
  });
  const address = await supervisor.start();
  return { address, stop: () => supervisor.stop() };
}

/**
 * The port, or a free one for 0. The system would let another installation share the workers' port too, so this checks
 * first that nobody is listening. @throws the system's error, or ConfigError, if it can't listen there
 */
async function findFreePort(host: string, port: number, config: Pick<Config, "OPERATIONS_PORT">): Promise<number> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    throw explainListening(error as ListenError, config);
  }
  const found = (server.address() as AddressInfo).port;
  server.close();
  await once(server, "close");
  return found;
}

/** Runs a worker with its supervisor's assignment until it is stopped. */
async function work(config: Config): Promise<void> {
  const signal = stopSignal();
  const link = await WorkerLink.open<Assignment>();
  const logger = createLogger(config.LOG_LEVEL, undefined, { worker: link.number });
  try {
    const { port, ...held } = link.assignment;
    const database = await openForWorker(config, held);
    const server = await startServer({ ...config, PORT: port }, database, logger, link);
    link.tellReady(server.address);
    logger.info({ address: server.address }, "ready");
    logger.info({ signal: await signal }, "stopping");
    await server.stop();
    logger.info("stopped");
  } finally {
    link.close();
  }
}

/** The first signal stops the server. Further ones have no effect, since the stop has a time limit. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => resolve(signal));
  });
}

/** Prints, as one JSON value, the server's address and, after the first start, the demo merchant's keys. */
function printWelcomeJson(address: string, config: Config, dataDir: string | null, demo: Demo | null): void {
  const url = config.PUBLIC_URL ?? address;
  const demoMerchant = demo && {
    merchant_id: String(demo.merchant.merchant.merchantId),
    access_key_id: demo.merchant.accessKeyId,
    secret_access_key: demo.merchant.secret,
    user_email: demo.user.email,
    user_password: demo.user.password,
    sign_in_url: signInLink(url, demo.merchant.merchant),
    beneficiary_id: String(demo.beneficiaryId),
  };
  const where = { data_dir: dataDir, database: describeDatabase(config) };
  console.log(JSON.stringify({ url, ...where, demo_merchant: demoMerchant }));
}

/** Prints the server's address and, after the first start, the demo merchant's keys with three lines to try. */
function printWelcome(address: string, config: Config, dataDir: string | null, demo: Demo | null): void {
  const url = config.PUBLIC_URL ?? address;
  console.log(`\nNodal is ready at ${url}`);
  console.log(`Its data is in ${dataDir ?? `the database ${describeDatabase(config)}`}`);
  if (demo === null) return console.log("");
  const { accessKeyId, secret } = demo.merchant;
  console.log(`
This is the demo merchant, with a balance of ₹1,00,000.00. Its keys are shown only now:

  merchant_id        ${demo.merchant.merchant.merchantId}
  access_key_id      ${accessKeyId}
  secret_access_key  ${secret}

Sign in to the dashboard as ${demo.user.email} with the password ${demo.user.password} at
${signInLink(url, demo.merchant.merchant)}

Paste these lines into another terminal: get a token, read the balance, make a transfer.

TOKEN=$(curl -s ${url}/api/token -F access_key_id=${accessKeyId} -F secret_access_key=${secret} | sed 's/.*"token":"\\([^"]*\\)".*/\\1/'); echo "$TOKEN"
curl -s ${url}/api/v1/payout/balance -H "Authorization: Bearer $TOKEN"; echo
curl -s ${url}/api/v1/beneficiary/transfer -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"beneficiary_id":"${demo.beneficiaryId}","amount":"100.50","reference_id":"first-transfer","narrative":"Hello"}'; echo
`);
}
