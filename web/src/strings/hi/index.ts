// Hindi: every file of the English words with its twin.
import * as access from "../access.ts";
import * as actors from "../actors.ts";
import * as approvals from "../approvals.ts";
import * as audit from "../audit.ts";
import * as beforeMoney from "../before-money.ts";
import * as billingLists from "../billing-lists.ts";
import * as bulk from "../bulk.ts";
import * as customers from "../customers.ts";
import * as dates from "../dates.ts";
import * as doubts from "../doubts.ts";
import * as estimates from "../estimates.ts";
import * as finding from "../finding.ts";
import * as franchises from "../franchises.ts";
import * as goLive from "../go-live.ts";
import * as history from "../history.ts";
import * as home from "../home.ts";
import * as invoiceDrafts from "../invoice-drafts.ts";
import * as invoiceForm from "../invoice-form.ts";
import * as invoiceLines from "../invoice-lines.ts";
import * as invoiceSupply from "../invoice-supply.ts";
import * as invoices from "../invoices.ts";
import * as items from "../items.ts";
import * as lists from "../lists.ts";
import * as memberChoices from "../member-choices.ts";
import * as messages from "../messages.ts";
import * as openingBalances from "../opening-balances.ts";
import * as operator from "../operator.ts";
import * as payoutAccounts from "../payout-accounts.ts";
import * as payouts from "../payouts.ts";
import * as profile from "../profile.ts";
import * as reconciliation from "../reconciliation.ts";
import * as receipts from "../receipts.ts";
import * as records from "../records.ts";
import * as reference from "../reference.ts";
import * as refusals from "../refusals.ts";
import * as reports from "../reports.ts";
import * as settings from "../settings.ts";
import * as shell from "../shell.ts";
import * as signIn from "../sign-in.ts";
import * as statuses from "../statuses.ts";
import * as subscriptions from "../subscriptions.ts";
import * as tagsAndFiles from "../tags-and-files.ts";
import * as templates from "../templates.ts";
import * as titles from "../titles.ts";
import * as unsaved from "../unsaved.ts";
import * as webhooks from "../webhooks.ts";
import { putInPlace } from "../put-in-place.ts";
import * as accessInHindi from "./access.ts";
import * as actorsInHindi from "./actors.ts";
import * as approvalsInHindi from "./approvals.ts";
import * as auditInHindi from "./audit.ts";
import * as beforeMoneyInHindi from "./before-money.ts";
import * as billingListsInHindi from "./billing-lists.ts";
import * as bulkInHindi from "./bulk.ts";
import * as customersInHindi from "./customers.ts";
import * as datesInHindi from "./dates.ts";
import * as doubtsInHindi from "./doubts.ts";
import * as estimatesInHindi from "./estimates.ts";
import * as findingInHindi from "./finding.ts";
import * as franchisesInHindi from "./franchises.ts";
import * as goLiveInHindi from "./go-live.ts";
import * as historyInHindi from "./history.ts";
import * as homeInHindi from "./home.ts";
import * as invoiceDraftsInHindi from "./invoice-drafts.ts";
import * as invoiceFormInHindi from "./invoice-form.ts";
import * as invoiceLinesInHindi from "./invoice-lines.ts";
import * as invoiceSupplyInHindi from "./invoice-supply.ts";
import * as invoicesInHindi from "./invoices.ts";
import * as itemsInHindi from "./items.ts";
import * as listsInHindi from "./lists.ts";
import * as memberChoicesInHindi from "./member-choices.ts";
import * as messagesInHindi from "./messages.ts";
import * as openingBalancesInHindi from "./opening-balances.ts";
import * as operatorInHindi from "./operator.ts";
import * as payoutAccountsInHindi from "./payout-accounts.ts";
import * as payoutsInHindi from "./payouts.ts";
import * as profileInHindi from "./profile.ts";
import * as reconciliationInHindi from "./reconciliation.ts";
import * as receiptsInHindi from "./receipts.ts";
import * as recordsInHindi from "./records.ts";
import * as referenceInHindi from "./reference.ts";
import * as refusalsInHindi from "./refusals.ts";
import * as reportsInHindi from "./reports.ts";
import * as settingsInHindi from "./settings.ts";
import * as shellInHindi from "./shell.ts";
import * as signInInHindi from "./sign-in.ts";
import * as statusesInHindi from "./statuses.ts";
import * as subscriptionsInHindi from "./subscriptions.ts";
import * as tagsAndFilesInHindi from "./tags-and-files.ts";
import * as templatesInHindi from "./templates.ts";
import * as titlesInHindi from "./titles.ts";
import * as unsavedInHindi from "./unsaved.ts";
import * as webhooksInHindi from "./webhooks.ts";

/** Each English file, and its Hindi. */
export const FILES = [
  [access, accessInHindi],
  [actors, actorsInHindi],
  [approvals, approvalsInHindi],
  [audit, auditInHindi],
  [beforeMoney, beforeMoneyInHindi],
  [billingLists, billingListsInHindi],
  [bulk, bulkInHindi],
  [customers, customersInHindi],
  [dates, datesInHindi],
  [doubts, doubtsInHindi],
  [estimates, estimatesInHindi],
  [finding, findingInHindi],
  [franchises, franchisesInHindi],
  [goLive, goLiveInHindi],
  [history, historyInHindi],
  [home, homeInHindi],
  [invoiceDrafts, invoiceDraftsInHindi],
  [invoiceForm, invoiceFormInHindi],
  [invoiceLines, invoiceLinesInHindi],
  [invoiceSupply, invoiceSupplyInHindi],
  [invoices, invoicesInHindi],
  [items, itemsInHindi],
  [lists, listsInHindi],
  [memberChoices, memberChoicesInHindi],
  [messages, messagesInHindi],
  [openingBalances, openingBalancesInHindi],
  [operator, operatorInHindi],
  [payoutAccounts, payoutAccountsInHindi],
  [payouts, payoutsInHindi],
  [profile, profileInHindi],
  [reconciliation, reconciliationInHindi],
  [receipts, receiptsInHindi],
  [records, recordsInHindi],
  [reference, referenceInHindi],
  [refusals, refusalsInHindi],
  [reports, reportsInHindi],
  [settings, settingsInHindi],
  [shell, shellInHindi],
  [signIn, signInInHindi],
  [statuses, statusesInHindi],
  [subscriptions, subscriptionsInHindi],
  [tagsAndFiles, tagsAndFilesInHindi],
  [templates, templatesInHindi],
  [titles, titlesInHindi],
  [unsaved, unsavedInHindi],
  [webhooks, webhooksInHindi],
] as const;

/** Puts the Hindi words in place of the English ones. */
export function speakHindi(): void {
  for (const [english, hindi] of FILES) putInPlace(english, hindi);
}
