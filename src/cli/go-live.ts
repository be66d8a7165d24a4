// `nodal merchant go-live`: a live merchant is opened beside its sandbox.
import { goLive, LEFT_BEHIND, TAKEN_OVER } from "../installation/index.ts";
import { signInLink } from "../merchants/index.ts";
import { fail, requiredField } from "../platform/http/field.ts";
import { optional } from "../platform/http/fields.ts";
import { merchantCommand, option } from "./command.ts";
import { publicUrlOf } from "./on-database.ts";
import { formatRecord, paragraphs } from "./output.ts";

/** Ids, one a line. */
const OWNERS = requiredField({ type: "string" }, "the ids of Owners", (value, path, errors) => {
  const lines = String(value).split("\n");
  if (lines.every((line) => /^[0-9]{1,16}$/.test(line))) return lines.map(BigInt);
  fail(errors, path, "invalid", "must be an id, which `nodal user list` shows.");
  return [];
});

const listed = (title: string, lines: readonly string[]): string =>
  [`${title}:`, ...lines.map((line) => `  ${line}`)].join("\n");

export const goLiveCommand = merchantCommand({
  description: "open a live merchant beside this one, which stays a sandbox for ever; once for each sandbox",
  notes: () =>
    paragraphs(
      "It asks for a bank account of the merchant's own, and for a second factor of one of the Owners at least.",
      listed("The live merchant takes over", TAKEN_OVER),
      listed("Stays in the sandbox", LEFT_BEHIND),
    ),
  options: {
    owner: option(
      "<id>",
      "an enabled Owner, which `nodal user list` shows, who signs in to the live merchant too; may be given several times; default: every one",
      optional(OWNERS),
      { isRepeated: true, named: "logins" },
    ),
  },
  async run({ pool, config, merchant }, { owner }) {
    const { live, logins, sandbox } = await goLive({ pool, merchant }, { logins: owner, by: null });
    const record = {
      merchant_id: String(live.merchantId),
      sandbox_id: String(sandbox.merchantId),
      name: live.name,
      live: live.live,
      sign_in_url: signInLink(publicUrlOf(config), live),
    };
    const people = logins.map(({ email }) => email);
    return {
      json: { ...record, logins: people, takes_over: TAKEN_OVER, leaves_behind: LEFT_BEHIND },
      text: paragraphs(
        formatRecord(record),
        listed("Sign in there, with the same password and second factor", people),
        listed("It has taken over", TAKEN_OVER),
        listed("Stays in the sandbox", LEFT_BEHIND),
        "Its payouts are off until an account at a payout provider is connected: `nodal provider connect`. " +
          "Its access keys are its own: `nodal key create`.",
      ),
    };
  },
});
