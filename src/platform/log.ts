// The log: JSON lines on standard error, so that standard output stays for what people and scripts read.
import { destination, pino, stdSerializers, type Logger } from "pino";

export type { Logger } from "pino";

/** A logger at the given level (`trace` … `fatal`, or `silent`). */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      serializers: { err: serializeError },
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ["*.headers.authorization", "secret_access_key", "*.secret_access_key", "token", "*.token"],
        censor: "[hidden]",
      },
    },
    destination({ fd: 2, sync: false }),
  );
}

/** An error as the log has it; a driver's error also holds the whole connection, which says nothing and is long. */
function serializeError(error: Error): object {
  const { client: _, ...told } = stdSerializers.err(error) as unknown as { client?: unknown };
  return told;
}
