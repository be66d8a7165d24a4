// Stand-ins of providers for tests that need no server of Nodal's: payments settle when the test says so.
// What belongs here: starting them. No assertion.
import { cashfree } from "../../stand-ins/cashfree.ts";
import { razorpayx } from "../../stand-ins/razorpayx.ts";
import { startStandIn, type StandIn } from "../../stand-ins/stand-in.ts";

export const CREDENTIALS = { id: "key", secret: "a-secret", noticeSecret: "whsec" };
const LONG_MS = 1_000_000_000;

/** Starts one that has money enough, and tells nobody of changes. */
export async function openStandIn(name: "cashfree" | "razorpayx"): Promise<StandIn> {
  const standIn = await startStandIn({ cashfree, razorpayx }[name], {
    port: 0,
    file: ":memory:",
    credentials: CREDENTIALS,
    noticeUrl: null,
    settleMs: LONG_MS,
    callsPerSecond: null,
    random: Math.random,
  });
  standIn.desk.book.fund(10n ** 12n);
  return standIn;
}
