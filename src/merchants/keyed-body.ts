// JSON bodies that carry the keys themselves: who calls is found out from the raw bytes, before anything is parsed.
// What belongs here: how much is read, and held, for somebody who is not yet known: docs/security.md.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { NodalError } from "../platform/errors.ts";
import { Gate } from "../platform/gate.ts";
import { BodyReader, checkDeclaredLength } from "../platform/http/body-reader.ts";
import { networkOf } from "../platform/http/client-address.ts";
import { checkEncoding, parseJsonBody } from "../platform/http/json-body.ts";
import { findTopMembers } from "../platform/http/json-scan.ts";
import type { Authenticator, Caller, GivenKeys } from "./authenticate.ts";

/** So much of a body is read for anybody. Keys that stand first are always in it. */
const HEAD_BYTES = 64 * 1024;
/** So much where the keys are not in the head, for clients that sort their members by name. */
const LATE_KEYS_BYTES = 1024 * 1024;
/** How many bodies whose keys come late are read at once: of one network, and in all. */
const LATE_AT_ONCE = { network: 8, all: 64 } as const;

/** Beyond this, bodies are parsed one at a time, merchants by turns. */
const LARGE_BYTES = 128 * 1024;
/**
 * So many times as long as a large body took to parse, the next one waits: its values are checked, and others are
 * served.
 */
const REST_FACTOR = 3;
const LARGE_WAITING = { all: 200, merchant: 20 } as const;
const LARGE_WAIT_MS = 20_000;

const KEY_NAMES: ReadonlySet<string> = new Set(["access_key_id", "secret_access_key"]);

/** A request as far as it has come, and whose body is still to be read. */
export type KeyedRequest = {
  readonly headers: IncomingHttpHeaders;
  readonly payload: Readable;
  /** The caller's. */
  readonly address: string;
  /** Of the body, once it is known who calls. */
  readonly limitBytes: number;
};

/** Reads bodies for as long as it takes to know who sends them, and then as a whole. */
export class KeyedBodies {
  readonly #authenticator: Authenticator;
  /** Networks whose bodies with late keys are being read, each as often as it has some. */
  readonly #late: string[] = [];
  readonly #large = new Gate({
    atOnce: 1,
    maxWaiting: LARGE_WAITING.all,
    maxWaitingPerKey: LARGE_WAITING.merchant,
    waitMs: LARGE_WAIT_MS,
    refusal: "Too many large requests are under way. Send this one again in a few seconds, or in smaller parts.",
  });

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator;
  }

  /**
   * Reads and parses the body of a request, and tells `onCaller` who calls before it reads more than the keys take. A
   * caller that is known by a header already is passed in.
   * @throws NodalError `invalid_keys`, `access_denied`, `rate_limited`, `body_too_large`, `malformed_json`;
   * `unavailable` where too many large bodies wait
   */
  async read(
    { headers, payload, address, limitBytes }: KeyedRequest,
    known: { readonly caller: Caller; readonly keys: GivenKeys } | null,
    onCaller: (caller: Caller) => void,
  ): Promise<object> {
    checkEncoding(headers);
    checkDeclaredLength(headers["content-length"], limitBytes);
    const reader = new BodyReader(payload, limitBytes);
    try {
      const keys = known?.keys ?? (await this.#findKeys(reader, address));
      const caller = known?.caller ?? (await this.#accept(keys, reader, address));
      if (!known) onCaller(caller);
      const body = await this.#parse(await reader.readAll(), caller);
      checkNoOtherKeys(body as Readonly<Record<string, unknown>>, keys, known !== null);
      return body;
    } catch (error) {
      reader.giveUp();
      throw error;
    }
  }

  async #findKeys(reader: BodyReader, address: string): Promise<GivenKeys> {
    await reader.readUpTo(HEAD_BYTES);
    const keys = keysIn(reader.bytes);
    if (isPair(keys) || reader.isWhole) return keys;
    const network = networkOf(address);
    if (!(await this.#authenticator.mayGuess(address)) || !this.#mayBeLate(network)) throw keysFirst(HEAD_BYTES);
    this.#late.push(network);
    try {
      await reader.readUpTo(LATE_KEYS_BYTES);
    } finally {
      this.#late.splice(this.#late.indexOf(network), 1);
    }
    // No further, however much the last piece brought: the same body has the same answer in whatever pieces it comes.
    return keysIn(reader.bytes.subarray(0, LATE_KEYS_BYTES));
  }

  /** Who calls with these keys. To send none counts as sending wrong ones. */
  async #accept(keys: GivenKeys, reader: BodyReader, address: string): Promise<Caller> {
    try {
      return await this.#authenticator.acceptKeys(keys, address);
    } catch (error) {
      const isMissing = error instanceof NodalError && error.code === "invalid_keys" && !isPair(keys);
      const isAllSeen = reader.isWhole && reader.bytes.length <= LATE_KEYS_BYTES;
      if (isMissing && !isAllSeen) throw keysFirst(LATE_KEYS_BYTES);
      // A body that can't be read at all is told so, as long as finding that out costs little.
      if (isMissing && reader.bytes.length <= HEAD_BYTES) parseJsonBody(reader.bytes);
      throw error;
    }
  }

  /** A large body takes the event loop for tenths of a second: between two of them there is time for everybody else. */
  async #parse(bytes: Buffer, { merchant }: Caller): Promise<object> {
    if (bytes.length <= LARGE_BYTES) return parseJsonBody(bytes);
    const leave = await this.#large.enter(String(merchant.merchantId));
    const startedAtMs = performance.now();
    try {
      return parseJsonBody(bytes);
    } finally {
      setTimeout(leave, REST_FACTOR * (performance.now() - startedAtMs));
    }
  }

  #mayBeLate(network: string): boolean {
    if (this.#late.length >= LATE_AT_ONCE.all) return false;
    return this.#late.filter((other) => other === network).length < LATE_AT_ONCE.network;
  }
}

function keysIn(bytes: Buffer): GivenKeys {
  const found = findTopMembers(bytes, KEY_NAMES);
  return { accessKeyId: found.get("access_key_id"), secret: found.get("secret_access_key") };
}

/** Whether both members were there, whatever they hold. */
function isPair({ accessKeyId, secret }: GivenKeys): boolean {
  return accessKeyId !== undefined && secret !== undefined;
}

/** The body goes on with the keys that were checked: a later pair can't take their place. */
function checkNoOtherKeys(body: Readonly<Record<string, unknown>>, keys: GivenKeys, areOptional: boolean): void {
  const given = [body["access_key_id"], body["secret_access_key"]];
  const isSame = given.every((value, index) => {
    const checked = index === 0 ? keys.accessKeyId : keys.secret;
    return value === checked || (areOptional && value === undefined);
  });
  if (isSame) return;
  throw new NodalError(
    "malformed_json",
    "The request names access_key_id or secret_access_key more than once, with different values. Send each once.",
  );
}

function keysFirst(bytes: number): NodalError {
  return new NodalError(
    "body_too_large",
    `There were no access_key_id and secret_access_key in the first ${bytes / 1024} KiB of the body: ` +
      "send them as its first two members, or send a smaller body.",
  );
}
