// Ways to break the chart of accounts and the numbers of changes. verify.test.ts runs them.
import type { Breakage } from "./payout-breakages.ts";
import { AMOUNT_PAISE } from "./payout-stories.ts";

const OF_MERCHANT = "merchant_id = $merchant";

export const ACCOUNT_BREAKAGES: readonly Breakage[] = [
  {
    what: "an account that is no account of the chart has a row",
    break: [
      `insert into ledger_account (bucket, merchant_id, kind, owner_id)
       select bucket, merchant_id, 'gift', 0 from ledger_book where ${OF_MERCHANT}`,
    ],
    reports: ["account_kind"],
    expected: "an account of the chart",
    found: "a row without an owner",
  },
  {
    what: "an account that is a column of the book has a row",
    break: [
      `insert into ledger_account (bucket, merchant_id, kind, owner_id)
       select bucket, merchant_id, 'held', 0 from ledger_book where ${OF_MERCHANT}`,
    ],
    reports: ["account_balance", "account_kind"],
    expected: "a column of the book",
  },
  {
    what: "a payout is posted again as a change",
    break: [
      "alter table journal drop constraint journal_change",
      `insert into journal
       select (jsonb_populate_record(journal, jsonb_build_object('change_no', 1,
         'entry_no', (select last_entry_no + 1 from ledger_book where ${OF_MERCHANT})))).*
       from journal where subject_id = $success and kind = 'success'`,
      `update ledger_book set last_entry_no = last_entry_no + 1, held_paise = held_paise - ${AMOUNT_PAISE},
         payout_clearing_paise = payout_clearing_paise + ${AMOUNT_PAISE} where ${OF_MERCHANT}`,
    ],
    reports: ["held_balance", "posting_once", "transfer_postings"],
    subjects: ["success"],
    found: "2, with a change number",
  },
];
