// How often somebody may try to sign in: by address, by account, and by device that has signed in before. Only failures
// count.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { NodalError } from "../../platform/errors.ts";
import { Gate } from "../../platform/gate.ts";
import { networkOf } from "../../platform/http/client-address.ts";
import { UNKNOWN_LOGIN } from "../../platform/password.ts";
import type { RateWindow, Taken } from "../../platform/rates/rate-window.ts";

/** The window in which failures are counted. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
/** Failures in a window. Many people may share an address; few have forgotten the same password. */
const LIMITS = { address: 30, account: 10, device: 10, devices: 30, code: 10, mail: 3, mailAddress: 10 } as const;
/** Passwords of one address that are looked at, or wait for their turn, at once. */
const AT_ONCE_PER_ADDRESS = 8;
const WAITING_PER_ADDRESS = 60;
const WAIT_MS = 10_000;
const DEVICE = /^([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;

/** Who tries: which account, from which address, and what its browser shows of an earlier sign-in to that account. */
export type Attempt = { readonly account: string; readonly address: string; readonly device: string | null };

export class SignInThrottle {
  readonly #rates: RateWindow;
  readonly #installationSecret: Buffer;
  readonly #places = new Gate({
    atOnce: Infinity,
    atOncePerKey: AT_ONCE_PER_ADDRESS,
    maxWaitingPerKey: WAITING_PER_ADDRESS,
    waitMs: WAIT_MS,
    refusal: "Too many sign-ins from your address at once. Try again in a moment.",
  });

  /** @param rates counts over `SIGN_IN_WINDOW_MS` */
  constructor(installationSecret: Buffer, rates: RateWindow) {
    this.#installationSecret = installationSecret;
    this.#rates = rates;
  }

  /**
   * Looks at a password when it is the turn of its address: a few of each at once, so that who sends many keeps none
   * but himself waiting. `work` is given the name under which its account takes turns; a device that has signed in to
   * the account before has turns of its own.
   * @throws NodalError `unavailable` for too many at once from one address
   */
  inTurn<T>({ account, address, device }: Attempt, work: (whose: string) => Promise<T>): Promise<T> {
    const known = device === null ? null : this.#readDevice(account, device);
    const whose = known === null ? `${UNKNOWN_LOGIN}${account}` : `device ${known}`;
    return this.#places.run(networkOf(address), () => work(whose));
  }

  /**
   * Counts an attempt to sign in until it turns out well; call what it answers then. A device that has signed in to the
   * account before has a count of its own, so that strangers who guess can't keep its owner out; all of them together
   * have another, so that nobody gathers devices to guess more.
   * @throws NodalError `rate_limited`
   */
  async countPassword({ account, address, device }: Attempt): Promise<() => void> {
    const known = device === null ? null : this.#readDevice(account, device);
    const devices = `devices of ${account}`;
    if (known !== null && (await this.#rates.look(`sign-in ${devices}`, LIMITS.devices)).allowed) {
      return this.#take([`device ${known}`, LIMITS.device], [devices, LIMITS.devices]);
    }
    return this.#take([`address ${networkOf(address)}`, LIMITS.address], [`account ${account}`, LIMITS.account]);
  }

  /**
   * The same for the code of a second factor at the sign-in: who gets so far knows the password.
   * @throws NodalError `rate_limited`
   */
  countCode(login: string): Promise<() => void> {
    return this.#take([`code ${login}`, LIMITS.code]);
  }

  /**
   * The same for passwords and codes that somebody who is signed in repeats. They have a count of their own: who has
   * found out a password, and guesses codes, can't keep its owner from changing it.
   * @throws NodalError `rate_limited`
   */
  countProof(login: string): Promise<() => void> {
    return this.#take([`proof ${login}`, LIMITS.code]);
  }

  /**
   * Counts a request for a link to a new password. Returns whether mail may be sent to the account.
   * @throws NodalError `rate_limited` for too many from one address
   */
  async countMail({ account, address }: Pick<Attempt, "account" | "address">): Promise<boolean> {
    await this.#take([`mail from ${networkOf(address)}`, LIMITS.mailAddress]);
    return (await this.#rates.take(`sign-in mail to ${account}`, LIMITS.mail)).allowed;
  }

  /** What a browser keeps to be known as one that has signed in to an account. */
  issueDevice(account: string): string {
    const id = randomBytes(12).toString("base64url");
    return `${id}.${this.#sign(account, id).toString("base64url")}`;
  }

  #readDevice(account: string, device: string): string | null {
    const [, id, signature] = DEVICE.exec(device) ?? [];
    if (!id || !signature) return null;
    return timingSafeEqual(Buffer.from(signature, "base64url"), this.#sign(account, id)) ? id : null;
  }

  #sign(account: string, id: string): Buffer {
    return createHmac("sha256", this.#installationSecret).update(`known device\0${account}\0${id}`).digest();
  }

  /** One after the other: who is refused by one count must not use up the next. */
  async #take(...counts: (readonly [string, number])[]): Promise<() => void> {
    const all: Taken[] = [];
    for (const [key, limit] of counts) {
      const taken = await this.#rates.take(`sign-in ${key}`, limit);
      all.push(taken);
      if (taken.allowed) continue;
      const { remaining, resetMs } = taken;
      const minutes = Math.ceil(resetMs / 60_000);
      const rate = { limit, remaining, resetMs };
      throw new NodalError("rate_limited", `Too many failed attempts. Try again in ${minutes} min.`, { rate });
    }
    return () => all.forEach((taken) => taken.giveBack());
  }
}

/**
 * Runs `work` for an attempt that is counted, and gives it back where it was not looked at: nobody is locked out
 * because there was no place, or no database.
 */
export async function whileCounted<T>(giveBack: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NodalError) || error.code === "unavailable") giveBack();
    throw error;
  }
}
