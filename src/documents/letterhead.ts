// Whose paper it is: what stands at the head of documents that are about a merchant's own money.
import type { Merchant } from "../merchants/index.ts";

/** A merchant's name and what is known of where and under which numbers it is found. */
export function letterheadOf(merchant: Merchant): { readonly name: string; readonly lines: readonly string[] } {
  const { name, address, city, state, zipcode, gstin } = merchant;
  const place = [city, state, zipcode].filter((part) => part !== "").join(", ");
  const lines = [...address.split("\n"), place, gstin === "" ? "" : `GSTIN ${gstin}`];
  return { name, lines: lines.map((line) => line.trim()).filter((line) => line !== "") };
}
