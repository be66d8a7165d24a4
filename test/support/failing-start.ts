// A server that can't start: its HTTP part throws after database, payouts and renderer were opened. No setting causes this.
import { openServer } from "../../src/cli/start.ts";
import { createLogger } from "../../src/platform/log.ts";
import { readSettings } from "../../src/platform/settings-file.ts";

const config = readSettings(process.env);
try {
  await openServer({ ...config, TRUST_PROXY: ["0.0.0.0/0"] }, createLogger(config.LOG_LEVEL));
  console.log("started");
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
