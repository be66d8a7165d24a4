// What other domains may use of the ledger.
export { fundMerchant, type FundRequest } from "./fund.ts";
export { insertFundings, openBooks, readBalances, type Balances, type Funding } from "./ledger-store.ts";
