// Values as people type and paste them: amounts with commas, phones with spaces and +91.
// What belongs here: turning them into the one spelling that fields take. Whether that is a value is the field's business.
import { parsePaise } from "./money.ts";

/** The paise of an amount as people write it, `₹ 1,23,456.50`; `null` where it is none. */
export function typedPaise(text: string): bigint | null {
  return parsePaise(
    text
      .trim()
      .replace(/^(₹|rs\.?)\s*/i, "")
      .replaceAll(",", ""),
  );
}

/** The digits of a text that may be a phone number or a part of one, without its country: `+91 98765-43210`; else `null`. */
export function phoneDigits(text: string): string | null {
  const plain = text.trim().replaceAll(/[\s().-]/g, "");
  if (!/^\+?[0-9]{4,15}$/.test(plain)) return null;
  return plain.replace(/^(?:\+91|0091|91(?=[0-9]{10}$)|0(?=[0-9]{10}$))/, "").replace("+", "");
}
