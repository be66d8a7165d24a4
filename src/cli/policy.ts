// `nodal policy`: show, set. What a merchant's payouts need beside money.
// What belongs here: options and what is printed. The work is done in merchants/approvals/.
import type { Command } from "commander";
import {
  describePolicy,
  findPolicy,
  requireMerchant,
  setPayoutPolicy,
  type PayoutPolicy,
  type PolicyChanges,
} from "../merchants/index.ts";
import { validationError } from "../platform/errors.ts";
import { decoderOf, requiredField } from "../platform/http/field.ts";
import { money, oneOf, wholeNumber, type Field } from "../platform/http/fields.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type GivenOptions, type MerchantOption } from "./options.ts";
import { example, formatRecord } from "./output.ts";
import { waitsForApproval } from "./waits-for-approval.ts";

const OFF = "off";
const LONGEST_COOLING_OFF_MINUTES = 365 * 24 * 60;
const LONGEST_WAIT_HOURS = 365 * 24;

/** Each option with its field and the rule that it sets. */
const RULES = {
  approveOver: { rule: "approveOverPaise", field: orOff(money({ allowZero: true })) },
  approvePayees: { rule: "approvePayees", field: oneOf(["on", "off"]) },
  coolingOff: { rule: "coolingOffMinutes", field: orOff(wholeNumber(1, LONGEST_COOLING_OFF_MINUTES)) },
  transferLimit: { rule: "transferLimitPaise", field: orOff(money()) },
  dailyLimit: { rule: "dailyLimitPaise", field: orOff(money()) },
  approvalExpiresHours: { rule: "approvalExpiresHours", field: wholeNumber(1, LONGEST_WAIT_HOURS) },
} as const satisfies Record<string, { readonly rule: keyof PayoutPolicy; readonly field: Field<unknown> }>;

type RuleOption = keyof typeof RULES;
const RULE_OPTIONS = Object.keys(RULES) as RuleOption[];

/** Adds `policy` and its subcommands. */
export function registerPolicy(program: Command): void {
  const policy = program
    .command("policy")
    .description("limits on a merchant's payouts, and what needs a second person");

  policy
    .command("show")
    .description("show a merchant's policy; what is off shows as -")
    .option("--merchant <id>", "the merchant's id")
    .addHelpText("after", example("nodal policy show --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), show));

  policy
    .command("set")
    .description("change what is given and nothing else; what makes a policy weaker waits for a second person")
    .option("--merchant <id>", "the merchant's id")
    .option("--approve-over <amount>", "payouts above this wait for a second person; 0 for all, or off")
    .option("--approve-payees <on|off>", "new beneficiaries and changed bank accounts wait for a second person")
    .option("--cooling-off <minutes>", "a new beneficiary can't be paid before this, or off")
    .option("--transfer-limit <amount>", "the most that may leave at once, or off")
    .option("--daily-limit <amount>", "the most that may leave in a day, counted from now on, or off")
    .option("--approval-expires-hours <n>", "how long anything waits before it is refused; at first 72")
    .addHelpText("after", example("nodal policy set --merchant 1000001 --approve-over 50000 --daily-limit 500000"))
    .action(onInstallation(readChanges, set));
}

function readChanges(given: GivenOptions): MerchantOption & { readonly changes: PolicyChanges } {
  const names = RULE_OPTIONS.filter((name) => given[name] !== undefined);
  const fields = Object.fromEntries(names.map((name) => [name, RULES[name].field as Field<unknown>]));
  const values = optionsOf({ merchant: merchantId(), ...fields })(given) as MerchantOption & Record<string, unknown>;
  if (names.length === 0) {
    throw validationError([
      { field: "--merchant", code: "required", message: "Say what to change: `nodal policy set --help` lists it." },
    ]);
  }
  const entries = names.map((name) => [
    RULES[name].rule,
    name === "approvePayees" ? values[name] === "on" : values[name],
  ]);
  return { merchant: values.merchant, changes: Object.fromEntries(entries) as PolicyChanges };
}

async function show({ pool }: Installation, options: MerchantOption): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const json = { merchant_id: String(merchant.merchantId), ...describePolicy(await findPolicy(pool, merchant)) };
  return { json, text: formatRecord(json) };
}

async function set({ pool, ids }: Installation, options: ReturnType<typeof readChanges>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const { policy, approvalId } = await setPayoutPolicy({ pool, ids }, merchant, options.changes);
  const json = {
    merchant_id: String(merchant.merchantId),
    ...describePolicy(policy),
    approval_id: approvalId === null ? null : String(approvalId),
  };
  const waits = approvalId === null ? "" : `\n\n${waitsForApproval("What makes the policy weaker", approvalId)}`;
  return { json, text: `${formatRecord(json)}${waits}` };
}

/** A value, or `off`: `null`. */
function orOff<T>(field: Field<T>): Field<T | null> {
  const hint = `${(field as { readonly "x-error"?: string })["x-error"]?.replace(/^Must be |\.$/g, "")}, or ${OFF}`;
  return requiredField<T | null>({ type: "string" }, hint, (value, path, errors) => {
    return value === OFF ? null : decoderOf(field)(value, path, errors);
  });
}
