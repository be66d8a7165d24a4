// Who changes something, and from where: every transaction that writes to the audit log says it (docs/audit.md). No
// word of the business.
import type { Setting } from "./database/scoped-query.ts";

/** Those of whom there are many. A job's name is its schedule. */
type ActorKind = "key" | "user" | "franchise" | "operator" | "command" | "job";

/** Who: `key:nk_5_1000001_0123456789ab`, `job:subscriptions`, the bank that answers, or a merchant's customer. */
export type Actor = `${ActorKind}:${string}` | "bank" | "customer";

/**
 * Who changes something, the caller's address where there is one, and whether money may leave for it. The address of a
 * command is the system's user on this machine.
 */
export type Origin = { readonly actor: Actor; readonly address: string | null; readonly mayMoveMoney: boolean };

const MAX_NAME_LENGTH = 100;
const ACTOR = /^[a-z]+(:[A-Za-z0-9 ._@+-]{1,100})?$/;
const MAX_ADDRESS_LENGTH = 64;
const ADDRESS = /^[0-9A-Za-z.:%_-]{1,64}$/;

/** An actor of a kind by its name. What a name should not hold becomes `_`. */
export function actorOf(kind: ActorKind, name: string): Actor {
  return `${kind}:${name.replaceAll(/[^A-Za-z0-9 ._@+-]/g, "_").slice(0, MAX_NAME_LENGTH) || "_"}`;
}

/** An address of parts that may hold anything, such as names of users. */
export function addressOf(parts: readonly string[]): string {
  return parts
    .map((part) => part.replaceAll(/[^0-9A-Za-z._-]/g, "_"))
    .join(":")
    .slice(0, MAX_ADDRESS_LENGTH);
}

/**
 * Which person acts: of the command line there is one, whatever name is behind `command:`, or one person could be two.
 */
export function personOf(actor: string): string {
  return actor.startsWith("command:") ? "command" : actor;
}

/** Whether somebody acts for the whole installation: an operator, or the command line on its machine. */
export function isOperator(actor: string): boolean {
  return actor.startsWith("operator:") || actor.startsWith("command:");
}

/**
 * The settings that tell a transaction whose it is.
 * @throws Error for texts that are no actor or address
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
