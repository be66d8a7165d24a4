// Limits sign-in attempts: by IP address, by account, and by device that has signed in before. Only failures count.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { NodalError } from "../../platform/errors.ts";
import { Gate } from "../../platform/gate.ts";
import { networkOf } from "../../platform/http/client-address.ts";
import { UNKNOWN_LOGIN } from "../../platform/password.ts";
import type { RateWindow, Taken } from "../../platform/rates/rate-window.ts";

/** The window in which failures are counted. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
/** Failures in a window. Many people may share an IP address; few have forgotten the same password. */
const LIMITS = { address: 30, account: 10, device: 10, devices: 30, code: 10, mail: 3, mailAddress: 10 } as const;
/** The most passwords of one IP address that are checked or queued at once. */
const AT_ONCE_PER_ADDRESS = 8;
const WAITING_PER_ADDRESS = 60;
const WAIT_MS = 10_000;
const DEVICE = /^([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;

/** An attempt: the account, the IP address, and the browser's mark of an earlier sign-in to that account. */
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
   * Checks a password in its IP address's turn: a few of each at once, so that a flood delays only its sender. `work` gets the name
   * for the account's queue; a device that has signed in to the account before has its own queue.
   * @throws NodalError `unavailable` for too many at once from one IP address
   */
  inTurn<T>({ account, address, device }: Attempt, work: (whose: string) => Promise<T>): Promise<T> {
    const known = device === null ? null : this.#readDevice(account, device);
    const whose = known === null ? `${UNKNOWN_LOGIN}${account}` : `device ${known}`;
    return this.#places.run(networkOf(address), () => work(whose));
  }

  /**
   * Counts an attempt to sign in as a failure until the returned function is called. A device that has signed in to the account
   * before has its own count, so that guessing strangers can't lock its owner out; all such devices share another count, so that
   * nobody collects devices to guess more.
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
   * The same for the code of a second factor at sign-in: the caller already knows the password.
   * @throws NodalError `rate_limited`
   */
  countCode(login: string): Promise<() => void> {
    return this.#take([`code ${login}`, LIMITS.code]);
  }

  /**
   * The same for passwords and codes that a signed-in user repeats. They have their own count: somebody who knows the password, and
   * guesses codes, can't stop its owner from changing it.
   * @throws NodalError `rate_limited`
   */
  countProof(login: string): Promise<() => void> {
    return this.#take([`proof ${login}`, LIMITS.code]);
  }

  /**
   * Counts a request for a link to a new password. Returns whether mail may be sent to the account.
   * @throws NodalError `rate_limited` for too many from one IP address
   */
  async countMail({ account, address }: Pick<Attempt, "account" | "address">): Promise<boolean> {
    await this.#take([`mail from ${networkOf(address)}`, LIMITS.mailAddress]);
    return (await this.#rates.take(`sign-in mail to ${account}`, LIMITS.mail)).allowed;
  }

  /** The browser's mark of having signed in to an account. */
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

  /** In sequence: an attempt refused by one count must not use up the next. */
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
 * Runs `work` for a counted attempt, and uncounts it if the password was not checked: nobody is locked out because the queue was
 * full or the database down.
 */
export async function whileCounted<T>(giveBack: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NodalError) || error.code === "unavailable") giveBack();
    throw error;
  }
}
