// How often somebody may try to sign in: by address, by account, and by device that has signed in before.
// What belongs here: the counts, in this process's memory. Only failures count.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { NodalError } from "../../platform/errors.ts";
import { networkOf } from "../../platform/http/client-address.ts";
import { SlidingWindow } from "../../platform/sliding-window.ts";

const WINDOW_MS = 15 * 60_000;
/** Failures in a window. Many people may share an address; few have forgotten the same password. */
const LIMITS = { address: 30, account: 10, device: 10, code: 10, mail: 3, mailAddress: 10 } as const;
const DEVICE = /^([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{43})$/;

/** Who tries: which account, from which address, and what its browser shows of an earlier sign-in to that account. */
export type Attempt = { readonly account: string; readonly address: string; readonly device: string | null };

export class SignInThrottle {
  readonly #window: SlidingWindow;
  readonly #installationSecret: Buffer;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(installationSecret: Buffer, now?: () => number) {
    this.#installationSecret = installationSecret;
    this.#window = new SlidingWindow(now, WINDOW_MS);
  }

  /**
   * Counts an attempt to sign in until it turns out well; call what it answers then. A device that has signed in to the
   * account before has a count of its own, so that strangers who guess can't keep its owner out.
   * @throws NodalError `rate_limited`
   */
  countPassword({ account, address, device }: Attempt): () => void {
    const known = device === null ? null : this.#readDevice(account, device);
    if (known !== null) return this.#take([`device ${known}`, LIMITS.device]);
    return this.#take([`address ${networkOf(address)}`, LIMITS.address], [`account ${account}`, LIMITS.account]);
  }

  /**
   * The same for the code of a second factor at the sign-in: whoever gets so far knows the password.
   * @throws NodalError `rate_limited`
   */
  countCode(login: string): () => void {
    return this.#take([`code ${login}`, LIMITS.code]);
  }

  /**
   * The same for passwords and codes that somebody who is signed in repeats. They have a count of their own: who has found
   * out a password, and guesses codes, can't keep its owner from changing it.
   * @throws NodalError `rate_limited`
   */
  countProof(login: string): () => void {
    return this.#take([`proof ${login}`, LIMITS.code]);
  }

  /**
   * Counts a wish for a link to a new password. Answers whether mail may be sent to the account.
   * @throws NodalError `rate_limited` for too many from one address
   */
  countMail({ account, address }: Pick<Attempt, "account" | "address">): boolean {
    this.#take([`mail from ${networkOf(address)}`, LIMITS.mailAddress]);
    return this.#window.take(`mail to ${account}`, LIMITS.mail).allowed;
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

  #take(...counts: (readonly [string, number])[]): () => void {
    for (const [key, limit] of counts) {
      const rate = this.#window.take(key, limit);
      if (rate.allowed) continue;
      const minutes = Math.ceil(rate.resetMs / 60_000);
      throw new NodalError("rate_limited", `Too many attempts that failed. Try again in ${minutes} min.`, { rate });
    }
    return () => counts.forEach(([key]) => this.#window.giveBack(key));
  }
}
