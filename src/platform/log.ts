// The log: JSON lines on standard error, so that standard output stays for what people and scripts read.
import { destination, pino, stdSerializers, type DestinationStream, type Logger } from "pino";

export type { Logger } from "pino";

/** Long enough for any stack. What others have sent or answered may stand in an error, however long it is. */
const MAX_TEXT_LENGTH = 4000;
const MAX_MEMBERS = 50;
const MAX_DEPTH = 4;
/** Members that are never written, wherever they are nested and however they are spelt: headers, and what is sent. */
const HIDDEN_NAMES: ReadonlySet<string> = new Set(
  (
    "authorization proxy-authorization cookie set-cookie cookies x-nodal-csrf csrftoken token secret " +
    "secret_access_key password body rawheaders rawpacket"
  ).split(" "),
);
const CENSOR = "[hidden]";

/**
 * A logger at the given level (`trace` … `fatal`, or `silent`). Long texts, lists and nesting are cut off. Every line has
 * what is in `base`.
 */
export function createLogger(
  level: string,
  to: DestinationStream = destination({ fd: 2, sync: false }),
  base: Readonly<Record<string, unknown>> | null = null,
): Logger {
  return pino(
    {
      level,
      base,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      serializers: { err: serializeError },
      formatters: { level: (label) => ({ level: label }), log: (fields) => bounded(fields) as Record<string, unknown> },
    },
    to,
  );
}

/** An error as the log has it; a driver's error also holds the whole connection, which says nothing and is long. */
function serializeError(error: Error): object {
  const { client: _, ...told } = stdSerializers.err(error) as unknown as { client?: unknown };
  return bounded(told) as object;
}

/**
 * The same with long texts cut off, secrets hidden, and what goes on or is nested too far left out. Errors wait for their
 * serializer.
 */
function bounded(value: unknown, depth = MAX_DEPTH): unknown {
  if (typeof value === "string")
    return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)} […]` : value;
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return bounded(value.toJSON(), depth);
  if (depth === 0) return "[…]";
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map((item) => bounded(item, depth - 1));
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(
    members.map(([name, member]) => [name, isHidden(name) ? CENSOR : bounded(member, depth - 1)]),
  );
}

function isHidden(name: string): boolean {
  return HIDDEN_NAMES.has(name.toLowerCase());
}
