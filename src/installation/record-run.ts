// Records runs that people or their timers start beside the server, such as backups, like those of schedules, for metrics and
// `nodal jobs`.
import { noteRun } from "../platform/jobs/schedule-store.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import type { Findings } from "./verify.ts";

const MAX_ERROR_LENGTH = 500;

/** The recorded failure of a check of the books that found something. */
export function failureOfFindings({ summary }: Findings): string | null {
  return summary.ok ? null : `violations: ${summary.violation_count}`;
}

/** The recorded runs. The names are those of `nodal jobs` and of the label `schedule` in metrics. */
export type RecordedRun = "backup" | "verify";

/**
 * Calls `run`, and records when it ended and whether it succeeded: `failureOf` returns what is wrong with its result, in a few
 * words, or `null`, and `resultOf` the part to store. If recording fails, as in a database of an earlier release, that is a warning
 * in the log and not a failure of the run.
 */
export async function recordRun<T>(
  { pool, logger }: { readonly pool: Pool; readonly logger: Logger },
  name: RecordedRun,
  run: () => Promise<T>,
  failureOf: (result: T) => string | null = () => null,
  resultOf: (startedAt: Temporal.Instant, result: T) => object | null = () => null,
): Promise<T> {
  const startedAt = Temporal.Now.instant();
  const note = (error: string | null, kept: object | null = null): Promise<void> =>
    noteRun(pool, name, startedAt, error?.slice(0, MAX_ERROR_LENGTH) ?? null, kept).catch((err: unknown) =>
      logger.warn({ err, run: name }, "could not record the end of a run"),
    );
  let result: T;
  try {
    result = await run();
  } catch (error) {
    await note((error instanceof Error && error.message) || "unknown");
    throw error;
  }
  await note(failureOf(result), resultOf(startedAt, result));
  return result;
}
