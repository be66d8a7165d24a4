// The server's process: reads the configuration, starts, says hello, and stops in order on a signal.
// What belongs here: the process around the server. The server itself is ../server.ts.
import type { Command } from "commander";
import { ensureDashboardBuilt } from "../dashboard/index.ts";
import { prepareDatabase } from "../database.ts";
import { readConfig, type Config } from "../platform/config.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import { startServer } from "../server.ts";
import { ignoreClosedPipes } from "./closed-pipes.ts";
import { createDemo, printWelcome, printWelcomeJson } from "./demo.ts";
import { describeFailure } from "./failure.ts";
import { example } from "./output.ts";
import { checkProductionData, checkProductionSettings } from "./production.ts";

/** Adds `start`. */
export function registerStart(program: Command): void {
  program
    .command("start")
    .description("run the server until SIGTERM or Ctrl-C; the README lists the variables that configure it")
    .addHelpText("after", example("PORT=8080 nodal start"))
    .action((_options: object, command: Command) =>
      runServer(command.optsWithGlobals<{ json?: true }>().json ?? false),
    );
}

/**
 * Runs the server until it is told to stop by SIGTERM or SIGINT. Sets the exit code; 1 when it could not start. `json`
 * says hello as one JSON value.
 */
export async function runServer(json = false): Promise<void> {
  ignoreClosedPipes();
  try {
    const config = readConfig(process.env);
    await serve(config, createLogger(config.LOG_LEVEL), json ? printWelcomeJson : printWelcome);
  } catch (error) {
    console.error(`nodal: ${describeFailure(error)}`);
    process.exitCode = 1;
  }
}

async function serve(config: Config, logger: Logger, sayHello: typeof printWelcome): Promise<void> {
  const signal = stopSignal();
  checkProductionSettings(config);
  const database = await prepareDatabase(config, "server", logger);
  try {
    await checkProductionData(config, database);
    await ensureDashboardBuilt(logger);
    const server = await startServer(config, database, logger);
    // Only once it listens: a demo merchant whose keys could not be shown would be no use to anyone.
    const wantsDemo = database.dataDir !== null && config.NODAL_ENV !== "production";
    const demo = wantsDemo ? await createDemo(database) : null;
    sayHello(server.address, config, database.dataDir, demo);
    logger.info({ address: server.address }, "ready");
    logger.info({ signal: await signal }, "stopping");
    await server.stop();
  } finally {
    await database.release();
    logger.info("stopped");
  }
}

/** The first signal asks to stop; further ones change nothing, since stopping is under way and bounded. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => resolve(signal));
  });
}
