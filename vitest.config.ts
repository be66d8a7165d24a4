// How the tests run: the files beside the code, those of the whole system in test/, those of the benchmarks. Which of them
// in which run is in test/support/test-set.ts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { defineConfig } from "vitest/config";
import { PlainReporter } from "./test/support/plain-reporter.ts";
import { testFiles, workers } from "./test/support/test-set.ts";

/**
 * The files that take longest come first, longest of all first, or the last of them would run alone at the end. Measured on
 * two processors; most of them wait for clocks.
 */
const LONG = [
  /\/test\/crash\/batches\.test|\/browser\/every-page\.test/,
  /\/test\/(simulation\/simulation|crash\/crash)\.test|\/dashboard\/move-money\.test/,
  /\/embedded\.test|\/test\/crash\/(providers|provider-next|takeover|in-progress)\.test|\/test\/(cli|cli-database|secrets-keys)\.test/,
  /\/draw-picture\.test|\/test\/(fuzz\/fuzz|crash\/stop)\.test|\/browser\/(sign-in|payouts|settings|invoices|franchises)\.test/,
  /\/test\/(crash|browser)\/|\/test\/(backup|failover|haproxy|hung-database)\.test|\/wire\/workers\.test/,
  /\/dashboard\/limits\.test|\/wire\/(notifications|notifications-kept)\.test|\/rails\/simulator\.test/,
  /\/test\/ledger-model\.test|\/dashboard\/logins-of-an-address\.test|\/wire\/(commission|idempotency|sandbox|held-books|live|providers|provider-down|provider-accounts)\.test/,
  /\/(tenant|commission-histories|deliverer|suspension|renderer|render-pdf)\.test|\/test\/(backup-schemas|cli-surroundings|corruption\/corruption)\.test/,
  /\/wire\/(webhooks|invoice-lists|templates|outsiders|invoice-groups|subscriptions|notifications-reminders|audit|credit-notes)\.test/,
];

/**
 * Those that share a worker's server come after all others: it looks for work several times a second, for as long as it
 * runs.
 */
class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => LONG.findIndex((each) => each.test(moduleId));
    const turnOf = (file: TestSpecification): number => (placeOf(file) === -1 ? LONG.length : placeOf(file));
    const sorted = (await super.sort(files)).toSorted((a, b) => turnOf(a) - turnOf(b));
    const sharing = new Set(
      sorted.filter(({ moduleId }) => readFileSync(moduleId, "utf8").includes("Installation.shared()")),
    );
    return [...sorted.filter((file) => !sharing.has(file)), ...sorted.filter((file) => sharing.has(file))];
  }
}

// The processes of the tests find what an earlier one has compiled, in the folder of servers and commands.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/nodal");

export default defineConfig({
  test: {
    include: [...testFiles.include],
    exclude: ["**/node_modules/**", ...testFiles.exclude],
    globalSetup: ["test/support/prepared-data.ts", "test/support/built.ts"],
    // Node reads TypeScript by itself: the tests run what runs elsewhere, and a fifth of their processor time is saved.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: "forks",
    // The files of a worker share what they import, and the process that runs their commands.
    isolate: false,
    maxWorkers: workers,
    sequence: { sequencer: LongOnesFirst },
    // Only what hangs takes so long: a busy machine has been ten times slower than a free one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // What a test waits for comes late on a busy machine.
    expect: { poll: { timeout: 180_000 } },
    reporters: ["default", new PlainReporter()],
  },
});
