// The log: JSON lines on standard error, so that standard output only has what people and scripts read.
import { destination, pino, stdSerializers, type DestinationStream, type Logger } from "pino";

export type { Logger } from "pino";

/** Long enough for any stack. Errors may quote requests and answers of any length. */
const MAX_TEXT_LENGTH = 4000;
const MAX_MEMBERS = 50;
const MAX_DEPTH = 4;
/** Members that are never logged, at any depth and in any spelling: headers and bodies. */
const HIDDEN_NAMES: ReadonlySet<string> = new Set(
  (
    "authorization proxy-authorization cookie set-cookie cookies x-nodal-csrf csrftoken token secret " +
    "secret_access_key password body rawheaders rawpacket"
  ).split(" "),
);
const CENSOR = "[hidden]";

/**
 * A logger at the given level (`trace` … `fatal`, or `silent`). Long texts, lists and nesting are cut off. `base` is
 * added to every line.
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

/** An error for the log. A driver's error also contains the whole connection, which is long and useless. */
function serializeError(error: Error): object {
  const { client: _, ...told } = stdSerializers.err(error) as unknown as { client?: unknown };
  return bounded(told) as object;
}

/**
 * A copy of the value with long texts cut off, secrets hidden, and long lists and deep nesting left out. Errors are
 * left to their serializer.
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
