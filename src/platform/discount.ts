import { parsePaise } from "./money.ts";

/** A discount: rupees, or a percentage with its sign. */
export type Discount =
  | { readonly paise: bigint; readonly percentThousandths: null }
  | { readonly paise: null; readonly percentThousandths: bigint };

/** Reads a discount such as `50.00` or `10%`, or answers `null` where it is none. */
export function parseDiscount(text: string): Discount | null {
  const percent = /^(.*[0-9]) ?%$/.exec(text.trim());
  if (!percent) {
    const paise = parsePaise(text);
    return paise === null ? null : { paise, percentThousandths: null };
  }
  const hundredths = parsePaise(percent[1]);
  return hundredths === null || hundredths > 10_000n ? null : { paise: null, percentThousandths: hundredths * 10n };
}
