// Use case: searches a merchant's beneficiaries, the newest first. Accounts are encrypted, so a whole account is found by
// its blind index.
import type { MerchantKey, ReadContext } from "../../merchants/index.ts";
import type { Pool } from "../../platform/database/pool.ts";
import {
  findBeneficiaries,
  findByAccountNumber,
  findByBankAccount,
  findByHandle,
  findByIfsc,
  walkBeneficiaries,
} from "./beneficiary-store.ts";
import type { Beneficiary } from "./beneficiary.ts";

/** How many beneficiaries one request searches by name and by the end of the account, which has to be decrypted. */
const LONGEST_WALK = 20_000;
const LONGEST_WALK_OF_ACCOUNTS = 2_000;
const STREAM_PAGE = 500;

const IFSC = /^[A-Za-z]{4}0[A-Za-z0-9]{6}$/;
const ACCOUNT = /^(?=.*[0-9])[A-Za-z0-9]{4,35}$/;
/** With an IFSC, an account may be short. Alone, fewer digits are more likely a reference, an amount or the account's end. */
const ACCOUNT_ALONE = /^(?=(?:[^0-9]*[0-9]){6})[A-Za-z0-9]{6,35}$/;
const HANDLE = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/;
/** Four letters are more likely a name. */
const END_OF_ACCOUNT = /^(?=.*[0-9])[A-Za-z0-9]{4}$/;

export type SearchBeneficiaries = {
  /** The search text; `null` for all. */
  readonly text: string | null;
  readonly after: bigint | null;
  readonly limit: number;
};
export type BeneficiaryPageAnswer = {
  readonly beneficiaries: readonly Beneficiary[];
  /** `after` for the next page; `null` at the end. */
  readonly next: bigint | null;
};

type Account = { readonly account: string | null; readonly ifsc: string | null };

/** Reads an account number and an IFSC from a text, in either order; the number may have spaces or hyphens. */
function readAccount(text: string): Account {
  const parts = text.split(/[\s/,]+/).filter((part) => part !== "");
  const codes = parts.filter((part) => IFSC.test(part));
  const rest = parts.filter((part) => !IFSC.test(part));
  const number = rest.join("").replaceAll("-", "");
  const isAccount = (codes.length === 0 ? ACCOUNT_ALONE : ACCOUNT).test(number);
  if (codes.length > 1 || (number !== "" && !isAccount)) return { account: null, ifsc: null };
  return { account: number || null, ifsc: codes[0]?.toUpperCase() ?? null };
}

/** Finds a beneficiary by its account number with IFSC, or by its UPI handle. */
export async function findByAccountText(db: Pool, merchant: MerchantKey, text: string): Promise<Beneficiary | null> {
  const { account, ifsc } = readAccount(text);
  if (account !== null && ifsc !== null) return findByBankAccount(db, merchant, account, ifsc);
  return HANDLE.test(text) ? findByHandle(db, merchant, text.toLowerCase()) : null;
}

/** A list of payouts by part of an account includes only so many beneficiaries: the newest. */
const MEANT_BY_PART = 100;

/**
 * The ids of the newest beneficiaries that match a part of an account: the number without its IFSC, the IFSC, or the number's last
 * four characters, including a digit.
 */
export async function findByPartOfAccount(db: Pool, merchant: MerchantKey, text: string): Promise<bigint[]> {
  const found = await findByNumberOrIfsc(db, merchant, text, { after: null, limit: MEANT_BY_PART });
  if (found.length > 0) return found.slice(0, MEANT_BY_PART).map(({ beneficiaryId }) => beneficiaryId);
  if (!END_OF_ACCOUNT.test(text)) return [];
  const walk = { after: null, steps: LONGEST_WALK_OF_ACCOUNTS };
  const { beneficiaries } = await walkBeneficiaries(db, merchant, walk, null, null);
  const ending = beneficiaries.filter(({ accountNumber }) => accountNumber?.toLowerCase().endsWith(text.toLowerCase()));
  return ending.slice(0, MEANT_BY_PART).map(({ beneficiaryId }) => beneficiaryId);
}

/**
 * Finds a page: by id, by account number and IFSC or one of them, by handle, by the last four characters of the account,
 * or by part of the name, the mobile number or the e-mail address.
 */
export async function searchBeneficiaries(
  { pool: db, merchant }: ReadContext,
  { text, after, limit }: SearchBeneficiaries,
): Promise<BeneficiaryPageAnswer> {
  const exact = text === null || after !== null ? null : await findExactly(db, merchant, text);
  if (exact) return { beneficiaries: [exact], next: null };
  const ofAccount = text === null ? [] : await findByNumberOrIfsc(db, merchant, text, { after, limit });
  if (ofAccount.length > 0) {
    const beneficiaries = ofAccount.slice(0, limit);
    return { beneficiaries, next: ofAccount.length < limit ? null : beneficiaries.at(-1)!.beneficiaryId };
  }
  const isEnd = text !== null && END_OF_ACCOUNT.test(text);
  const walk = { after, steps: text === null ? limit : isEnd ? LONGEST_WALK_OF_ACCOUNTS : LONGEST_WALK };
  const { beneficiaries, last } = await walkBeneficiaries(
    db,
    merchant,
    walk,
    isEnd ? null : text,
    isEnd ? null : limit,
  );
  const found = isEnd ? beneficiaries.filter((each) => hasEnd(each, text)).slice(0, limit) : beneficiaries;
  // A full page continues after its last match; `last` may be a later one that did not match.
  return { beneficiaries: found, next: found.length === limit ? found.at(-1)!.beneficiaryId : last };
}

/** All beneficiaries that a search finds, the newest first. */
export async function* streamBeneficiaries(context: ReadContext, text: string | null): AsyncGenerator<Beneficiary> {
  for (let after: bigint | null = null; ;) {
    const page: BeneficiaryPageAnswer = await searchBeneficiaries(context, { text, after, limit: STREAM_PAGE });
    yield* page.beneficiaries;
    if (page.next === null) return;
    after = page.next;
  }
}

async function findExactly(db: Pool, merchant: MerchantKey, text: string): Promise<Beneficiary | null> {
  const byAccount = await findByAccountText(db, merchant, text);
  if (byAccount || !/^[0-9]{5,16}$/.test(text)) return byAccount;
  const { bucket, merchantId } = merchant;
  return (await findBeneficiaries(db, [{ bucket, merchantId, beneficiaryId: BigInt(text) }]))[0]!;
}

/** Finds beneficiaries by account number, at any bank, or by IFSC: the newest, after `after`. */
async function findByNumberOrIfsc(
  db: Pool,
  merchant: MerchantKey,
  text: string,
  page: { readonly after: bigint | null; readonly limit: number },
): Promise<Beneficiary[]> {
  const { account, ifsc } = readAccount(text);
  if (account === null) return ifsc === null ? [] : findByIfsc(db, merchant, ifsc, page);
  if (ifsc !== null) return [];
  const found = await findByAccountNumber(db, merchant, account);
  return found.filter(({ beneficiaryId }) => page.after === null || beneficiaryId < page.after);
}

function hasEnd({ accountNumber, name }: Beneficiary, text: string): boolean {
  const wanted = text.toLowerCase();
  return (accountNumber?.toLowerCase().endsWith(wanted) ?? false) || name.toLowerCase().includes(wanted);
}
