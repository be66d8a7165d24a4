// RazorpayX's webhooks that are not about payouts: docs/rules/rails.md#razorpayx
import type { RailMode } from "../rails/rail.ts";
import type { ProviderDowntime } from "./connector.ts";
import { fieldsOf, textOf, type ProviderFields } from "../../platform/providers/provider-client.ts";

const MODES: readonly RailMode[] = ["IMPS", "NEFT", "RTGS", "UPI"];

/**
 * The latest time at which an event can have been signed, in milliseconds since 1970. The end of a downtime has only the downtime's
 * times. `NaN` for none.
 */
export function signedAtOf(event: ProviderFields): number {
  const downtime = downtimeOf(event);
  const times = [event, downtime].flatMap((fields) =>
    ["created_at", "updated_at", "end"].map((name) => textOf(fields, name)),
  );
  const seconds = times.filter((text) => /^[0-9]{1,12}$/.test(text)).map(Number);
  return seconds.length === 0 ? Number.NaN : Math.max(...seconds) * 1000;
}

/** The downtime that an event is about; `null` if it is about something else. */
export function readDowntime(event: ProviderFields): ProviderDowntime | null {
  const kind = /^payout\.downtime\.(started|resolved)$/.exec(textOf(event, "event"))?.[1];
  const downtime = downtimeOf(event);
  const downtimeId = textOf(downtime, "id");
  if (kind === undefined || downtimeId === "") return null;
  const endedAt = timeOf(downtime, "end");
  const changedAt = timeOf(downtime, "updated_at") ?? timeOf(downtime, "created_at") ?? timeOf(event, "created_at");
  const begunAt = timeOf(downtime, "begin") ?? changedAt;
  const modes = readModes(downtime.method);
  if (begunAt === null || modes === null) return null;
  return {
    downtimeId,
    modes,
    bank: readBank(fieldsOf(downtime, "instrument")),
    begunAt,
    endedAt: kind === "resolved" ? (endedAt ?? changedAt ?? begunAt) : endedAt,
  };
}

function downtimeOf(event: ProviderFields): ProviderFields {
  return fieldsOf(fieldsOf(fieldsOf(event, "payload"), "payout.downtime"), "entity");
}

/** Empty if it names none; `null` if it names only modes that Nodal does not use. */
function readModes(method: unknown): RailMode[] | null {
  const words: unknown[] = Array.isArray(method) ? method : typeof method === "string" ? [method] : [];
  const modes = MODES.filter((mode) => words.includes(mode));
  return words.length > 0 && modes.length === 0 ? null : modes;
}

/** Letters alone: the documents write SBI, and UTIB. */
function readBank(instrument: ProviderFields): string {
  return textOf(instrument, "bank")
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, "")
    .slice(0, 4);
}

function timeOf(fields: ProviderFields, name: string): Temporal.Instant | null {
  const seconds = textOf(fields, name);
  return /^[0-9]{1,12}$/.test(seconds) ? Temporal.Instant.fromEpochMilliseconds(Number(seconds) * 1000) : null;
}
