// The banks of a simulation: the stand-ins of providers with their own books, and what goes wrong with their webhooks.
import { hookPath } from "../../src/platform/providers/hook-routes.ts";
import type { FastifyInstance } from "fastify";
import { cashfree } from "../../stand-ins/cashfree.ts";
import type { Desk } from "../../stand-ins/desk.ts";
import { razorpayx } from "../../stand-ins/razorpayx.ts";
import { makeStandIn, type Protocol } from "../../stand-ins/stand-in.ts";
import { type ProviderAccount } from "../../src/payouts/index.ts";
import { Actor, running, scheduler } from "./scheduler.ts";
import { NODAL, type World } from "./world.ts";

const PROTOCOLS: Readonly<Record<"cashfree" | "razorpayx", Protocol>> = { cashfree, razorpayx };
const CREDENTIALS = { id: "key", secret: "secret", noticeSecret: "whsec" };
const LOOK_MS = 50;
const SETTLE_MS = 120;
const LOST_NOTICES_PERCENT = 15;

export type SimulatedBank = {
  readonly name: "cashfree" | "razorpayx";
  readonly origin: string;
  readonly desk: Desk;
  /** Sends webhooks about a merchant's payments to the address of its account. */
  serve(merchantId: bigint, account: ProviderAccount): void;
  /** No webhook is lost from now on. */
  loseNoNotices(): void;
  close(): Promise<void>;
};

/** Opens a bank with money enough. Its webhooks go to whoever serves the merchant that they are about. */
export async function openBank(name: "cashfree" | "razorpayx", world: World): Promise<SimulatedBank> {
  const actor = new Actor(name);
  const origin = `https://${name}.test`;
  const hooks = new Map<string, string>();
  let lostPercent = LOST_NOTICES_PERCENT;
  const options = {
    file: ":memory:",
    credentials: CREDENTIALS,
    noticeUrl: `${NODAL}.${name}`,
    settleMs: SETTLE_MS,
    callsPerSecond: null,
    random: world.dice.random,
  };
  const standIn = running.run(actor, () => makeStandIn(PROTOCOLS[name], options));
  look(actor, standIn.desk);
  await standIn.app.ready();
  standIn.desk.book.fund(10n ** 12n);
  world.network.addServer(origin, standIn.app);
  world.network.addHost(`${NODAL}.${name}`, async (_path, init) => {
    const [, merchant] = /n[0-9a-z]{6}_[0-9a-z]+_([0-9a-z]+)_/.exec(init.body ?? "")!;
    const path = hooks.get(merchant!)!;
    // The bank takes it as delivered. What it would have said is found by asking: soon, or by a re-check.
    if (world.dice.percent(lostPercent)) {
      scheduler().note(name, "a webhook is lost");
      return { status: 200, body: "" };
    }
    return world.takeNotice(path, init);
  });
  return {
    name,
    origin,
    desk: standIn.desk,
    serve: (merchantId, account) => void hooks.set(merchantId.toString(36), hookPath(name, account)),
    loseNoNotices: () => {
      lostPercent = 0;
    },
    close: async () => {
      actor.isAlive = false;
      await closeStandIn(standIn.app, standIn.desk);
    },
  };
}

/** The bank looks for what is due again and again. */
function look(actor: Actor, desk: Desk): void {
  scheduler().add(LOOK_MS, actor, () => {
    look(actor, desk);
    return desk.look() ? undefined : false;
  });
}

async function closeStandIn(app: FastifyInstance, desk: Desk): Promise<void> {
  await app.close();
  desk.book.close();
}
