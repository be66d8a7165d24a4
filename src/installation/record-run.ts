// What people or their timers run beside the server, such as backups, noted where schedules are, so that metrics and `nodal jobs` know.
import { noteRun } from "../platform/jobs/schedule-store.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import type { Findings } from "./verify.ts";

const MAX_ERROR_LENGTH = 500;

/** What a check of the books that found something is noted with. */
export function failureOfFindings({ summary }: Findings): string | null {
  return summary.ok ? null : `violations: ${summary.violation_count}`;
}

/** What is noted. The names are those of `nodal jobs` and of the label `schedule` in metrics. */
export type RecordedRun = "backup" | "verify";

/**
 * Does `run`, and notes when it ended and whether it went well: `failureOf` says what is wrong with what came of it, in a few words, or
 * `null`, and `resultOf` what of it is kept. A note that can't be made, as in a database of an earlier release, is a warning in the log and no failure of the run.
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
