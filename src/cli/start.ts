// The server's process: reads the configuration, starts, says hello, and stops in order on a signal.
// What belongs here: the process around the server. The server itself is ../server.ts.
import { openDatabase } from "../database.ts";
import { ConfigError, readConfig, type Config } from "../platform/config.ts";
import { DatabaseInUseError, EmbeddedDatabaseError } from "../platform/database/embedded.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import { startServer } from "../server.ts";
import { createDemo, printWelcome } from "./demo.ts";

/** Runs the server until it is told to stop by SIGTERM or SIGINT. Sets the exit code; 1 when it could not start. */
export async function runServer(): Promise<void> {
  try {
    const config = readConfig(process.env);
    await serve(config, createLogger(config.LOG_LEVEL));
  } catch (error) {
    const expected =
      error instanceof ConfigError || error instanceof DatabaseInUseError || error instanceof EmbeddedDatabaseError;
    const { code, message } = error as NodeJS.ErrnoException;
    if (expected || code !== undefined) console.error(`nodal: ${explain(code, message)}`);
    else console.error("nodal: could not start.", error);
    process.exitCode = 1;
  }
}

function explain(code: string | undefined, message: string): string {
  if (code === "EADDRINUSE") return `${message}. Another program listens there: set PORT to a free port.`;
  if (code === "ECONNREFUSED")
    return `The database can't be reached: ${message}. Check DATABASE_URL and that PostgreSQL runs.`;
  return message;
}

async function serve(config: Config, logger: Logger): Promise<void> {
  const signal = stopSignal();
  const database = await openDatabase(config, "server", logger);
  try {
    // Only someone who has configured nothing is trying Nodal out.
    const demo = database.created ? await createDemo(database.url) : null;
    const server = await startServer(config, database, logger);
    printWelcome(server.address, config, database.dataDir, demo);
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
