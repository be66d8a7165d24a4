// What clients of a simulation ask for, and what they were told: an answer that was given must stay true. Also what operators
// change of a merchant: from then on no payout may be accepted that it forbids.
import { changeMerchant, changePayoutPolicy } from "../../src/merchants/index.ts";
import type { Beneficiary } from "../../src/payouts/beneficiaries/beneficiary.ts";
import { actorOf } from "../../src/platform/origin.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { running, scheduler } from "./scheduler.ts";
import type { Process, SimulatedMerchant, World } from "./world.ts";

/** What forbids a merchant's payouts, as far as somebody was told so; `null` while a change is under way or has failed. */
type Terms = { readonly isSuspended: boolean; readonly limitPaise: bigint | null } | null;
const NO_TERMS = { isSuspended: false, limitPaise: null };
const LIMIT_PAISE = 100_000n;

/** Something that a client wants once, however often it asks. Its number is in the narrative, so that banks show it. */
export type RequestedPayout = {
  readonly number: number;
  readonly owner: SimulatedMerchant;
  /** `null` for a withdrawal. */
  readonly beneficiary: Beneficiary | null;
  readonly amountPaise: bigint;
  /** The transfers that answers named. */
  readonly transferIds: Set<bigint>;
  /** How often it was asked for, and how often that was surely refused. */
  asked: number;
  refused: number;
  /** What was accepted though the terms forbade it. */
  forbidden: string | null;
};

const ORIGIN = { actor: actorOf("key", "simulation"), address: null, mayMoveMoney: true };

export class Requests {
  readonly payoutRequests: RequestedPayout[] = [];
  readonly #world: World;
  readonly #terms = new Map<SimulatedMerchant, Terms>();
  #fundings = 0;

  constructor(world: World) {
    this.#world = world;
  }

  payoutRequest(changes: Partial<Pick<RequestedPayout, "amountPaise" | "beneficiary">> = {}): RequestedPayout {
    const { dice, merchants } = this.#world;
    const owner = dice.pick(merchants);
    const payoutRequest: RequestedPayout = {
      number: this.payoutRequests.length + 1,
      owner,
      beneficiary: dice.percent(12) ? null : dice.pick(owner.beneficiaries),
      amountPaise: BigInt(dice.whole(100, dice.percent(10) ? 3_000_000 : 200_000)),
      transferIds: new Set(),
      asked: 0,
      refused: 0,
      forbidden: null,
      ...changes,
    };
    this.payoutRequests.push(payoutRequest);
    return payoutRequest;
  }

  /** A client asks one of the processes, and takes note of the answer when it comes. */
  ask(payoutRequest: RequestedPayout, process: Process | undefined): void {
    if (!process?.payouts) return;
    payoutRequest.asked += 1;
    const { merchant } = payoutRequest.owner;
    const { desk } = process.payouts;
    const common = {
      amountPaise: payoutRequest.amountPaise,
      referenceId: `w${payoutRequest.number}`,
      narrative: `W${payoutRequest.number}`,
    };
    const context = { merchant, idempotency: null, origin: ORIGIN };
    const terms = this.#termsOf(payoutRequest.owner);
    // What was asked for before may have been accepted before the change.
    const isNew = payoutRequest.asked === 1;
    scheduler().note(
      process.name,
      `is asked for W${payoutRequest.number}: ${payoutRequest.amountPaise} of ${payoutRequest.owner.bank.name}`,
    );
    void running.run(process, async () => {
      try {
        const { transferId, state } = payoutRequest.beneficiary
          ? await desk.requestTransfer(context, {
              ...common,
              beneficiaryId: String(payoutRequest.beneficiary.beneficiaryId),
              mode: null,
            })
          : await desk.requestWithdrawal(context, common);
        scheduler().note(process.name, `answers W${payoutRequest.number}: ${transferId} is ${state}`);
        payoutRequest.transferIds.add(transferId);
        if (isNew && terms && terms === this.#termsOf(payoutRequest.owner))
          payoutRequest.forbidden = whyForbidden(terms, payoutRequest.amountPaise);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        scheduler().note(process.name, `answers W${payoutRequest.number}: ${code ?? message}`);
        // `unavailable` leaves open what has become of it.
        if (code !== undefined && code !== "unavailable") payoutRequest.refused += 1;
      }
    });
  }

  /** Somebody asks for what can't be: a payee that is not there. */
  askForNobody(process: Process | undefined): void {
    if (!process?.payouts) return;
    const { merchant, beneficiaries } = this.#world.dice.pick(this.#world.merchants);
    const nobody = { ...beneficiaries[0]!, beneficiaryId: 1n };
    const payoutRequest = this.payoutRequest({ beneficiary: nobody });
    scheduler().note(process.name, `a payee of ${merchant.bucket} that is not there:`);
    this.ask(payoutRequest, process);
  }

  /** An operator suspends a merchant, or lets it pay again; or a limit for each payout is set, which nobody lifts. */
  changeTerms(process: Process | undefined): void {
    if (!process?.pool || !process.ids) return;
    const { dice, merchants } = this.#world;
    const owner = dice.pick(merchants);
    const before = this.#termsOf(owner);
    const isSuspended = !before?.isSuspended;
    const { pool, ids } = process;
    const context = { pool, ids, merchant: owner.merchant };
    if (dice.percent(15)) {
      const after = before && { ...before, limitPaise: LIMIT_PAISE };
      this.#change(process, owner, "a limit", after, () =>
        changePayoutPolicy(context, { transferLimitPaise: LIMIT_PAISE }),
      );
    } else {
      const status = isSuspended ? "suspended" : "active";
      const after = before && { ...before, isSuspended };
      this.#change(process, owner, status, after, () => changeMerchant(context, { status }));
    }
  }

  /** Lets all merchants pay again: what was accepted before a suspension waits for that. */
  async liftSuspensions(): Promise<void> {
    const { owner: pool, ids, merchants } = this.#world;
    for (const { merchant } of merchants) await changeMerchant({ pool, ids, merchant }, { status: "active" });
  }

  #termsOf(owner: SimulatedMerchant): Terms {
    const terms = this.#terms.get(owner);
    return terms === undefined ? NO_TERMS : terms;
  }

  #change(
    process: Process,
    owner: SimulatedMerchant,
    what: string,
    after: Terms,
    change: () => Promise<unknown>,
  ): void {
    this.#terms.set(owner, null);
    scheduler().note(process.name, `is told: ${what} for ${owner.merchant.bucket}`);
    void running.run(process, () =>
      change().then(
        () => {
          scheduler().note(process.name, `has changed it: ${what}`);
          this.#terms.set(owner, after);
        },
        // Whether it was changed is not known: nothing can be said of this merchant any more.
        (error: Error) => scheduler().note(process.name, `could not change it: ${error.message}`),
      ),
    );
  }

  /** Money comes in, by a command or another process. */
  fund(process: Process | undefined): void {
    if (!process?.pool || !process.ids) return;
    const { dice, merchants } = this.#world;
    const { bucket, merchantId } = dice.pick(merchants).merchant;
    const amountPaise = BigInt(dice.whole(1000, 5_000_000));
    const reference = `funding-${(this.#fundings += 1)}`;
    const { pool, ids } = process;
    void running.run(process, () =>
      fundMerchant(pool, ids, { bucket, merchantId, amountPaise, reference }).then(
        () => scheduler().note(process.name, `has credited ${amountPaise}`),
        (error: Error) => scheduler().note(process.name, `could not credit: ${error.message}`),
      ),
    );
  }
}

function whyForbidden({ isSuspended, limitPaise }: NonNullable<Terms>, amountPaise: bigint): string | null {
  if (isSuspended) return "its merchant was suspended";
  return limitPaise !== null && amountPaise > limitPaise ? `${amountPaise} is over the limit` : null;
}
