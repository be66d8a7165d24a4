// The benchmark of outsiders: how fast a merchant is answered while somebody without keys sends what costs the most.
// What belongs here: the procedure and its report. Victim and attacker are in this process, the server in its own.
import { setTimeout as sleep } from "node:timers/promises";
import { hostileBodies } from "../test/support/hostile-bodies.ts";
import { Installation, type Payer } from "./installation.ts";
import { Latencies } from "./latencies.ts";
import { withOptions } from "./options.ts";
import { writeReport } from "./report.ts";

const MEBIBYTE = 1024 * 1024;
/** What the project has set itself, with one megabyte a second from an attacker. */
const TARGET_P99_MS = 250;
const ATTACKED_PATH = "/api/v3/merchant/invoice/save";
const WARM_UP_SECONDS = 2;

const USAGE = `Usage: npm run bench -- outsiders [--seconds 20] [--megabytes 1]
  --megabytes   what the attacker sends in a second`;

const NUMBERS = { seconds: { usual: 20, maximum: 600 }, megabytes: { usual: 1, maximum: 50 } };

type Phase = {
  readonly attack: string;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Of the server's process, for each second. */
  readonly cpuSeconds: number;
  /** How the attacker was answered: how often with each status. */
  readonly answers: Readonly<Record<string, number>>;
};

type Attack = { readonly name: string; readonly bodies: readonly string[]; readonly everyMs: number };

/** Runs the benchmark. Returns the exit code: 1 when the target was missed, 2 for a wrong option. */
export function benchOutsiders(args: readonly string[]): Promise<number> {
  return withOptions(args, { usage: USAGE, numbers: NUMBERS }, ({ numbers }) => run(numbers));
}

async function run({ seconds, megabytes }: Record<keyof typeof NUMBERS, number>): Promise<number> {
  const installation = await Installation.start({ profileFolder: null });
  try {
    const [payer] = await installation.seedPayers(1);
    const attacks: Attack[] = [
      { name: "none", bodies: [], everyMs: 0 },
      { name: "64 KiB each", bodies: hostileBodies(MEBIBYTE / 16), everyMs: 1000 / 16 / megabytes },
      { name: "1 MiB each", bodies: hostileBodies(MEBIBYTE), everyMs: 1000 / megabytes },
      { name: "8 MiB each", bodies: hostileBodies(8 * MEBIBYTE - 200), everyMs: 8000 / megabytes },
    ];
    await measure(installation, payer!, attacks[0]!, WARM_UP_SECONDS);
    const phases: Phase[] = [];
    for (const attack of attacks) phases.push(await measure(installation, payer!, attack, seconds));
    const passed = phases.every(({ p99Ms }) => p99Ms < TARGET_P99_MS);
    for (const phase of phases) print(phase);
    await writeReport("outsiders", {
      parameters: { seconds, megabytes },
      targetP99Ms: TARGET_P99_MS,
      phases,
      passed,
    });
    return passed ? 0 : 1;
  } finally {
    const log = await installation.close();
    if (log !== "") console.error(`The server wrote:\n${log}`);
  }
}

async function measure(installation: Installation, payer: Payer, attack: Attack, seconds: number): Promise<Phase> {
  const before = await installation.readServerUse();
  const endMs = performance.now() + seconds * 1000;
  const [latencies, answers] = await Promise.all([
    readBalances(installation.baseUrl, payer, endMs),
    sendHostile(installation.baseUrl, attack, endMs),
  ]);
  const after = await installation.readServerUse();
  return {
    attack: attack.name,
    requests: latencies.count,
    p50Ms: latencies.percentileMs(50),
    p99Ms: latencies.percentileMs(99),
    maxMs: latencies.maxMs,
    cpuSeconds: (after.cpuSeconds - before.cpuSeconds) / seconds,
    answers,
  };
}

async function readBalances(baseUrl: string, { token }: Payer, endMs: number): Promise<Latencies> {
  const latencies = new Latencies();
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const answer = await fetch(`${baseUrl}/api/v1/payout/balance`, { headers: { authorization: `Bearer ${token}` } });
    await answer.text();
    if (answer.status !== 200) throw new Error(`the balance was answered with ${answer.status}`);
    latencies.record(performance.now() - startMs);
    await sleep(5);
  }
  return latencies;
}

async function sendHostile(baseUrl: string, { bodies, everyMs }: Attack, endMs: number): Promise<Phase["answers"]> {
  const answers: Record<string, number> = {};
  for (let round = 0; bodies.length > 0 && performance.now() < endMs; round += 1) {
    const nextMs = performance.now() + everyMs;
    const status = await fetch(`${baseUrl}${ATTACKED_PATH}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: bodies[round % bodies.length]!,
    }).then(
      async (answer) => {
        await answer.text();
        return String(answer.status);
      },
      () => "cut off",
    );
    answers[status] = (answers[status] ?? 0) + 1;
    await sleep(Math.max(0, Math.min(nextMs, endMs) - performance.now()));
  }
  return answers;
}

function print({ attack, requests, p50Ms, p99Ms, maxMs, cpuSeconds, answers }: Phase): void {
  console.log(
    `  ${attack.padEnd(12)}${String(requests).padStart(6)} requests  p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms` +
      `  max ${maxMs.toFixed(0)} ms  server ${cpuSeconds.toFixed(2)} cores  attacker got ${JSON.stringify(answers)}`,
  );
}
