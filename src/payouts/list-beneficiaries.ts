// One use case: a page of a merchant's beneficiaries, the newest first, found by what people know of them.
// What belongs here: what a search text may be. Accounts are encrypted, so that all of one is found by its blind index.
import type { MerchantKey, ReadContext } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { findBeneficiaries, findByBankAccount, findByHandle, walkBeneficiaries } from "./beneficiary-store.ts";
import type { Beneficiary } from "./beneficiary.ts";

/** How many beneficiaries one request looks at: by name, and by the end of the account, which has to be decrypted. */
const LONGEST_WALK = 20_000;
const LONGEST_WALK_OF_ACCOUNTS = 2_000;
const STREAM_PAGE = 500;

const ACCOUNT_AND_IFSC = /^([A-Za-z0-9]{4,35})[\s/,]+([A-Za-z]{4}0[A-Za-z0-9]{6})$/;
const HANDLE = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/;
/** Four letters are rather a name. */
const END_OF_ACCOUNT = /^(?=.*[0-9])[A-Za-z0-9]{4}$/;

export type SearchBeneficiaries = {
  /** What people know of a beneficiary; `null` for all. */
  readonly text: string | null;
  readonly after: bigint | null;
  readonly limit: number;
};
export type BeneficiaryPageAnswer = {
  readonly beneficiaries: readonly Beneficiary[];
  /** What `after` is for the next page; `null` where all was gone through. */
  readonly next: bigint | null;
};

/** The beneficiary whose whole account with its IFSC, or whose UPI handle, the text is. */
export async function findByAccountText(db: Pool, merchant: MerchantKey, text: string): Promise<Beneficiary | null> {
  const account = ACCOUNT_AND_IFSC.exec(text);
  if (account) return findByBankAccount(db, merchant, account[1]!, account[2]!.toUpperCase());
  return HANDLE.test(text) ? findByHandle(db, merchant, text.toLowerCase()) : null;
}

/** How many beneficiaries the end of an account stands for in a list of payouts: the newest. */
const MEANT_BY_END = 100;

/** The ids of the newest beneficiaries whose account ends with the text, where that is four characters with a digit. */
export async function findByAccountEnd(db: Pool, merchant: MerchantKey, text: string): Promise<bigint[]> {
  if (!END_OF_ACCOUNT.test(text)) return [];
  const walk = { after: null, steps: LONGEST_WALK_OF_ACCOUNTS };
  const { beneficiaries } = await walkBeneficiaries(db, merchant, walk, null, null);
  const ending = beneficiaries.filter(({ accountNumber }) => accountNumber?.toLowerCase().endsWith(text.toLowerCase()));
  return ending.slice(0, MEANT_BY_END).map(({ beneficiaryId }) => beneficiaryId);
}

/**
 * Finds a page: by id, by account and IFSC, by handle, by the last four characters of the account, or by part of the
 * name, the mobile number or the e-mail address.
 */
export async function searchBeneficiaries(
  { pool: db, merchant }: ReadContext,
  { text, after, limit }: SearchBeneficiaries,
): Promise<BeneficiaryPageAnswer> {
  const exact = text === null || after !== null ? null : await findExactly(db, merchant, text);
  if (exact) return { beneficiaries: [exact], next: null };
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
  // A page that is full goes on after its own last one; what was looked at and did not match is behind `last`.
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

function hasEnd({ accountNumber, name }: Beneficiary, text: string): boolean {
  const wanted = text.toLowerCase();
  return (accountNumber?.toLowerCase().endsWith(wanted) ?? false) || name.toLowerCase().includes(wanted);
}
