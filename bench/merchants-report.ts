// What the benchmark of the number of merchants comes to: what it prints, and what of it is not flat.
// What belongs here: judging and printing. How it was measured is in merchants.ts.
import type { StartCosts, Verdict } from "./installation.ts";
import { megabytes, writeReport } from "./report.ts";

/** The merchants of the smaller installation. */
export const FEW = 100;
/** What anything may cost with many merchants, as a multiple of what it costs with few. */
const TARGET_RATIO = 1.5;
/** Less than this is within what the clock of processor time, or another process on the machine, makes of it. */
const NOISE = {
  requestMs: 0.5,
  requestProcessorMs: 2,
  idleMsPerSecond: 2,
  startSeconds: 0.1,
  roundMs: 20,
  bytes: 20_000_000,
};

/** The same of both installations. */
export type Pair<T> = { readonly few: T; readonly many: T };
/** Of one request; processor time is that of server and database. */
export type Cost = { readonly p50Ms: number; readonly minMs: number; readonly processorMs: number };
export type RequestCost = Pair<Cost> & { readonly kind: string };
/** Processor time in each second; `roundMs` is how long a run of each schedule took. */
export type IdleCost = {
  readonly serverMsPerSecond: number;
  readonly databaseMsPerSecond: number;
  readonly roundMs: Readonly<Record<string, number>>;
};
/** After the start, and each time that so many more merchants had asked. */
export type Memory = { readonly asking: number; readonly residentBytes: readonly number[] };

export type Findings = {
  readonly parameters: { readonly merchants: number; readonly rounds: number; readonly idleSeconds: number };
  readonly seedSeconds: number;
  readonly databaseBytes: Pair<number>;
  readonly requests: readonly RequestCost[];
  readonly idle: Pair<IdleCost>;
  readonly starts: Pair<StartCosts>;
  readonly memory: Pair<Memory>;
  readonly verify: Pair<Verdict> | null;
  readonly database: object;
};

/** Something that was measured in both installations. */
type Compared = Pair<number> & { readonly what: string; readonly noise: number };

/** Prints everything and writes it down. Returns whether all is flat, and the books are sound where they were checked. */
export async function report(findings: Findings): Promise<boolean> {
  const { verify, ...measured } = findings;
  const compared = compare(findings);
  const steep = compared.filter(isSteep).map(({ what }) => what);
  print(findings, compared);
  console.log(steep.length === 0 ? "Everything is flat." : `Not flat: ${steep.join("; ")}`);
  const isSound = verify === null || (verify.few.ok && verify.many.ok);
  if (verify) console.log(`nodal verify: ${isSound ? "ok" : JSON.stringify(verify).slice(0, 2000)}`);
  const verdicts = verify && { few: verify.few.ok, many: verify.many.ok };
  await writeReport("merchants", { few: FEW, targetRatio: TARGET_RATIO, ...measured, verify: verdicts, steep });
  return steep.length === 0 && isSound;
}

function compare({ requests, idle, starts, memory }: Findings): Compared[] {
  const of = <T>(what: string, noise: number, { few, many }: Pair<T>, value: (of: T) => number): Compared => ({
    what,
    noise,
    few: value(few),
    many: value(many),
  });
  const schedules = Object.keys(idle.few.roundMs).filter((name) => name in idle.many.roundMs);
  const looks = memory.few.residentBytes.keys();
  return [
    ...requests.flatMap((each) => [
      of(`${each.kind}, ms`, NOISE.requestMs, each, ({ p50Ms }) => p50Ms),
      of(`${each.kind}, ms of processor`, NOISE.requestProcessorMs, each, ({ processorMs }) => processorMs),
    ]),
    of("idle server, ms of processor a second", NOISE.idleMsPerSecond, idle, (each) => each.serverMsPerSecond),
    of("idle database, ms of processor a second", NOISE.idleMsPerSecond, idle, (each) => each.databaseMsPerSecond),
    ...schedules.map((name) => of(`a run of ${name}, ms`, NOISE.roundMs, idle, ({ roundMs }) => roundMs[name]!)),
    of("start, s", NOISE.startSeconds, starts, ({ readyMs }) => readyMs / 1000),
    of("start, s of the server's processor", NOISE.startSeconds, starts, ({ serverSeconds }) => serverSeconds),
    of("start, s of the database's processor", NOISE.startSeconds, starts, ({ databaseSeconds }) => databaseSeconds),
    ...looks.map((look) =>
      of(`resident after ${look * memory.few.asking} merchants`, NOISE.bytes, memory, (each) => {
        return each.residentBytes[look]!;
      }),
    ),
  ];
}

function isSteep({ few, many, noise }: Compared): boolean {
  return many > few * TARGET_RATIO && many - few > noise;
}

function print({ parameters, databaseBytes }: Findings, compared: readonly Compared[]): void {
  const heads = [String(FEW), String(parameters.merchants), "ratio"].map((head) => head.padStart(12)).join("");
  console.log(`${"".padEnd(66)}${heads}  (target ${TARGET_RATIO})`);
  for (const each of compared) {
    const { what, few, many } = each;
    const shown = [few, many].map((value) => (what.startsWith("resident") ? megabytes(value) : value.toFixed(2)));
    const cells = [...shown, (many / few).toFixed(2)].map((cell) => cell.padStart(12)).join("");
    console.log(`  ${what.padEnd(64)}${cells}${isSteep(each) ? "  steep" : ""}`);
  }
  console.log(`On disk: ${megabytes(databaseBytes.few)} and ${megabytes(databaseBytes.many)}`);
}
