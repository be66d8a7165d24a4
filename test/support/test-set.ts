// Which tests a run is of: NODAL_TESTS is `short` in `npm test`, `rest` in `npm run test:rest`, and otherwise all.
// What belongs here: the names of the files that are slow by nature, and what those that are in both sets do in each.

/**
 * Only in the whole. Slow by nature: whatever drives a browser, kills and waits for minutes, upgrades, changes keys or makes
 * backups under load, or draws pictures that were made to be slow. And what checks the code or the files to deploy, as
 * `npm run check` does.
 */
const ONLY_AT_LENGTH = [
  "test/browser/**/*.test.ts",
  "src/platform/database/embedded.test.ts",
  "test/crash/crash.test.ts",
  "test/crash/batches.test.ts",
  "test/crash/billing.test.ts",
  "test/crash/database.test.ts",
  "test/crash/in-hand.test.ts",
  "test/crash/provider-next.test.ts",
  "test/crash/providers.test.ts",
  "test/crash/save-groups.test.ts",
  "test/crash/takeover.test.ts",
  "test/crash/stop.test.ts",
  "test/wire/workers.test.ts",
  "test/wire/outsiders-at-length.test.ts",
  "src/platform/database/round-trips.test.ts",
  "test/secrets-keys.test.ts",
  "test/backup.test.ts",
  "test/upgrade.test.ts",
  "test/failover.test.ts",
  "test/hung-database.test.ts",
  "test/pgbouncer.test.ts",
  "test/haproxy.test.ts",
  "test/replica.test.ts",
  "src/platform/pdf/draw-picture.test.ts",
  "src/reconciliation/large-day.test.ts",
  "test/wire/traces.test.ts",
  "test/architecture.test.ts",
  "test/money-lint.test.ts",
  "test/deploy.test.ts",
];
/** In both: a short walk, and the long way. They ask `isAtLength`. */
const AT_BOTH_LENGTHS = ["test/fuzz/fuzz.test.ts", "test/simulation/simulation.test.ts"];
const EVERY_FILE = ["{src,test,bench}/**/*.test.ts"];

/** The files of each set, as patterns. */
export const SETS = {
  short: { include: EVERY_FILE, exclude: ONLY_AT_LENGTH },
  rest: { include: [...ONLY_AT_LENGTH, ...AT_BOTH_LENGTHS], exclude: [] },
  all: { include: EVERY_FILE, exclude: [] },
} as const;

const name = process.env["NODAL_TESTS"] ?? "all";
if (!Object.hasOwn(SETS, name)) throw new Error(`NODAL_TESTS must be one of ${Object.keys(SETS).join(", ")}`);

/** The files of this run, as patterns. */
export const testFiles: { readonly include: readonly string[]; readonly exclude: readonly string[] } =
  SETS[name as keyof typeof SETS];

/** Whether this run goes the long way. */
export const isAtLength = name !== "short";
