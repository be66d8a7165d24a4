// The log: JSON lines on standard error, so that standard output stays for what people and scripts read.
import { pino, destination, type Logger } from "pino";

export type { Logger } from "pino";

/** A logger at the given level (`trace` … `fatal`, or `silent`). */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ["req.headers.authorization", "secret_access_key", "*.secret_access_key", "token", "*.token"],
        censor: "[hidden]",
      },
    },
    destination({ fd: 2, sync: false }),
  );
}
