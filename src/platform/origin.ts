// The actor and address of a change. Every transaction that writes to the audit log sets them (docs/audit.md).
import type { Setting } from "./database/scoped-query.ts";

/** Kinds of named actors. A job's name is its schedule. */
type ActorKind = "key" | "user" | "franchise" | "operator" | "command" | "job";

/** Who acts: `key:nk_5_1000001_0123456789ab`, `job:subscriptions`, the bank, or a merchant's customer. */
export type Actor = `${ActorKind}:${string}` | "bank" | "customer";

/**
 * The actor, the caller's address if any, and whether the actor may move money. The address of a command is the
 * operating system's user.
 */
export type Origin = { readonly actor: Actor; readonly address: string | null; readonly mayMoveMoney: boolean };

const MAX_NAME_LENGTH = 100;
const ACTOR = /^[a-z]+(:[A-Za-z0-9 ._@+-]{1,100})?$/;
const MAX_ADDRESS_LENGTH = 64;
const ADDRESS = /^[0-9A-Za-z.:%_-]{1,64}$/;

/** An actor of a kind with a name. Invalid characters of the name become `_`. */
export function actorOf(kind: ActorKind, name: string): Actor {
  return `${kind}:${name.replaceAll(/[^A-Za-z0-9 ._@+-]/g, "_").slice(0, MAX_NAME_LENGTH) || "_"}`;
}

/** An address of parts with any content, such as user names. */
export function addressOf(parts: readonly string[]): string {
  return parts
    .map((part) => part.replaceAll(/[^0-9A-Za-z._-]/g, "_"))
    .join(":")
    .slice(0, MAX_ADDRESS_LENGTH);
}

/**
 * The person behind an actor. All names after `command:` are one person; otherwise one person could act as two.
 */
export function personOf(actor: string): string {
  return actor.startsWith("command:") ? "command" : actor;
}

/** Does the actor act for the whole installation? True for operators and the command line. */
export function isOperator(actor: string): boolean {
  return actor.startsWith("operator:") || actor.startsWith("command:");
}

/**
 * The settings that give a transaction its origin. @throws Error for an invalid actor or address
 */
export function originSettings({ actor, address, mayMoveMoney }: Origin): Setting[] {
  const settings: Setting[] = [["nodal.actor", checked(actor, ACTOR)]];
  if (address !== null) settings.push(["nodal.address", checked(address, ADDRESS)]);
  if (!mayMoveMoney) settings.push(["nodal.may_move_money", "off"]);
  return settings;
}

function checked(text: string, form: RegExp): string {
  if (form.test(text)) return text;
  throw new Error(`not fit for the audit log: ${JSON.stringify(text)}`);
}
