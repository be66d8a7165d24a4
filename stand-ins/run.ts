// `npm run stand-in -- cashfree`: a stand-in for a payout provider on this machine, until it is stopped.
import { parseArgs } from "node:util";
import { cashfree } from "./cashfree.ts";
import { parsePaise } from "../src/platform/money.ts";
import { razorpayx, razorpayxOn, SOURCE_ACCOUNT } from "./razorpayx.ts";
import { startStandIn, type Protocol } from "./stand-in.ts";

const PROTOCOLS: readonly Protocol[] = [cashfree, razorpayx];
const USAGE = `Usage: npm run stand-in -- ${PROTOCOLS.map(({ name }) => name).join("|")} [options]

  --port <port>        port on 127.0.0.1; default: 9701 for cashfree, 9702 for razorpayx
  --data <file>        file for its book; default: in memory only
  --webhooks <url>     URL for its webhooks
  --fund <rupees>      starting balance; default: 1000000.00
  --settle-ms <ms>     duration of a successful payment; default: 300
  --calls-per-second <n>  calls per second accepted; default: no limit
  --current-account    RazorpayX: a current account instead of RazorpayX Lite`;

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: "string" },
      data: { type: "string", default: ":memory:" },
      webhooks: { type: "string" },
      fund: { type: "string", default: "1000000.00" },
      "settle-ms": { type: "string", default: "300" },
      "calls-per-second": { type: "string" },
      "current-account": { type: "boolean", default: false },
    },
  });
  const protocol = PROTOCOLS.find(({ name }) => name === positionals[0]);
  if (!protocol) throw new Error(USAGE);
  const isCurrent = protocol === razorpayx && values["current-account"];
  const credentials = { id: "stand-in-id", secret: "stand-in-secret", noticeSecret: "stand-in-webhook-secret" };
  const { url, desk, stop } = await startStandIn(isCurrent ? razorpayxOn("current_account") : protocol, {
    port: Number(values.port ?? 9701 + PROTOCOLS.indexOf(protocol)),
    file: values.data,
    credentials,
    noticeUrl: values.webhooks ?? null,
    settleMs: Number(values["settle-ms"]),
    callsPerSecond: values["calls-per-second"] === undefined ? null : Number(values["calls-per-second"]),
    random: Math.random,
  });
  const paise = parsePaise(values.fund);
  if (paise === null) throw new Error(`--fund: rupees, as 1000000.00\n\n${USAGE}`);
  if (desk.book.balancePaise() === 0n) desk.book.fund(paise);
  console.log(`A stand-in for ${protocol.name} at ${url}
  id              ${credentials.id}
  secret          ${credentials.secret}
  webhook secret  ${credentials.noticeSecret}${protocol === razorpayx ? `\n  account         ${SOURCE_ACCOUNT}` : ""}
  what it paid    ${url}/_sim/book`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 2;
});
