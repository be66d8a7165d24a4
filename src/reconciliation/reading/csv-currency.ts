// Currencies that a bank's table names.

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Whether a text begins with the code of another currency than the rupee: `USD`, `EUR - Euro`. */
export function isForeignCurrency(written: string): boolean {
  const [code = ""] = written.toUpperCase().split(/[^A-Z]/);
  return code !== "INR" && CURRENCIES.has(code);
}
