// A crash run of ten breakages, each kind at least once: nothing acknowledged is lost, nothing is done twice. `npm run
// crash` does longer ones.
import { beforeAll, describe, expect, test } from "vitest";
import { BREAKAGES, kindsOf, planBreakages } from "./breakages.ts";
import { breakableOf, describeReport, runCrashes, type CrashReport } from "./crash-run.ts";
import { seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";

const BREAKAGE_COUNT = 10;
const KINDS = Object.keys(BREAKAGES);
const ALL = "server, database and disk";
const RUN_TIMEOUT_MS = 900_000;

describe("ten breakages under a load of every kind of write", () => {
  let report: CrashReport;
  beforeAll(async () => {
    const seed = chooseSeed("crash run");
    report = await runCrashes({ breakages: BREAKAGE_COUNT, seed, onProgress: () => {} });
    process.stdout.write(`${describeReport(report)}\n`);
  }, RUN_TIMEOUT_MS);

  test("are all survived, and the books hold", () => {
    const broken = new Set<string>(report.servingAgainMs.map(({ kind }) => kind));
    expect(report.servingAgainMs).toHaveLength(BREAKAGE_COUNT);
    expect(kindsOf(breakableOf(null)).filter((kind) => !broken.has(kind))).toEqual([]);
  });

  test("interrupted work of every kind", () => {
    expect(report.failures).toBeGreaterThan(0);
    expect(report.resent).toBeGreaterThan(0);
    expect(report.events).toBeGreaterThan(0);
    const undone = Object.entries(report.writes).filter(([, { acknowledged }]) => acknowledged === 0);
    expect(undone).toEqual([]);
  });

  test("had a full disk among them", ({ skip }) => {
    skip(report.diskSkippedBecause !== null, report.diskSkippedBecause ?? undefined);
    expect(report.servingAgainMs.map(({ kind }) => kind)).toContain("disk full");
  });
});

describe("the plan of a run", () => {
  test("has each kind once before any is drawn, and the same order for the same seed", () => {
    const plan = planBreakages(kindsOf(ALL).length, seededRandom(1), ALL);
    expect(plan.toSorted()).toEqual(kindsOf(ALL).toSorted());
    expect(planBreakages(100, seededRandom(7), ALL)).toEqual(planBreakages(100, seededRandom(7), ALL));
    expect(planBreakages(100, seededRandom(7), ALL)).toHaveLength(100);
  });

  test("leaves a full disk out where no disk can be mounted", () => {
    expect(planBreakages(100, seededRandom(7), "server and database")).not.toContain("disk full");
  });

  test("breaks only the server and the way to the database where that is on a Citus, whose nodes go away there alone", () => {
    const left = ["server killed", "server stopped for 10 s", "connections cut", "Citus node away"];
    expect(new Set(planBreakages(100, seededRandom(7), "server and way to Citus"))).toEqual(new Set(left));
    const elsewhere = KINDS.filter((kind) => kind !== "Citus node away");
    expect(new Set<string>(kindsOf(ALL))).toEqual(new Set(elsewhere));
  });
});
