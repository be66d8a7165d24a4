// Headings of people and other programs for a customer's GSTIN.
import { headingKey } from "../platform/csv-table.ts";

const NUMBERS = ["gstin", "gstin/uin", "gst/uin", "gstin uin", "gst", "gst registration", "gst reg", "gst reg."];
const ENDS = ["no", "no.", "number", "num", "id"];
const OWNERS = ["customer", "client", "buyer", "recipient", "receiver", "party", "billing"];

/** `gst` alone means the rate of an item. */
const PLAIN = NUMBERS.flatMap((name) => [
  ...(name.startsWith("gstin") || name === "gst/uin" ? [name] : []),
  ...ENDS.map((end) => `${name} ${end}`),
]);

/** Headings such as `GSTIN`, `GST No`, `Customer GSTIN` and `GSTIN/UIN of Recipient`, in lower case. */
export const GSTIN_NAMES: readonly string[] = [
  ...PLAIN,
  ...OWNERS.flatMap((owner) =>
    PLAIN.flatMap((name) => [
      `${owner} ${name}`,
      `${owner}'s ${name}`,
      `${name} of ${owner}`,
      `${name} of the ${owner}`,
    ]),
  ),
];
const KEYS: ReadonlySet<string> = new Set(GSTIN_NAMES.map(headingKey));

/** Whether a heading means the customer's GSTIN. */
export function isGstinHeading(heading: string): boolean {
  return KEYS.has(headingKey(heading));
}
