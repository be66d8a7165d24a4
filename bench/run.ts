// `npm run bench -- <name> [options]`: finds the benchmark by its name and runs it. What one does, and its options, is
// in the file of its name.
import { benchCitus } from "./citus.ts";
import { benchGrowth } from "./growth.ts";
import { benchInvoices } from "./invoices.ts";
import { benchServers } from "./servers.ts";
import { benchSoak } from "./soak.ts";
import { benchStart } from "./start.ts";
import { benchSubscriptions } from "./subscriptions.ts";
import { benchTransfers } from "./transfers.ts";

/** Each runs with its command-line arguments and returns the exit code. */
const BENCHMARKS = new Map<string, (args: readonly string[]) => Promise<number>>([
  ["citus", benchCitus],
  ["growth", benchGrowth],
  ["invoices", benchInvoices],
  ["servers", benchServers],
  ["soak", benchSoak],
  ["start", benchStart],
  ["subscriptions", benchSubscriptions],
  ["transfers", benchTransfers],
]);

const [name = "", ...args] = process.argv.slice(2);
const benchmark = BENCHMARKS.get(name);
if (benchmark) {
  process.exitCode = await benchmark(args);
} else {
  const names = [...BENCHMARKS.keys()].join(", ");
  console.error(`bench: there is no benchmark ${JSON.stringify(name)}; name one of: ${names}.`);
  process.exitCode = 2;
}
