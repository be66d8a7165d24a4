// Made from the OpenAPI document by `npm run generate:sdk`.
import { at, everyRecord, type Body, type Call, type File, type ListOptions, type Query, type RequestOptions } from "../resources.ts";
import type * as api from "./types.gen.ts";

/** The operations of /api/v4, by resource. */
export function resourcesOf(call: Call) {
  return {
    users: {
      /** List users. Needs the scope `users.manage`. */
      list: (options?: RequestOptions): Promise<api.UsersListResponse> =>
        call("GET", "/users", { options }),
      /** Create a user. Needs the scope `users.manage`. */
      create: (body: Body<api.UsersCreateData>, options?: RequestOptions): Promise<api.UsersCreateResponse> =>
        call("POST", "/users", { body, options }),
      /** List users, as CSV. Needs the scope `users.manage`. */
      csv: (options?: RequestOptions): Promise<File> =>
        call("GET", "/users.csv", { answersFile: true, options }),
      /** Change a user's role, or disable the user. Needs the scope `users.manage`. */
      update: (userId: string, body: Body<api.UsersUpdateData> = {}, options?: RequestOptions): Promise<api.UsersUpdateResponse> =>
        call("PUT", at`/users/${userId}`, { body, options }),
      /** Reset a user's password. Needs the scope `users.manage`. */
      resetPassword: (userId: string, options?: RequestOptions): Promise<api.UsersResetPasswordResponse> =>
        call("POST", at`/users/${userId}/reset-password`, { options }),
      /** Remove a user's second factor. For people in the dashboard: no access key can call it. */
      resetSecondFactor: (userId: string, options?: RequestOptions): Promise<api.UsersResetSecondFactorResponse> =>
        call("POST", at`/users/${userId}/reset-second-factor`, { options }),
    },
    roles: {
      /** List roles. Needs the scope `users.manage`. */
      list: (options?: RequestOptions): Promise<api.RolesListResponse> =>
        call("GET", "/roles", { options }),
      /** Create a role. Needs the scope `users.manage`. */
      create: (body: Body<api.RolesCreateData>, options?: RequestOptions): Promise<api.RolesCreateResponse> =>
        call("POST", "/roles", { body, options }),
      /** Change a role. Needs the scope `users.manage`. */
      update: (name: string, body: Body<api.RolesUpdateData>, options?: RequestOptions): Promise<api.RolesUpdateResponse> =>
        call("PUT", at`/roles/${name}`, { body, options }),
      /** Delete a role. Needs the scope `users.manage`. */
      delete: (name: string, options?: RequestOptions): Promise<api.RolesDeleteResponse> =>
        call("DELETE", at`/roles/${name}`, { options }),
    },
    merchants: {
      /** List merchants. Needs the scope `merchants.view`. */
      list: (query: Query<api.MerchantsListData> = {}, options?: RequestOptions): Promise<api.MerchantsListResponse> =>
        call("GET", "/merchants", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.MerchantsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.MerchantsListResponse["merchants"][number]> =>
        everyRecord("merchants", (after) => call<api.MerchantsListResponse>("GET", "/merchants", { query: { ...query, after }, options })),
      /** Create a merchant. Needs the scope `merchants.create`. */
      create: (body: Body<api.MerchantsCreateData>, options?: RequestOptions): Promise<api.MerchantsCreateResponse> =>
        call("POST", "/merchants", { body, options }),
    },
    search: {
      /** Search payouts, beneficiaries, customers, invoices and franchises. Needs one of the scopes `payouts.view`, `beneficiaries.view`, `customers.view`, `invoices.view`, `franchises.view`. */
      find: (query: Query<api.SearchFindData>, options?: RequestOptions): Promise<api.SearchFindResponse> =>
        call("GET", "/search", { query, options }),
    },
    transfers: {
      /** Check a transfer before you request it. Needs the scope `payouts.transfer`. */
      preview: (query: Query<api.TransfersPreviewData>, options?: RequestOptions): Promise<api.TransfersPreviewResponse> =>
        call("GET", "/transfers/preview", { query, options }),
      /** List transfers, newest first. Needs the scope `payouts.view`. */
      list: (query: Query<api.TransfersListData> = {}, options?: RequestOptions): Promise<api.TransfersListResponse> =>
        call("GET", "/transfers", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.TransfersListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.TransfersListResponse["transfers"][number]> =>
        everyRecord("transfers", (after) => call<api.TransfersListResponse>("GET", "/transfers", { query: { ...query, after }, options })),
      /** Transfer an amount to a beneficiary, now or on a later date. Needs the scope `payouts.transfer`. */
      create: (body: Body<api.TransfersCreateData>, options?: RequestOptions): Promise<api.TransfersCreateResponse> =>
        call("POST", "/transfers", { body, options }),
      /** List transfers, newest first, as CSV. Needs the scope `payouts.view`. */
      csv: (query: Query<api.TransfersCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/transfers.csv", { query, answersFile: true, options }),
      /** Cancel a transfer that was not sent yet. Needs the scope `payouts.transfer`. */
      cancel: (transferId: string, options?: RequestOptions): Promise<api.TransfersCancelResponse> =>
        call("POST", at`/transfers/${transferId}/cancel`, { options }),
      /** Read a transfer with its ledger entries. Needs the scope `payouts.view`. */
      get: (transferId: string, options?: RequestOptions): Promise<api.TransfersGetResponse> =>
        call("GET", at`/transfers/${transferId}`, { options }),
      /** Download the advice of a transfer as a PDF. Needs the scope `payouts.view`. */
      pdf: (transferId: string, options?: RequestOptions): Promise<File> =>
        call("GET", at`/transfers/${transferId}/pdf`, { answersFile: true, options }),
      /** Change the tags of a transfer or withdrawal. Needs the scope `payouts.transfer`. */
      updateTags: (transferId: string, body: Body<api.TransfersUpdateTagsData>, options?: RequestOptions): Promise<api.TransfersUpdateTagsResponse> =>
        call("PUT", at`/transfers/${transferId}/tags`, { body, options }),
      attachments: {
        /** List the attachments of a transfer or withdrawal. Needs the scope `payouts.view`. */
        list: (transferId: string, options?: RequestOptions): Promise<api.TransfersAttachmentsListResponse> =>
          call("GET", at`/transfers/${transferId}/attachments`, { options }),
        /** Attach a PDF, JPEG or PNG file to a transfer or withdrawal. Needs the scope `payouts.transfer`. */
        create: (transferId: string, file: File, query: Query<api.TransfersAttachmentsCreateData>, options?: RequestOptions): Promise<api.TransfersAttachmentsCreateResponse> =>
          call("POST", at`/transfers/${transferId}/attachments`, { file, query, options }),
        /** Download an attachment of a transfer or withdrawal. Needs the scope `payouts.view`. */
        get: (transferId: string, attachmentId: string, options?: RequestOptions): Promise<File> =>
          call("GET", at`/transfers/${transferId}/attachments/${attachmentId}`, { answersFile: true, options }),
        /** Remove an attachment of a transfer or withdrawal. Needs the scope `payouts.transfer`. */
        delete: (transferId: string, attachmentId: string, options?: RequestOptions): Promise<api.TransfersAttachmentsDeleteResponse> =>
          call("DELETE", at`/transfers/${transferId}/attachments/${attachmentId}`, { options }),
      },
    },
    withdrawals: {
      /** Check a withdrawal before you request it. Needs the scope `payouts.withdraw`. */
      preview: (query: Query<api.WithdrawalsPreviewData>, options?: RequestOptions): Promise<api.WithdrawalsPreviewResponse> =>
        call("GET", "/withdrawals/preview", { query, options }),
      /** List withdrawals, newest first. Needs the scope `payouts.view`. */
      list: (query: Query<api.WithdrawalsListData> = {}, options?: RequestOptions): Promise<api.WithdrawalsListResponse> =>
        call("GET", "/withdrawals", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.WithdrawalsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.WithdrawalsListResponse["transfers"][number]> =>
        everyRecord("transfers", (after) => call<api.WithdrawalsListResponse>("GET", "/withdrawals", { query: { ...query, after }, options })),
      /** Withdraw to the merchant's bank account. Needs the scope `payouts.withdraw`. */
      create: (body: Body<api.WithdrawalsCreateData>, options?: RequestOptions): Promise<api.WithdrawalsCreateResponse> =>
        call("POST", "/withdrawals", { body, options }),
      /** List withdrawals, newest first, as CSV. Needs the scope `payouts.view`. */
      csv: (query: Query<api.WithdrawalsCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/withdrawals.csv", { query, answersFile: true, options }),
      /** Read a withdrawal with its ledger entries. Needs the scope `payouts.view`. */
      get: (transferId: string, options?: RequestOptions): Promise<api.WithdrawalsGetResponse> =>
        call("GET", at`/withdrawals/${transferId}`, { options }),
    },
    withdrawalAccount: {
      /** Read the bank account that withdrawals go to. Needs the scope `payouts.withdraw`. */
      get: (options?: RequestOptions): Promise<api.WithdrawalAccountGetResponse> =>
        call("GET", "/withdrawal-account", { options }),
    },
    transferTags: {
      /** List the tags that transfers have. Needs the scope `payouts.view`. */
      list: (query: Query<api.TransferTagsListData> = {}, options?: RequestOptions): Promise<api.TransferTagsListResponse> =>
        call("GET", "/transfer-tags", { query, options }),
    },
    stuckTransfers: {
      /** List payouts without a final status, and those resolved by hand. Needs the scope `payouts.view`. */
      list: (options?: RequestOptions): Promise<api.StuckTransfersListResponse> =>
        call("GET", "/stuck-transfers", { options }),
      /** Record the outcome of a stuck payout. Needs one of the scopes `payouts.transfer`, `merchants.fund`. */
      resolve: (transferId: string, body: Body<api.StuckTransfersResolveData>, options?: RequestOptions): Promise<api.StuckTransfersResolveResponse> =>
        call("POST", at`/stuck-transfers/${transferId}/resolve`, { body, options }),
    },
    beneficiaries: {
      /** List beneficiaries. Needs the scope `beneficiaries.view`. */
      list: (query: Query<api.BeneficiariesListData> = {}, options?: RequestOptions): Promise<api.BeneficiariesListResponse> =>
        call("GET", "/beneficiaries", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.BeneficiariesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.BeneficiariesListResponse["beneficiaries"][number]> =>
        everyRecord("beneficiaries", (after) => call<api.BeneficiariesListResponse>("GET", "/beneficiaries", { query: { ...query, after }, options })),
      /** Save a beneficiary. Needs the scope `beneficiaries.manage`. */
      create: (body: Body<api.BeneficiariesCreateData>, options?: RequestOptions): Promise<api.BeneficiariesCreateResponse> =>
        call("POST", "/beneficiaries", { body, options }),
      /** List beneficiaries, as CSV. Needs the scope `beneficiaries.view`. */
      csv: (query: Query<api.BeneficiariesCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/beneficiaries.csv", { query, answersFile: true, options }),
      /** Read a beneficiary. Needs the scope `beneficiaries.view`. */
      get: (beneficiaryId: string, options?: RequestOptions): Promise<api.BeneficiariesGetResponse> =>
        call("GET", at`/beneficiaries/${beneficiaryId}`, { options }),
      /** Change a beneficiary's contact details. Needs the scope `beneficiaries.manage`. */
      update: (beneficiaryId: string, body: Body<api.BeneficiariesUpdateData> = {}, options?: RequestOptions): Promise<api.BeneficiariesUpdateResponse> =>
        call("PUT", at`/beneficiaries/${beneficiaryId}`, { body, options }),
      /** Deactivate a beneficiary permanently. Needs the scope `beneficiaries.manage`. */
      deactivate: (beneficiaryId: string, options?: RequestOptions): Promise<api.BeneficiariesDeactivateResponse> =>
        call("POST", at`/beneficiaries/${beneficiaryId}/deactivate`, { options }),
      /** Ask the bank for the account holder's name. Needs the scope `beneficiaries.manage`. */
      verify: (beneficiaryId: string, options?: RequestOptions): Promise<api.BeneficiariesVerifyResponse> =>
        call("POST", at`/beneficiaries/${beneficiaryId}/verify`, { options }),
      /** Accept a name at the bank that differs. Needs the scope `payouts.transfer`. */
      acceptName: (beneficiaryId: string, body: Body<api.BeneficiariesAcceptNameData>, options?: RequestOptions): Promise<api.BeneficiariesAcceptNameResponse> =>
        call("POST", at`/beneficiaries/${beneficiaryId}/accept-name`, { body, options }),
    },
    beneficiaryFiles: {
      /** Download a sample file of beneficiaries. Needs the scope `beneficiaries.manage`. */
      sample: (options?: RequestOptions): Promise<File> =>
        call("GET", "/beneficiary-files/sample", { answersFile: true, options }),
      /** Check a file of beneficiaries. Needs the scope `beneficiaries.manage`. */
      preview: (file: File, options?: RequestOptions): Promise<api.BeneficiaryFilesPreviewResponse> =>
        call("POST", "/beneficiary-files/preview", { file, options }),
      /** Save the beneficiaries of a file. Needs the scope `beneficiaries.manage`. */
      create: (file: File, query: Query<api.BeneficiaryFilesCreateData> = {}, options?: RequestOptions): Promise<api.BeneficiaryFilesCreateResponse> =>
        call("POST", "/beneficiary-files", { file, query, options }),
    },
    payoutFiles: {
      /** Download a sample file of payouts. Needs the scope `payouts.transfer`. */
      sample: (options?: RequestOptions): Promise<File> =>
        call("GET", "/payout-files/sample", { answersFile: true, options }),
      /** Check a file of payouts. Needs the scope `payouts.transfer`. */
      preview: (file: File, query: Query<api.PayoutFilesPreviewData> = {}, options?: RequestOptions): Promise<api.PayoutFilesPreviewResponse> =>
        call("POST", "/payout-files/preview", { file, query, options }),
    },
    payoutBatches: {
      /** List payout batches. Needs the scope `payouts.view`. */
      list: (query: Query<api.PayoutBatchesListData> = {}, options?: RequestOptions): Promise<api.PayoutBatchesListResponse> =>
        call("GET", "/payout-batches", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.PayoutBatchesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.PayoutBatchesListResponse["batches"][number]> =>
        everyRecord("batches", (after) => call<api.PayoutBatchesListResponse>("GET", "/payout-batches", { query: { ...query, after }, options })),
      /** Create a payout batch. Needs the scope `payouts.transfer`. */
      create: (file: File, query: Query<api.PayoutBatchesCreateData>, options?: RequestOptions): Promise<api.PayoutBatchesCreateResponse> =>
        call("POST", "/payout-batches", { file, query, options }),
      /** Read a payout batch. Needs the scope `payouts.view`. */
      get: (batchId: string, query: Query<api.PayoutBatchesGetData> = {}, options?: RequestOptions): Promise<api.PayoutBatchesGetResponse> =>
        call("GET", at`/payout-batches/${batchId}`, { query, options }),
      /** Download the outcomes of a payout batch as CSV. Needs the scope `payouts.view`. */
      result: (batchId: string, options?: RequestOptions): Promise<File> =>
        call("GET", at`/payout-batches/${batchId}/result.csv`, { answersFile: true, options }),
      /** Cancel the remaining payouts of a batch. Needs the scope `payouts.transfer`. */
      cancel: (batchId: string, options?: RequestOptions): Promise<api.PayoutBatchesCancelResponse> =>
        call("POST", at`/payout-batches/${batchId}/cancel`, { options }),
    },
    scheduledPayouts: {
      /** List scheduled payouts by date. Needs the scope `payouts.view`. */
      list: (query: Query<api.ScheduledPayoutsListData> = {}, options?: RequestOptions): Promise<api.ScheduledPayoutsListResponse> =>
        call("GET", "/scheduled-payouts", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.ScheduledPayoutsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.ScheduledPayoutsListResponse["payouts"][number]> =>
        everyRecord("payouts", (after) => call<api.ScheduledPayoutsListResponse>("GET", "/scheduled-payouts", { query: { ...query, after }, options })),
      /** Cancel a scheduled payout. Needs the scope `payouts.transfer`. */
      cancel: (body: Body<api.ScheduledPayoutsCancelData>, options?: RequestOptions): Promise<api.ScheduledPayoutsCancelResponse> =>
        call("POST", "/scheduled-payouts/cancel", { body, options }),
    },
    ifsc: {
      /** Look up a bank branch by its IFSC. Needs no scope. */
      get: (ifsc: string, options?: RequestOptions): Promise<api.IfscGetResponse> =>
        call("GET", at`/ifsc/${ifsc}`, { options }),
    },
    states: {
      /** List the states of India with their GST codes. Needs no scope. */
      list: (options?: RequestOptions): Promise<api.StatesListResponse> =>
        call("GET", "/states", { options }),
    },
    statement: {
      /** List lines of the account statement, newest first. Needs the scope `statement.view`. */
      list: (query: Query<api.StatementListData> = {}, options?: RequestOptions): Promise<api.StatementListResponse> =>
        call("GET", "/statement", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.StatementListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.StatementListResponse["lines"][number]> =>
        everyRecord("lines", (after) => call<api.StatementListResponse>("GET", "/statement", { query: { ...query, after }, options })),
      /** List lines of the account statement, newest first, as CSV. Needs the scope `statement.view`. */
      csv: (query: Query<api.StatementCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/statement.csv", { query, answersFile: true, options }),
      /** Download the account statement as a PDF. Needs the scope `statement.view`. */
      pdf: (query: Query<api.StatementPdfData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/statement/pdf", { query, answersFile: true, options }),
    },
    reconciliation: {
      /** List bank statement lines. Needs the scope `statement.view`. */
      list: (query: Query<api.ReconciliationListData> = {}, options?: RequestOptions): Promise<api.ReconciliationListResponse> =>
        call("GET", "/reconciliation", { query, options }),
      /** List bank statement lines, as CSV. Needs the scope `statement.view`. */
      csv: (query: Query<api.ReconciliationCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/reconciliation.csv", { query, answersFile: true, options }),
      /** List ledger items that are on no statement. Needs the scope `statement.view`. */
      missing: (options?: RequestOptions): Promise<api.ReconciliationMissingResponse> =>
        call("GET", "/reconciliation/missing", { options }),
      /** List ledger items that a statement line may match. Needs the scope `reconciliation.manage`. */
      candidates: (query: Query<api.ReconciliationCandidatesData>, options?: RequestOptions): Promise<api.ReconciliationCandidatesResponse> =>
        call("GET", "/reconciliation/candidates", { query, options }),
      /** Match a statement line with a ledger item. Needs the scope `reconciliation.manage`. */
      match: (body: Body<api.ReconciliationMatchData>, options?: RequestOptions): Promise<api.ReconciliationMatchResponse> =>
        call("POST", "/reconciliation/match", { body, options }),
      /** Set a statement line aside. Needs the scope `reconciliation.manage`. */
      setAside: (body: Body<api.ReconciliationSetAsideData>, options?: RequestOptions): Promise<api.ReconciliationSetAsideResponse> =>
        call("POST", "/reconciliation/set-aside", { body, options }),
      /** Credit the merchant with a deposit on the statement. Needs the scope `merchants.fund`. */
      fund: (body: Body<api.ReconciliationFundData>, options?: RequestOptions): Promise<api.ReconciliationFundResponse> =>
        call("POST", "/reconciliation/fund", { body, options }),
      /** Book a bank fee from a statement line. Needs the scope `merchants.fund`. */
      bookFee: (body: Body<api.ReconciliationBookFeeData>, options?: RequestOptions): Promise<api.ReconciliationBookFeeResponse> =>
        call("POST", "/reconciliation/book-fee", { body, options }),
      /** Undo a match, or what was set aside. Needs the scope `reconciliation.manage`. */
      undo: (body: Body<api.ReconciliationUndoData>, options?: RequestOptions): Promise<api.ReconciliationUndoResponse> =>
        call("POST", "/reconciliation/undo", { body, options }),
      /** Undo the booking of a bank fee. Needs the scope `merchants.fund`. */
      undoFee: (body: Body<api.ReconciliationUndoFeeData>, options?: RequestOptions): Promise<api.ReconciliationUndoFeeResponse> =>
        call("POST", "/reconciliation/undo-fee", { body, options }),
      /** Check a bank statement file. Needs the scope `reconciliation.manage`. */
      preview: (file: File, query: Query<api.ReconciliationPreviewData>, options?: RequestOptions): Promise<api.ReconciliationPreviewResponse> =>
        call("POST", "/reconciliation/preview", { file, query, options }),
      /** Import a bank statement. Needs the scope `reconciliation.manage`. */
      import: (file: File, query: Query<api.ReconciliationImportData>, options?: RequestOptions): Promise<api.ReconciliationImportResponse> =>
        call("POST", "/reconciliation/import", { file, query, options }),
    },
    approvals: {
      /** Approve a request. For people in the dashboard: no access key can call it. */
      approve: (approvalId: string, body: Body<api.ApprovalsApproveData> = {}, options?: RequestOptions): Promise<api.ApprovalsApproveResponse> =>
        call("POST", at`/approvals/${approvalId}/approve`, { body, options }),
      /** Reject a request. For people in the dashboard: no access key can call it. */
      reject: (approvalId: string, body: Body<api.ApprovalsRejectData> = {}, options?: RequestOptions): Promise<api.ApprovalsRejectResponse> =>
        call("POST", at`/approvals/${approvalId}/reject`, { body, options }),
      /** Withdraw your own request. For people in the dashboard: no access key can call it. */
      withdraw: (approvalId: string, body: Body<api.ApprovalsWithdrawData> = {}, options?: RequestOptions): Promise<api.ApprovalsWithdrawResponse> =>
        call("POST", at`/approvals/${approvalId}/withdraw`, { body, options }),
      /** Approve or reject many requests. For people in the dashboard: no access key can call it. */
      decide: (body: Body<api.ApprovalsDecideData>, options?: RequestOptions): Promise<api.ApprovalsDecideResponse> =>
        call("POST", "/approvals/decide", { body, options }),
      /** Count the requests that wait for you. For people in the dashboard: no access key can call it. */
      waiting: (options?: RequestOptions): Promise<api.ApprovalsWaitingResponse> =>
        call("GET", "/approvals/waiting", { options }),
      /** List requests for approval. Needs the scope `payouts.view`. */
      list: (query: Query<api.ApprovalsListData> = {}, options?: RequestOptions): Promise<api.ApprovalsListResponse> =>
        call("GET", "/approvals", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.ApprovalsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.ApprovalsListResponse["approvals"][number]> =>
        everyRecord("approvals", (after) => call<api.ApprovalsListResponse>("GET", "/approvals", { query: { ...query, after }, options })),
      /** Read a request for approval. Needs the scope `payouts.view`. */
      get: (approvalId: string, options?: RequestOptions): Promise<api.ApprovalsGetResponse> =>
        call("GET", at`/approvals/${approvalId}`, { options }),
    },
    payoutPolicy: {
      /** Read the approval policy and the limits. Needs the scope `payouts.view`. */
      get: (options?: RequestOptions): Promise<api.PayoutPolicyGetResponse> =>
        call("GET", "/payout-policy", { options }),
      /** Change the approval policy and the limits. Needs the scope `approvals.manage`. */
      update: (body: Body<api.PayoutPolicyUpdateData> = {}, options?: RequestOptions): Promise<api.PayoutPolicyUpdateResponse> =>
        call("PUT", "/payout-policy", { body, options }),
    },
    invoices: {
      /** List invoices. Needs the scope `invoices.view`. */
      list: (query: Query<api.InvoicesListData> = {}, options?: RequestOptions): Promise<api.InvoicesListResponse> =>
        call("GET", "/invoices", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.InvoicesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.InvoicesListResponse["invoices"][number]> =>
        everyRecord("invoices", (after) => call<api.InvoicesListResponse>("GET", "/invoices", { query: { ...query, after }, options })),
      /** Save an invoice. Needs the scope `invoices.manage`. */
      create: (body: Body<api.InvoicesCreateData>, options?: RequestOptions): Promise<api.InvoicesCreateResponse> =>
        call("POST", "/invoices", { body, options }),
      /** Add up invoices. Needs the scope `invoices.view`. */
      totals: (query: Query<api.InvoicesTotalsData> = {}, options?: RequestOptions): Promise<api.InvoicesTotalsResponse> =>
        call("GET", "/invoices/totals", { query, options }),
      /** List invoices, as CSV. Needs the scope `invoices.view`. */
      csv: (query: Query<api.InvoicesCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/invoices.csv", { query, answersFile: true, options }),
      /** List templates, franchises and columns to choose from. Needs the scope `invoices.manage`. */
      form: (options?: RequestOptions): Promise<api.InvoicesFormResponse> =>
        call("GET", "/invoices/form", { options }),
      /** Work out the kind of GST. Needs the scope `invoices.manage`. */
      supply: (query: Query<api.InvoicesSupplyData> = {}, options?: RequestOptions): Promise<api.InvoicesSupplyResponse> =>
        call("GET", "/invoices/supply", { query, options }),
      /** Work out an invoice without saving it. Needs the scope `invoices.manage`. */
      preview: (body: Body<api.InvoicesPreviewData>, options?: RequestOptions): Promise<api.InvoicesPreviewResponse> =>
        call("POST", "/invoices/preview", { body, options }),
      /** Read an invoice with its payments, credit notes and messages. Needs the scope `invoices.view`. */
      get: (invoiceId: string, options?: RequestOptions): Promise<api.InvoicesGetResponse> =>
        call("GET", at`/invoices/${invoiceId}`, { options }),
      /** Change an invoice on which nothing is paid. Needs the scope `invoices.manage`. */
      update: (invoiceId: string, body: Body<api.InvoicesUpdateData>, options?: RequestOptions): Promise<api.InvoicesUpdateResponse> =>
        call("PUT", at`/invoices/${invoiceId}`, { body, options }),
      /** Read an invoice as its customer sees it, in HTML. Needs the scope `invoices.view`. */
      page: (invoiceId: string, options?: RequestOptions): Promise<api.InvoicesPageResponse> =>
        call("GET", at`/invoices/${invoiceId}/page`, { options }),
      /** Cancel an invoice on which nothing is paid. Needs the scope `invoices.cancel`. */
      cancel: (invoiceId: string, options?: RequestOptions): Promise<api.InvoicesCancelResponse> =>
        call("POST", at`/invoices/${invoiceId}/cancel`, { options }),
      /** Send an invoice to its customer. Needs the scope `invoices.manage`. */
      send: (invoiceId: string, body: Body<api.InvoicesSendData>, options?: RequestOptions): Promise<api.InvoicesSendResponse> =>
        call("POST", at`/invoices/${invoiceId}/send`, { body, options }),
      /** Send many invoices to their customers. Needs the scope `invoices.manage`. */
      sendMany: (body: Body<api.InvoicesSendManyData>, options?: RequestOptions): Promise<api.InvoicesSendManyResponse> =>
        call("POST", "/invoices/send", { body, options }),
      /** Remind the customers of many invoices. Needs the scope `invoices.manage`. */
      remindMany: (body: Body<api.InvoicesRemindManyData>, options?: RequestOptions): Promise<api.InvoicesRemindManyResponse> =>
        call("POST", "/invoices/remind", { body, options }),
      /** Download the PDFs of many invoices. Needs the scope `invoices.view`. */
      pdfs: (query: Query<api.InvoicesPdfsData>, options?: RequestOptions): Promise<File> =>
        call("GET", "/invoices/pdfs.zip", { query, answersFile: true, options }),
      payments: {
        /** Record a payment of an invoice. Needs the scope `invoices.settle`. */
        create: (invoiceId: string, body: Body<api.InvoicesPaymentsCreateData>, options?: RequestOptions): Promise<api.InvoicesPaymentsCreateResponse> =>
          call("POST", at`/invoices/${invoiceId}/payments`, { body, options }),
        /** Reverse a recorded payment. Needs the scope `invoices.settle`. */
        reverse: (invoiceId: string, transactionId: string, body: Body<api.InvoicesPaymentsReverseData>, options?: RequestOptions): Promise<api.InvoicesPaymentsReverseResponse> =>
          call("POST", at`/invoices/${invoiceId}/payments/${transactionId}/reverse`, { body, options }),
      },
      /** Write off what is due on an invoice. Needs the scope `invoices.settle`. */
      writeOff: (invoiceId: string, body: Body<api.InvoicesWriteOffData>, options?: RequestOptions): Promise<api.InvoicesWriteOffResponse> =>
        call("POST", at`/invoices/${invoiceId}/write-off`, { body, options }),
      creditNotes: {
        /** Issue a credit note. Needs the scope `invoices.cancel`. */
        create: (invoiceId: string, body: Body<api.InvoicesCreditNotesCreateData>, options?: RequestOptions): Promise<api.InvoicesCreditNotesCreateResponse> =>
          call("POST", at`/invoices/${invoiceId}/credit-notes`, { body, options }),
        /** Download a credit note as a PDF. Needs the scope `invoices.view`. */
        pdf: (invoiceId: string, creditNoteId: string, options?: RequestOptions): Promise<File> =>
          call("GET", at`/invoices/${invoiceId}/credit-notes/${creditNoteId}/pdf`, { answersFile: true, options }),
        /** Refund what a credit note owes the customer. Needs the scope `payouts.transfer`. */
        refund: (invoiceId: string, creditNoteId: string, body: Body<api.InvoicesCreditNotesRefundData>, options?: RequestOptions): Promise<api.InvoicesCreditNotesRefundResponse> =>
          call("POST", at`/invoices/${invoiceId}/credit-notes/${creditNoteId}/refund`, { body, options }),
      },
      history: {
        /** List the changes of an invoice. Needs the scope `invoices.view`. */
        list: (invoiceId: string, query: Query<api.InvoicesHistoryListData> = {}, options?: RequestOptions): Promise<api.InvoicesHistoryListResponse> =>
          call("GET", at`/invoices/${invoiceId}/history`, { query, options }),
        /** The same, record by record, page after page. */
        all: (invoiceId: string, query: Omit<Query<api.InvoicesHistoryListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.InvoicesHistoryListResponse["history"][number]> =>
          everyRecord("history", (after) => call<api.InvoicesHistoryListResponse>("GET", at`/invoices/${invoiceId}/history`, { query: { ...query, after }, options })),
      },
    },
    payments: {
      /** List payments of invoices. Needs the scope `invoices.view`. */
      list: (query: Query<api.PaymentsListData> = {}, options?: RequestOptions): Promise<api.PaymentsListResponse> =>
        call("GET", "/payments", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.PaymentsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.PaymentsListResponse["payments"][number]> =>
        everyRecord("payments", (after) => call<api.PaymentsListResponse>("GET", "/payments", { query: { ...query, after }, options })),
      /** Add up payments of invoices. Needs the scope `invoices.view`. */
      totals: (query: Query<api.PaymentsTotalsData> = {}, options?: RequestOptions): Promise<api.PaymentsTotalsResponse> =>
        call("GET", "/payments/totals", { query, options }),
      /** List payments of invoices, as CSV. Needs the scope `invoices.view`. */
      csv: (query: Query<api.PaymentsCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/payments.csv", { query, answersFile: true, options }),
    },
    creditNotes: {
      /** List credit notes. Needs the scope `invoices.view`. */
      list: (query: Query<api.CreditNotesListData> = {}, options?: RequestOptions): Promise<api.CreditNotesListResponse> =>
        call("GET", "/credit-notes", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.CreditNotesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.CreditNotesListResponse["credit_notes"][number]> =>
        everyRecord("credit_notes", (after) => call<api.CreditNotesListResponse>("GET", "/credit-notes", { query: { ...query, after }, options })),
      /** Credit lines of an invoice. Needs the scope `invoices.cancel`. */
      create: (body: Body<api.CreditNotesCreateData>, options?: RequestOptions): Promise<api.CreditNotesCreateResponse> =>
        call("POST", "/credit-notes", { body, options }),
      /** Add up credit notes. Needs the scope `invoices.view`. */
      totals: (query: Query<api.CreditNotesTotalsData> = {}, options?: RequestOptions): Promise<api.CreditNotesTotalsResponse> =>
        call("GET", "/credit-notes/totals", { query, options }),
      /** List credit notes, as CSV. Needs the scope `invoices.view`. */
      csv: (query: Query<api.CreditNotesCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/credit-notes.csv", { query, answersFile: true, options }),
      /** Cancel a credit note that nothing follows from. Needs the scope `invoices.cancel`. */
      cancel: (creditNoteId: string, options?: RequestOptions): Promise<api.CreditNotesCancelResponse> =>
        call("POST", at`/credit-notes/${creditNoteId}/cancel`, { options }),
      /** Read a credit note. Needs the scope `invoices.view`. */
      get: (creditNoteId: string, options?: RequestOptions): Promise<api.CreditNotesGetResponse> =>
        call("GET", at`/credit-notes/${creditNoteId}`, { options }),
    },
    refunds: {
      /** List refunds. Needs the scope `invoices.view`. */
      list: (query: Query<api.RefundsListData> = {}, options?: RequestOptions): Promise<api.RefundsListResponse> =>
        call("GET", "/refunds", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.RefundsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.RefundsListResponse["refunds"][number]> =>
        everyRecord("refunds", (after) => call<api.RefundsListResponse>("GET", "/refunds", { query: { ...query, after }, options })),
      /** Add up refunds. Needs the scope `invoices.view`. */
      totals: (query: Query<api.RefundsTotalsData> = {}, options?: RequestOptions): Promise<api.RefundsTotalsResponse> =>
        call("GET", "/refunds/totals", { query, options }),
      /** List refunds, as CSV. Needs the scope `invoices.view`. */
      csv: (query: Query<api.RefundsCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/refunds.csv", { query, answersFile: true, options }),
    },
    reports: {
      salesRegister: {
        /** Read the sales register. Needs the scope `invoices.view`. */
        list: (query: Query<api.ReportsSalesRegisterListData>, options?: RequestOptions): Promise<api.ReportsSalesRegisterListResponse> =>
          call("GET", "/reports/sales-register", { query, options }),
        /** The same, record by record, page after page. */
        all: (query: Omit<Query<api.ReportsSalesRegisterListData>, "after">, options?: ListOptions): AsyncGenerator<api.ReportsSalesRegisterListResponse["documents"][number]> =>
          everyRecord("documents", (after) => call<api.ReportsSalesRegisterListResponse>("GET", "/reports/sales-register", { query: { ...query, after }, options })),
        /** Read the sales register, as CSV. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsSalesRegisterCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/sales-register.csv", { query, answersFile: true, options }),
        /** Read the sales register, as XLSX. Needs the scope `invoices.view`. */
        xlsx: (query: Query<api.ReportsSalesRegisterXlsxData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/sales-register.xlsx", { query, answersFile: true, options }),
      },
      taxSummary: {
        /** Read the tax summary by rate. Needs the scope `invoices.view`. */
        get: (query: Query<api.ReportsTaxSummaryGetData>, options?: RequestOptions): Promise<api.ReportsTaxSummaryGetResponse> =>
          call("GET", "/reports/tax-summary", { query, options }),
        /** Read the tax summary by rate, as CSV. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsTaxSummaryCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/tax-summary.csv", { query, answersFile: true, options }),
        /** Read the tax summary by rate, as XLSX. Needs the scope `invoices.view`. */
        xlsx: (query: Query<api.ReportsTaxSummaryXlsxData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/tax-summary.xlsx", { query, answersFile: true, options }),
      },
      hsnSummary: {
        /** Read the HSN summary. Needs the scope `invoices.view`. */
        get: (query: Query<api.ReportsHsnSummaryGetData>, options?: RequestOptions): Promise<api.ReportsHsnSummaryGetResponse> =>
          call("GET", "/reports/hsn-summary", { query, options }),
        /** Read the HSN summary, as CSV. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsHsnSummaryCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/hsn-summary.csv", { query, answersFile: true, options }),
        /** Read the HSN summary, as XLSX. Needs the scope `invoices.view`. */
        xlsx: (query: Query<api.ReportsHsnSummaryXlsxData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/hsn-summary.xlsx", { query, answersFile: true, options }),
      },
      documentSeries: {
        /** Read the series of document numbers. Needs the scope `invoices.view`. */
        get: (query: Query<api.ReportsDocumentSeriesGetData>, options?: RequestOptions): Promise<api.ReportsDocumentSeriesGetResponse> =>
          call("GET", "/reports/document-series", { query, options }),
        /** Read the series of document numbers, as CSV. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsDocumentSeriesCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/document-series.csv", { query, answersFile: true, options }),
        /** Read the series of document numbers, as XLSX. Needs the scope `invoices.view`. */
        xlsx: (query: Query<api.ReportsDocumentSeriesXlsxData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/document-series.xlsx", { query, answersFile: true, options }),
      },
      gstProblems: {
        /** List what to correct before a GST return. Needs the scope `invoices.view`. */
        list: (query: Query<api.ReportsGstProblemsListData>, options?: RequestOptions): Promise<api.ReportsGstProblemsListResponse> =>
          call("GET", "/reports/gst-problems", { query, options }),
        /** The same, record by record, page after page. */
        all: (query: Omit<Query<api.ReportsGstProblemsListData>, "after">, options?: ListOptions): AsyncGenerator<api.ReportsGstProblemsListResponse["problems"][number]> =>
          everyRecord("problems", (after) => call<api.ReportsGstProblemsListResponse>("GET", "/reports/gst-problems", { query: { ...query, after }, options })),
        /** List what to correct before a GST return, as CSV. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsGstProblemsCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/gst-problems.csv", { query, answersFile: true, options }),
        /** List what to correct before a GST return, as XLSX. Needs the scope `invoices.view`. */
        xlsx: (query: Query<api.ReportsGstProblemsXlsxData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/gst-problems.xlsx", { query, answersFile: true, options }),
      },
      trialBalance: {
        /** Read the trial balance. Needs the scope `invoices.view`. */
        get: (query: Query<api.ReportsTrialBalanceGetData> = {}, options?: RequestOptions): Promise<api.ReportsTrialBalanceGetResponse> =>
          call("GET", "/reports/trial-balance", { query, options }),
        /** Read the trial balance, as CSV. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsTrialBalanceCsvData> = {}, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/trial-balance.csv", { query, answersFile: true, options }),
        /** Read the trial balance, as XLSX. Needs the scope `invoices.view`. */
        xlsx: (query: Query<api.ReportsTrialBalanceXlsxData> = {}, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/trial-balance.xlsx", { query, answersFile: true, options }),
      },
      ageing: {
        /** Read receivables by age. Needs the scope `invoices.view`. */
        list: (query: Query<api.ReportsAgeingListData> = {}, options?: RequestOptions): Promise<api.ReportsAgeingListResponse> =>
          call("GET", "/reports/ageing", { query, options }),
        /** The same, record by record, page after page. */
        all: (query: Omit<Query<api.ReportsAgeingListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.ReportsAgeingListResponse["customers"][number]> =>
          everyRecord("customers", (after) => call<api.ReportsAgeingListResponse>("GET", "/reports/ageing", { query: { ...query, after }, options })),
        /** Read receivables by age, as CSV. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsAgeingCsvData> = {}, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/ageing.csv", { query, answersFile: true, options }),
        /** Read receivables by age, as XLSX. Needs the scope `invoices.view`. */
        xlsx: (query: Query<api.ReportsAgeingXlsxData> = {}, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/ageing.xlsx", { query, answersFile: true, options }),
      },
      dayBook: {
        /** Read the day book. Needs the scope `invoices.view`. */
        list: (query: Query<api.ReportsDayBookListData>, options?: RequestOptions): Promise<api.ReportsDayBookListResponse> =>
          call("GET", "/reports/day-book", { query, options }),
        /** The same, record by record, page after page. */
        all: (query: Omit<Query<api.ReportsDayBookListData>, "after">, options?: ListOptions): AsyncGenerator<api.ReportsDayBookListResponse["entries"][number]> =>
          everyRecord("entries", (after) => call<api.ReportsDayBookListResponse>("GET", "/reports/day-book", { query: { ...query, after }, options })),
        /** Read the day book, as CSV. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsDayBookCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/day-book.csv", { query, answersFile: true, options }),
      },
      tallyMasters: {
        /** Read the ledgers of a period for Tally. Needs the scope `invoices.view`. */
        xml: (query: Query<api.ReportsTallyMastersXmlData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/tally-masters.xml", { query, answersFile: true, options }),
      },
      tallyVouchers: {
        /** Read the vouchers of a period for Tally. Needs the scope `invoices.view`. */
        xml: (query: Query<api.ReportsTallyVouchersXmlData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/tally-vouchers.xml", { query, answersFile: true, options }),
      },
      zohoCustomers: {
        /** Read all customers for Zoho Books. Needs the scope `customers.view`. */
        csv: (options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/zoho-customers.csv", { answersFile: true, options }),
      },
      zohoInvoices: {
        /** Read the invoices of a period for Zoho Books. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsZohoInvoicesCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/zoho-invoices.csv", { query, answersFile: true, options }),
      },
      zohoCreditNotes: {
        /** Read the credit notes of a period for Zoho Books. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsZohoCreditNotesCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/zoho-credit-notes.csv", { query, answersFile: true, options }),
      },
      zohoPayments: {
        /** Read the payments of a period for Zoho Books. Needs the scope `invoices.view`. */
        csv: (query: Query<api.ReportsZohoPaymentsCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", "/reports/zoho-payments.csv", { query, answersFile: true, options }),
      },
    },
    customers: {
      /** Read a customer's statement of account. Needs the scope `invoices.view`. */
      statement: (customerId: string, query: Query<api.CustomersStatementData>, options?: RequestOptions): Promise<api.CustomersStatementResponse> =>
        call("GET", at`/customers/${customerId}/statement`, { query, options }),
      /** Download a customer's statement of account as a PDF. Needs the scope `invoices.view`. */
      statementPdf: (customerId: string, query: Query<api.CustomersStatementPdfData>, options?: RequestOptions): Promise<File> =>
        call("GET", at`/customers/${customerId}/statement/pdf`, { query, answersFile: true, options }),
      /** Send a customer its statement of account. Needs the scope `invoices.manage`. */
      sendStatement: (customerId: string, body: Body<api.CustomersSendStatementData>, options?: RequestOptions): Promise<api.CustomersSendStatementResponse> =>
        call("POST", at`/customers/${customerId}/send-statement`, { body, options }),
      /** List customers. Needs the scope `customers.view`. */
      list: (query: Query<api.CustomersListData> = {}, options?: RequestOptions): Promise<api.CustomersListResponse> =>
        call("GET", "/customers", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.CustomersListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.CustomersListResponse["customers"][number]> =>
        everyRecord("customers", (after) => call<api.CustomersListResponse>("GET", "/customers", { query: { ...query, after }, options })),
      /** Save a customer. Needs the scope `customers.manage`. */
      create: (body: Body<api.CustomersCreateData>, options?: RequestOptions): Promise<api.CustomersCreateResponse> =>
        call("POST", "/customers", { body, options }),
      /** List customers, as CSV. Needs the scope `customers.view`. */
      csv: (query: Query<api.CustomersCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/customers.csv", { query, answersFile: true, options }),
      /** Read a customer with the last invoices and payments. Needs the scope `customers.view`. */
      get: (customerId: string, options?: RequestOptions): Promise<api.CustomersGetResponse> =>
        call("GET", at`/customers/${customerId}`, { options }),
      /** Change a customer. Needs the scope `customers.manage`. */
      update: (customerId: string, body: Body<api.CustomersUpdateData> = {}, options?: RequestOptions): Promise<api.CustomersUpdateResponse> =>
        call("PUT", at`/customers/${customerId}`, { body, options }),
      /** Work out the kind of GST. Needs the scope `customers.manage`. */
      supply: (query: Query<api.CustomersSupplyData> = {}, options?: RequestOptions): Promise<api.CustomersSupplyResponse> =>
        call("GET", "/customers/supply", { query, options }),
      /** Save many customers, all or none. Needs the scope `customers.manage`. */
      batch: (body: Body<api.CustomersBatchData>, options?: RequestOptions): Promise<api.CustomersBatchResponse> =>
        call("POST", "/customers/batch", { body, options }),
    },
    bookSettings: {
      /** Read the settings of the books. Needs the scope `profile.view`. */
      get: (options?: RequestOptions): Promise<api.BookSettingsGetResponse> =>
        call("GET", "/book-settings", { options }),
      /** Change the settings of the books. Needs the scope `profile.manage`. */
      update: (body: Body<api.BookSettingsUpdateData> = {}, options?: RequestOptions): Promise<api.BookSettingsUpdateResponse> =>
        call("PUT", "/book-settings", { body, options }),
    },
    invoiceDrafts: {
      /** List drafts of invoices, the newest first. Needs the scope `invoices.view`. */
      list: (query: Query<api.InvoiceDraftsListData> = {}, options?: RequestOptions): Promise<api.InvoiceDraftsListResponse> =>
        call("GET", "/invoice-drafts", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.InvoiceDraftsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.InvoiceDraftsListResponse["drafts"][number]> =>
        everyRecord("drafts", (after) => call<api.InvoiceDraftsListResponse>("GET", "/invoice-drafts", { query: { ...query, after }, options })),
      /** Save a draft of an invoice. Needs the scope `invoices.manage`. */
      create: (body: Body<api.InvoiceDraftsCreateData>, options?: RequestOptions): Promise<api.InvoiceDraftsCreateResponse> =>
        call("POST", "/invoice-drafts", { body, options }),
      /** Read a draft of an invoice, and what is still missing. Needs the scope `invoices.view`. */
      get: (draftId: string, options?: RequestOptions): Promise<api.InvoiceDraftsGetResponse> =>
        call("GET", at`/invoice-drafts/${draftId}`, { options }),
      /** Replace a draft of an invoice. Needs the scope `invoices.manage`. */
      update: (draftId: string, body: Body<api.InvoiceDraftsUpdateData>, options?: RequestOptions): Promise<api.InvoiceDraftsUpdateResponse> =>
        call("PUT", at`/invoice-drafts/${draftId}`, { body, options }),
      /** Delete a draft of an invoice. Needs the scope `invoices.manage`. */
      delete: (draftId: string, query: Query<api.InvoiceDraftsDeleteData> = {}, options?: RequestOptions): Promise<api.InvoiceDraftsDeleteResponse> =>
        call("DELETE", at`/invoice-drafts/${draftId}`, { query, options }),
      /** Make the invoice of a draft. Needs the scope `invoices.manage`. */
      issue: (draftId: string, body: Body<api.InvoiceDraftsIssueData> = {}, options?: RequestOptions): Promise<api.InvoiceDraftsIssueResponse> =>
        call("POST", at`/invoice-drafts/${draftId}/issue`, { body, options }),
    },
    estimates: {
      /** List estimates, the newest first. Needs the scope `invoices.view`. */
      list: (query: Query<api.EstimatesListData> = {}, options?: RequestOptions): Promise<api.EstimatesListResponse> =>
        call("GET", "/estimates", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.EstimatesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.EstimatesListResponse["estimates"][number]> =>
        everyRecord("estimates", (after) => call<api.EstimatesListResponse>("GET", "/estimates", { query: { ...query, after }, options })),
      /** Create an estimate. Needs the scope `invoices.manage`. */
      create: (body: Body<api.EstimatesCreateData>, options?: RequestOptions): Promise<api.EstimatesCreateResponse> =>
        call("POST", "/estimates", { body, options }),
      /** Read an estimate. Needs the scope `invoices.view`. */
      get: (estimateId: string, options?: RequestOptions): Promise<api.EstimatesGetResponse> =>
        call("GET", at`/estimates/${estimateId}`, { options }),
      /** Replace an estimate, which keeps its number. Needs the scope `invoices.manage`. */
      update: (estimateId: string, body: Body<api.EstimatesUpdateData>, options?: RequestOptions): Promise<api.EstimatesUpdateResponse> =>
        call("PUT", at`/estimates/${estimateId}`, { body, options }),
      /** Read an estimate as its customer sees it, in HTML. Needs the scope `invoices.view`. */
      page: (estimateId: string, options?: RequestOptions): Promise<api.EstimatesPageResponse> =>
        call("GET", at`/estimates/${estimateId}/page`, { options }),
      /** Download an estimate as a PDF. Needs the scope `invoices.view`. */
      pdf: (estimateId: string, options?: RequestOptions): Promise<File> =>
        call("GET", at`/estimates/${estimateId}/pdf`, { answersFile: true, options }),
      /** Decline an estimate. Needs the scope `invoices.manage`. */
      decline: (estimateId: string, body: Body<api.EstimatesDeclineData> = {}, options?: RequestOptions): Promise<api.EstimatesDeclineResponse> =>
        call("POST", at`/estimates/${estimateId}/decline`, { body, options }),
      /** Make the invoice of an estimate. Needs the scope `invoices.manage`. */
      invoice: (estimateId: string, body: Body<api.EstimatesInvoiceData> = {}, options?: RequestOptions): Promise<api.EstimatesInvoiceResponse> =>
        call("POST", at`/estimates/${estimateId}/invoice`, { body, options }),
    },
    invoiceFiles: {
      /** Download a sample file of invoices. Needs the scope `invoices.manage`. */
      sample: (query: Query<api.InvoiceFilesSampleData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/invoice-files/sample", { query, answersFile: true, options }),
      /** Save the invoices of a checked file. Needs the scope `invoices.manage`. */
      create: (body: Body<api.InvoiceFilesCreateData>, options?: RequestOptions): Promise<api.InvoiceFilesCreateResponse> =>
        call("POST", "/invoice-files", { body, options }),
      /** Check a file of invoices. Needs the scope `invoices.manage`. */
      preview: (file: File, query: Query<api.InvoiceFilesPreviewData> = {}, options?: RequestOptions): Promise<api.InvoiceFilesPreviewResponse> =>
        call("POST", "/invoice-files/preview", { file, query, options }),
    },
    openingBalances: {
      /** List opening balances. Needs the scope `invoices.view`. */
      list: (query: Query<api.OpeningBalancesListData> = {}, options?: RequestOptions): Promise<api.OpeningBalancesListResponse> =>
        call("GET", "/opening-balances", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.OpeningBalancesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.OpeningBalancesListResponse["opening_balances"][number]> =>
        everyRecord("opening_balances", (after) => call<api.OpeningBalancesListResponse>("GET", "/opening-balances", { query: { ...query, after }, options })),
      /** Create an opening balance. Needs the scope `invoices.manage`. */
      create: (body: Body<api.OpeningBalancesCreateData>, options?: RequestOptions): Promise<api.OpeningBalancesCreateResponse> =>
        call("POST", "/opening-balances", { body, options }),
      /** Read an opening balance. Needs the scope `invoices.view`. */
      get: (openingBalanceId: string, options?: RequestOptions): Promise<api.OpeningBalancesGetResponse> =>
        call("GET", at`/opening-balances/${openingBalanceId}`, { options }),
      /** Change an opening balance on which nothing is paid. Needs the scope `invoices.manage`. */
      update: (openingBalanceId: string, body: Body<api.OpeningBalancesUpdateData> = {}, options?: RequestOptions): Promise<api.OpeningBalancesUpdateResponse> =>
        call("PUT", at`/opening-balances/${openingBalanceId}`, { body, options }),
      /** Create many opening balances, all or none. Needs the scope `invoices.manage`. */
      batch: (body: Body<api.OpeningBalancesBatchData>, options?: RequestOptions): Promise<api.OpeningBalancesBatchResponse> =>
        call("POST", "/opening-balances/batch", { body, options }),
      /** Cancel an opening balance on which nothing is paid. Needs the scope `invoices.cancel`. */
      cancel: (openingBalanceId: string, options?: RequestOptions): Promise<api.OpeningBalancesCancelResponse> =>
        call("POST", at`/opening-balances/${openingBalanceId}/cancel`, { options }),
    },
    openingBalanceFiles: {
      /** Download a sample file of opening balances. Needs the scope `invoices.manage`. */
      sample: (options?: RequestOptions): Promise<File> =>
        call("GET", "/opening-balance-files/sample", { answersFile: true, options }),
      /** Check a file of opening balances. Needs the scope `invoices.manage`. */
      preview: (file: File, query: Query<api.OpeningBalanceFilesPreviewData> = {}, options?: RequestOptions): Promise<api.OpeningBalanceFilesPreviewResponse> =>
        call("POST", "/opening-balance-files/preview", { file, query, options }),
    },
    debitNotes: {
      /** List debit notes. Needs the scope `invoices.view`. */
      list: (query: Query<api.DebitNotesListData> = {}, options?: RequestOptions): Promise<api.DebitNotesListResponse> =>
        call("GET", "/debit-notes", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.DebitNotesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.DebitNotesListResponse["debit_notes"][number]> =>
        everyRecord("debit_notes", (after) => call<api.DebitNotesListResponse>("GET", "/debit-notes", { query: { ...query, after }, options })),
      /** Issue a debit note for lines of an invoice. Needs the scope `invoices.manage`. */
      create: (body: Body<api.DebitNotesCreateData>, options?: RequestOptions): Promise<api.DebitNotesCreateResponse> =>
        call("POST", "/debit-notes", { body, options }),
      /** Read a debit note. Needs the scope `invoices.view`. */
      get: (debitNoteId: string, options?: RequestOptions): Promise<api.DebitNotesGetResponse> =>
        call("GET", at`/debit-notes/${debitNoteId}`, { options }),
      /** Cancel a debit note on which nothing is paid. Needs the scope `invoices.cancel`. */
      cancel: (debitNoteId: string, options?: RequestOptions): Promise<api.DebitNotesCancelResponse> =>
        call("POST", at`/debit-notes/${debitNoteId}/cancel`, { options }),
    },
    receipts: {
      /** List receipts, the newest first. Needs the scope `invoices.view`. */
      list: (query: Query<api.ReceiptsListData> = {}, options?: RequestOptions): Promise<api.ReceiptsListResponse> =>
        call("GET", "/receipts", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.ReceiptsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.ReceiptsListResponse["receipts"][number]> =>
        everyRecord("receipts", (after) => call<api.ReceiptsListResponse>("GET", "/receipts", { query: { ...query, after }, options })),
      /** Record money of a customer. Needs the scope `invoices.settle`. */
      create: (body: Body<api.ReceiptsCreateData>, options?: RequestOptions): Promise<api.ReceiptsCreateResponse> =>
        call("POST", "/receipts", { body, options }),
      /** Read a receipt with its allocations. Needs the scope `invoices.view`. */
      get: (receiptId: string, options?: RequestOptions): Promise<api.ReceiptsGetResponse> =>
        call("GET", at`/receipts/${receiptId}`, { options }),
      vouchers: {
        /** Download a voucher of an advance as a PDF. Needs the scope `invoices.view`. */
        pdf: (receiptId: string, voucherId: string, options?: RequestOptions): Promise<File> =>
          call("GET", at`/receipts/${receiptId}/vouchers/${voucherId}/pdf`, { answersFile: true, options }),
      },
      /** Use what is left of a receipt for further invoices. Needs the scope `invoices.settle`. */
      allocate: (receiptId: string, body: Body<api.ReceiptsAllocateData> = {}, options?: RequestOptions): Promise<api.ReceiptsAllocateResponse> =>
        call("POST", at`/receipts/${receiptId}/allocate`, { body, options }),
      /** Record that money of a receipt was given back. Needs the scope `invoices.settle`. */
      refund: (receiptId: string, body: Body<api.ReceiptsRefundData>, options?: RequestOptions): Promise<api.ReceiptsRefundResponse> =>
        call("POST", at`/receipts/${receiptId}/refund`, { body, options }),
      /** Reverse a receipt with its allocations. Needs the scope `invoices.settle`. */
      reverse: (receiptId: string, body: Body<api.ReceiptsReverseData>, options?: RequestOptions): Promise<api.ReceiptsReverseResponse> =>
        call("POST", at`/receipts/${receiptId}/reverse`, { body, options }),
      /** Record many receipts, each by itself and once. Needs the scope `invoices.settle`. */
      batch: (body: Body<api.ReceiptsBatchData>, options?: RequestOptions): Promise<api.ReceiptsBatchResponse> =>
        call("POST", "/receipts/batch", { body, options }),
    },
    receiptFiles: {
      /** Download a sample file of receipts. Needs the scope `invoices.settle`. */
      sample: (options?: RequestOptions): Promise<File> =>
        call("GET", "/receipt-files/sample", { answersFile: true, options }),
      /** Check a file of receipts. Needs the scope `invoices.settle`. */
      preview: (file: File, query: Query<api.ReceiptFilesPreviewData> = {}, options?: RequestOptions): Promise<api.ReceiptFilesPreviewResponse> =>
        call("POST", "/receipt-files/preview", { file, query, options }),
    },
    tdsClaims: {
      /** List TDS that customers deducted, by customer. Needs the scope `invoices.view`. */
      list: (query: Query<api.TdsClaimsListData> = {}, options?: RequestOptions): Promise<api.TdsClaimsListResponse> =>
        call("GET", "/tds-claims", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.TdsClaimsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.TdsClaimsListResponse["tds_claims"][number]> =>
        everyRecord("tds_claims", (after) => call<api.TdsClaimsListResponse>("GET", "/tds-claims", { query: { ...query, after }, options })),
      /** List TDS that customers deducted, by customer, as CSV. Needs the scope `invoices.view`. */
      csv: (query: Query<api.TdsClaimsCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/tds-claims.csv", { query, answersFile: true, options }),
      /** Enter the certificate of a TDS claim. Needs the scope `invoices.settle`. */
      certificate: (claimId: string, body: Body<api.TdsClaimsCertificateData> = {}, options?: RequestOptions): Promise<api.TdsClaimsCertificateResponse> =>
        call("POST", at`/tds-claims/${claimId}/certificate`, { body, options }),
      /** Put TDS that the customer did not deposit back to due. Needs the scope `invoices.settle`. */
      putBack: (claimId: string, body: Body<api.TdsClaimsPutBackData>, options?: RequestOptions): Promise<api.TdsClaimsPutBackResponse> =>
        call("POST", at`/tds-claims/${claimId}/put-back`, { body, options }),
    },
    subscriptions: {
      history: {
        /** List the changes of a subscription. Needs the scope `subscriptions.view`. */
        list: (subscriptionId: string, query: Query<api.SubscriptionsHistoryListData> = {}, options?: RequestOptions): Promise<api.SubscriptionsHistoryListResponse> =>
          call("GET", at`/subscriptions/${subscriptionId}/history`, { query, options }),
        /** The same, record by record, page after page. */
        all: (subscriptionId: string, query: Omit<Query<api.SubscriptionsHistoryListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.SubscriptionsHistoryListResponse["history"][number]> =>
          everyRecord("history", (after) => call<api.SubscriptionsHistoryListResponse>("GET", at`/subscriptions/${subscriptionId}/history`, { query: { ...query, after }, options })),
      },
      /** List subscriptions. Needs the scope `subscriptions.view`. */
      list: (query: Query<api.SubscriptionsListData> = {}, options?: RequestOptions): Promise<api.SubscriptionsListResponse> =>
        call("GET", "/subscriptions", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.SubscriptionsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.SubscriptionsListResponse["subscriptions"][number]> =>
        everyRecord("subscriptions", (after) => call<api.SubscriptionsListResponse>("GET", "/subscriptions", { query: { ...query, after }, options })),
      /** Save a subscription. Needs the scope `subscriptions.manage`. */
      create: (body: Body<api.SubscriptionsCreateData>, options?: RequestOptions): Promise<api.SubscriptionsCreateResponse> =>
        call("POST", "/subscriptions", { body, options }),
      /** List subscriptions, as CSV. Needs the scope `subscriptions.view`. */
      csv: (query: Query<api.SubscriptionsCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/subscriptions.csv", { query, answersFile: true, options }),
      /** List templates, franchises and columns to choose from. Needs the scope `subscriptions.manage`. */
      form: (options?: RequestOptions): Promise<api.SubscriptionsFormResponse> =>
        call("GET", "/subscriptions/form", { options }),
      /** Work out the kind of GST. Needs the scope `subscriptions.manage`. */
      supply: (query: Query<api.SubscriptionsSupplyData> = {}, options?: RequestOptions): Promise<api.SubscriptionsSupplyResponse> =>
        call("GET", "/subscriptions/supply", { query, options }),
      /** Work out an invoice without saving it. Needs the scope `subscriptions.manage`. */
      preview: (body: Body<api.SubscriptionsPreviewData>, options?: RequestOptions): Promise<api.SubscriptionsPreviewResponse> =>
        call("POST", "/subscriptions/preview", { body, options }),
      /** Work out the dates of a subscription. Needs the scope `subscriptions.manage`. */
      dates: (body: Body<api.SubscriptionsDatesData>, options?: RequestOptions): Promise<api.SubscriptionsDatesResponse> =>
        call("POST", "/subscriptions/dates", { body, options }),
      /** Read a subscription. Needs the scope `subscriptions.view`. */
      get: (subscriptionId: string, options?: RequestOptions): Promise<api.SubscriptionsGetResponse> =>
        call("GET", at`/subscriptions/${subscriptionId}`, { options }),
      occurrences: {
        /** List the occurrences of a subscription. Needs the scope `subscriptions.view`. */
        list: (subscriptionId: string, query: Query<api.SubscriptionsOccurrencesListData> = {}, options?: RequestOptions): Promise<api.SubscriptionsOccurrencesListResponse> =>
          call("GET", at`/subscriptions/${subscriptionId}/occurrences`, { query, options }),
        /** The same, record by record, page after page. */
        all: (subscriptionId: string, query: Omit<Query<api.SubscriptionsOccurrencesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.SubscriptionsOccurrencesListResponse["occurrences"][number]> =>
          everyRecord("occurrences", (after) => call<api.SubscriptionsOccurrencesListResponse>("GET", at`/subscriptions/${subscriptionId}/occurrences`, { query: { ...query, after }, options })),
      },
      /** Pause a subscription. Needs the scope `subscriptions.manage`. */
      pause: (subscriptionId: string, options?: RequestOptions): Promise<api.SubscriptionsPauseResponse> =>
        call("POST", at`/subscriptions/${subscriptionId}/pause`, { options }),
      /** Cancel a subscription. Needs the scope `subscriptions.manage`. */
      cancel: (subscriptionId: string, options?: RequestOptions): Promise<api.SubscriptionsCancelResponse> =>
        call("POST", at`/subscriptions/${subscriptionId}/cancel`, { options }),
      /** Resume a subscription. Needs the scope `subscriptions.manage`. */
      resume: (subscriptionId: string, body: Body<api.SubscriptionsResumeData> = {}, options?: RequestOptions): Promise<api.SubscriptionsResumeResponse> =>
        call("POST", at`/subscriptions/${subscriptionId}/resume`, { body, options }),
    },
    customerGroups: {
      /** List customer groups. Needs the scope `customers.view`. */
      list: (options?: RequestOptions): Promise<api.CustomerGroupsListResponse> =>
        call("GET", "/customer-groups", { options }),
      /** Create a customer group. Needs the scope `customers.manage`. */
      create: (body: Body<api.CustomerGroupsCreateData>, options?: RequestOptions): Promise<api.CustomerGroupsCreateResponse> =>
        call("POST", "/customer-groups", { body, options }),
      /** Rename a customer group. Needs the scope `customers.manage`. */
      update: (groupId: string, body: Body<api.CustomerGroupsUpdateData>, options?: RequestOptions): Promise<api.CustomerGroupsUpdateResponse> =>
        call("PUT", at`/customer-groups/${groupId}`, { body, options }),
    },
    customerColumns: {
      /** List the custom columns of customers. Needs the scope `customers.view`. */
      list: (options?: RequestOptions): Promise<api.CustomerColumnsListResponse> =>
        call("GET", "/customer-columns", { options }),
      /** Create a custom column of customers. Needs the scope `customers.manage`. */
      create: (body: Body<api.CustomerColumnsCreateData>, options?: RequestOptions): Promise<api.CustomerColumnsCreateResponse> =>
        call("POST", "/customer-columns", { body, options }),
    },
    customerFiles: {
      /** Download a sample file of customers. Needs the scope `customers.manage`. */
      sample: (options?: RequestOptions): Promise<File> =>
        call("GET", "/customer-files/sample", { answersFile: true, options }),
      /** Check a file of customers. Needs the scope `customers.manage`. */
      preview: (file: File, query: Query<api.CustomerFilesPreviewData> = {}, options?: RequestOptions): Promise<api.CustomerFilesPreviewResponse> =>
        call("POST", "/customer-files/preview", { file, query, options }),
    },
    items: {
      /** List items. Needs the scope `items.view`. */
      list: (query: Query<api.ItemsListData> = {}, options?: RequestOptions): Promise<api.ItemsListResponse> =>
        call("GET", "/items", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.ItemsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.ItemsListResponse["items"][number]> =>
        everyRecord("items", (after) => call<api.ItemsListResponse>("GET", "/items", { query: { ...query, after }, options })),
      /** Create an item. Needs the scope `items.manage`. */
      create: (body: Body<api.ItemsCreateData>, options?: RequestOptions): Promise<api.ItemsCreateResponse> =>
        call("POST", "/items", { body, options }),
      /** List items, as CSV. Needs the scope `items.view`. */
      csv: (query: Query<api.ItemsCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/items.csv", { query, answersFile: true, options }),
      /** Read an item. Needs the scope `items.view`. */
      get: (itemId: string, options?: RequestOptions): Promise<api.ItemsGetResponse> =>
        call("GET", at`/items/${itemId}`, { options }),
      /** Change an item. Needs the scope `items.manage`. */
      update: (itemId: string, body: Body<api.ItemsUpdateData> = {}, options?: RequestOptions): Promise<api.ItemsUpdateResponse> =>
        call("PUT", at`/items/${itemId}`, { body, options }),
      /** Archive an item. Needs the scope `items.manage`. */
      archive: (itemId: string, options?: RequestOptions): Promise<api.ItemsArchiveResponse> =>
        call("POST", at`/items/${itemId}/archive`, { options }),
      /** Restore an archived item. Needs the scope `items.manage`. */
      restore: (itemId: string, options?: RequestOptions): Promise<api.ItemsRestoreResponse> =>
        call("POST", at`/items/${itemId}/restore`, { options }),
      /** Save many items by their codes, all or none. Needs the scope `items.manage`. */
      batch: (body: Body<api.ItemsBatchData>, options?: RequestOptions): Promise<api.ItemsBatchResponse> =>
        call("POST", "/items/batch", { body, options }),
    },
    itemFiles: {
      /** Download a sample file of items. Needs the scope `items.manage`. */
      sample: (options?: RequestOptions): Promise<File> =>
        call("GET", "/item-files/sample", { answersFile: true, options }),
      /** Check a file of items. Needs the scope `items.manage`. */
      preview: (file: File, options?: RequestOptions): Promise<api.ItemFilesPreviewResponse> =>
        call("POST", "/item-files/preview", { file, options }),
    },
    audit: {
      /** List entries of the audit log, newest first. Needs the scope `audit.view`. */
      list: (query: Query<api.AuditListData> = {}, options?: RequestOptions): Promise<api.AuditListResponse> =>
        call("GET", "/audit", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.AuditListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.AuditListResponse["entries"][number]> =>
        everyRecord("entries", (after) => call<api.AuditListResponse>("GET", "/audit", { query: { ...query, after }, options })),
      /** List entries of the audit log, newest first, as CSV. Needs the scope `audit.view`. */
      csv: (query: Query<api.AuditCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/audit.csv", { query, answersFile: true, options }),
      /** List who appears in the audit log. Needs the scope `audit.view`. */
      actors: (options?: RequestOptions): Promise<api.AuditActorsResponse> =>
        call("GET", "/audit/actors", { options }),
    },
    operatorView: {
      /** Read a merchant as its operator sees it. Needs the scope `merchants.view`. */
      get: (options?: RequestOptions): Promise<api.OperatorViewGetResponse> =>
        call("GET", "/operator-view", { options }),
      /** Suspend or resume a merchant, or change its rate limit. Needs the scope `merchants.manage`. */
      update: (body: Body<api.OperatorViewUpdateData> = {}, options?: RequestOptions): Promise<api.OperatorViewUpdateResponse> =>
        call("PUT", "/operator-view", { body, options }),
    },
    fundings: {
      /** Credit the merchant with a deposit. Needs the scope `merchants.fund`. */
      create: (body: Body<api.FundingsCreateData>, options?: RequestOptions): Promise<api.FundingsCreateResponse> =>
        call("POST", "/fundings", { body, options }),
    },
    kyc: {
      /** Read a merchant's KYC. Needs the scope `profile.view`. */
      get: (options?: RequestOptions): Promise<api.KycGetResponse> =>
        call("GET", "/kyc", { options }),
      /** Change a merchant's KYC. Needs the scope `merchants.kyc`. */
      update: (body: Body<api.KycUpdateData>, options?: RequestOptions): Promise<api.KycUpdateResponse> =>
        call("PUT", "/kyc", { body, options }),
    },
    usage: {
      /** Count what a merchant used in a period. Needs the scope `merchants.view`. */
      get: (query: Query<api.UsageGetData>, options?: RequestOptions): Promise<api.UsageGetResponse> =>
        call("GET", "/usage", { query, options }),
    },
    installation: {
      usage: {
        /** Count what each merchant used in a period. Needs the scope `merchants.view`. */
        list: (query: Query<api.InstallationUsageListData>, options?: RequestOptions): Promise<api.InstallationUsageListResponse> =>
          call("GET", "/installation/usage", { query, options }),
        /** The same, record by record, page after page. */
        all: (query: Omit<Query<api.InstallationUsageListData>, "after">, options?: ListOptions): AsyncGenerator<api.InstallationUsageListResponse["merchants"][number]> =>
          everyRecord("merchants", (after) => call<api.InstallationUsageListResponse>("GET", "/installation/usage", { query: { ...query, after }, options })),
      },
      events: {
        /** List events (of the installation). Needs the scope `installation.webhooks`. */
        list: (query: Query<api.InstallationEventsListData> = {}, options?: RequestOptions): Promise<api.InstallationEventsListResponse> =>
          call("GET", "/installation/events", { query, options }),
        /** The same, record by record, page after page. */
        all: (query: Omit<Query<api.InstallationEventsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.InstallationEventsListResponse["events"][number]> =>
          everyRecord("events", (after) => call<api.InstallationEventsListResponse>("GET", "/installation/events", { query: { ...query, after }, options })),
        /** Read an event (of the installation). Needs the scope `installation.webhooks`. */
        get: (eventId: string, options?: RequestOptions): Promise<api.InstallationEventsGetResponse> =>
          call("GET", at`/installation/events/${eventId}`, { options }),
      },
      webhooks: {
        /** List webhook endpoints (of the installation). Needs the scope `installation.webhooks`. */
        list: (options?: RequestOptions): Promise<api.InstallationWebhooksListResponse> =>
          call("GET", "/installation/webhooks", { options }),
        /** Create a webhook endpoint; the secret is shown once (of the installation). Needs the scope `installation.webhooks`. */
        create: (body: Body<api.InstallationWebhooksCreateData>, options?: RequestOptions): Promise<api.InstallationWebhooksCreateResponse> =>
          call("POST", "/installation/webhooks", { body, options }),
        /** Read a webhook endpoint (of the installation). Needs the scope `installation.webhooks`. */
        get: (endpointId: string, options?: RequestOptions): Promise<api.InstallationWebhooksGetResponse> =>
          call("GET", at`/installation/webhooks/${endpointId}`, { options }),
        /** Change a webhook endpoint (of the installation). Needs the scope `installation.webhooks`. */
        update: (endpointId: string, body: Body<api.InstallationWebhooksUpdateData> = {}, options?: RequestOptions): Promise<api.InstallationWebhooksUpdateResponse> =>
          call("PUT", at`/installation/webhooks/${endpointId}`, { body, options }),
        attempts: {
          /** List attempts to deliver to a webhook endpoint (of the installation). Needs the scope `installation.webhooks`. */
          list: (endpointId: string, query: Query<api.InstallationWebhooksAttemptsListData> = {}, options?: RequestOptions): Promise<api.InstallationWebhooksAttemptsListResponse> =>
            call("GET", at`/installation/webhooks/${endpointId}/attempts`, { query, options }),
          /** The same, record by record, page after page. */
          all: (endpointId: string, query: Omit<Query<api.InstallationWebhooksAttemptsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.InstallationWebhooksAttemptsListResponse["attempts"][number]> =>
            everyRecord("attempts", (after) => call<api.InstallationWebhooksAttemptsListResponse>("GET", at`/installation/webhooks/${endpointId}/attempts`, { query: { ...query, after }, options })),
        },
        deliveries: {
          /** List events that a webhook endpoint still gets, or that were abandoned (of the installation). Needs the scope `installation.webhooks`. */
          list: (endpointId: string, query: Query<api.InstallationWebhooksDeliveriesListData> = {}, options?: RequestOptions): Promise<api.InstallationWebhooksDeliveriesListResponse> =>
            call("GET", at`/installation/webhooks/${endpointId}/deliveries`, { query, options }),
          /** The same, record by record, page after page. */
          all: (endpointId: string, query: Omit<Query<api.InstallationWebhooksDeliveriesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.InstallationWebhooksDeliveriesListResponse["deliveries"][number]> =>
            everyRecord("deliveries", (after) => call<api.InstallationWebhooksDeliveriesListResponse>("GET", at`/installation/webhooks/${endpointId}/deliveries`, { query: { ...query, after }, options })),
        },
        /** Send a test event (of the installation). Needs the scope `installation.webhooks`. */
        test: (endpointId: string, options?: RequestOptions): Promise<api.InstallationWebhooksTestResponse> =>
          call("POST", at`/installation/webhooks/${endpointId}/test`, { options }),
        /** Replace the secret of a webhook endpoint (of the installation). Needs the scope `installation.webhooks`. */
        rotateSecret: (endpointId: string, options?: RequestOptions): Promise<api.InstallationWebhooksRotateSecretResponse> =>
          call("POST", at`/installation/webhooks/${endpointId}/rotate-secret`, { options }),
        /** Deliver events again (of the installation). Needs the scope `installation.webhooks`. */
        redeliver: (endpointId: string, body: Body<api.InstallationWebhooksRedeliverData> = {}, options?: RequestOptions): Promise<api.InstallationWebhooksRedeliverResponse> =>
          call("POST", at`/installation/webhooks/${endpointId}/redeliver`, { body, options }),
        /** Disable a webhook endpoint (of the installation). Needs the scope `installation.webhooks`. */
        disable: (endpointId: string, options?: RequestOptions): Promise<api.InstallationWebhooksDisableResponse> =>
          call("POST", at`/installation/webhooks/${endpointId}/disable`, { options }),
        /** Enable a webhook endpoint (of the installation). Needs the scope `installation.webhooks`. */
        enable: (endpointId: string, body: Body<api.InstallationWebhooksEnableData> = {}, options?: RequestOptions): Promise<api.InstallationWebhooksEnableResponse> =>
          call("POST", at`/installation/webhooks/${endpointId}/enable`, { body, options }),
      },
    },
    clock: {
      /** Move the clock of a sandbox forward. Needs the scope `merchants.clock`. */
      advance: (body: Body<api.ClockAdvanceData>, options?: RequestOptions): Promise<api.ClockAdvanceResponse> =>
        call("POST", "/clock/advance", { body, options }),
      /** Set the clock of a sandbox back to real time. Needs the scope `merchants.clock`. */
      reset: (options?: RequestOptions): Promise<api.ClockResetResponse> =>
        call("POST", "/clock/reset", { options }),
    },
    jobs: {
      /** Read the state of the background jobs. Needs the scope `jobs.view`. */
      list: (options?: RequestOptions): Promise<api.JobsListResponse> =>
        call("GET", "/jobs", { options }),
    },
    ledgerCheck: {
      /** Read the last check of the ledger. Needs the scope `jobs.view`. */
      get: (options?: RequestOptions): Promise<api.LedgerCheckGetResponse> =>
        call("GET", "/ledger-check", { options }),
      /** Start a check of the ledger. Needs the scope `jobs.view`. */
      start: (options?: RequestOptions): Promise<api.LedgerCheckStartResponse> =>
        call("POST", "/ledger-check", { options }),
    },
    goLive: {
      /** Read what going live still needs. Needs the scope `users.manage`. */
      get: (options?: RequestOptions): Promise<api.GoLiveGetResponse> =>
        call("GET", "/go-live", { options }),
      /** Open the live merchant of a sandbox. Needs the scope `users.manage`. */
      start: (body: Body<api.GoLiveStartData> = {}, options?: RequestOptions): Promise<api.GoLiveStartResponse> =>
        call("POST", "/go-live", { body, options }),
    },
    payoutAccounts: {
      /** List payout accounts. Needs the scope `profile.manage`. */
      list: (options?: RequestOptions): Promise<api.PayoutAccountsListResponse> =>
        call("GET", "/payout-accounts", { options }),
      /** Connect an account at a payout provider. For people in the dashboard: no access key can call it. */
      create: (body: Body<api.PayoutAccountsCreateData>, options?: RequestOptions): Promise<api.PayoutAccountsCreateResponse> =>
        call("POST", "/payout-accounts", { body, options }),
      /** Test the credentials of a payout account. Needs the scope `profile.manage`. */
      test: (accountId: string, options?: RequestOptions): Promise<api.PayoutAccountsTestResponse> =>
        call("POST", at`/payout-accounts/${accountId}/test`, { options }),
      /** Change what a payout account is used for. For people in the dashboard: no access key can call it. */
      updateModes: (accountId: string, body: Body<api.PayoutAccountsUpdateModesData>, options?: RequestOptions): Promise<api.PayoutAccountsUpdateModesResponse> =>
        call("PUT", at`/payout-accounts/${accountId}/modes`, { body, options }),
      /** Replace the credentials of a payout account. For people in the dashboard: no access key can call it. */
      updateCredentials: (accountId: string, body: Body<api.PayoutAccountsUpdateCredentialsData>, options?: RequestOptions): Promise<api.PayoutAccountsUpdateCredentialsResponse> =>
        call("PUT", at`/payout-accounts/${accountId}/credentials`, { body, options }),
      /** Disconnect a payout account. For people in the dashboard: no access key can call it. */
      disconnect: (accountId: string, body: Body<api.PayoutAccountsDisconnectData> = {}, options?: RequestOptions): Promise<api.PayoutAccountsDisconnectResponse> =>
        call("POST", at`/payout-accounts/${accountId}/disconnect`, { body, options }),
      /** Choose what happens to payouts while a provider is down. For people in the dashboard: no access key can call it. */
      updateWhenDown: (body: Body<api.PayoutAccountsUpdateWhenDownData>, options?: RequestOptions): Promise<api.PayoutAccountsUpdateWhenDownResponse> =>
        call("PUT", "/payout-accounts/when-down", { body, options }),
      /** Change the options of a payout account. For people in the dashboard: no access key can call it. */
      updateOptions: (accountId: string, body: Body<api.PayoutAccountsUpdateOptionsData> = {}, options?: RequestOptions): Promise<api.PayoutAccountsUpdateOptionsResponse> =>
        call("PUT", at`/payout-accounts/${accountId}/options`, { body, options }),
    },
    profile: {
      /** Read the merchant's profile. Needs the scope `profile.view`. */
      get: (options?: RequestOptions): Promise<api.ProfileGetResponse> =>
        call("GET", "/profile", { options }),
      /** Change the merchant's profile. Needs the scope `profile.manage`. */
      update: (body: Body<api.ProfileUpdateData> = {}, options?: RequestOptions): Promise<api.ProfileUpdateResponse> =>
        call("PUT", "/profile", { body, options }),
      /** Change the merchant's bank account. Needs the scope `profile.manage`. */
      updateBankAccount: (body: Body<api.ProfileUpdateBankAccountData>, options?: RequestOptions): Promise<api.ProfileUpdateBankAccountResponse> =>
        call("PUT", "/bank-account", { body, options }),
    },
    accessKeys: {
      /** List access keys. Needs the scope `keys.manage`. */
      list: (options?: RequestOptions): Promise<api.AccessKeysListResponse> =>
        call("GET", "/access-keys", { options }),
      /** Create an access key; the secret is shown once. Needs the scope `keys.manage`. */
      create: (body: Body<api.AccessKeysCreateData> = {}, options?: RequestOptions): Promise<api.AccessKeysCreateResponse> =>
        call("POST", "/access-keys", { body, options }),
      /** Revoke an access key. Needs the scope `keys.manage`. */
      delete: (accessKeyId: string, options?: RequestOptions): Promise<api.AccessKeysDeleteResponse> =>
        call("DELETE", at`/access-keys/${accessKeyId}`, { options }),
    },
    events: {
      /** List events. Needs the scope `webhooks.manage`. */
      list: (query: Query<api.EventsListData> = {}, options?: RequestOptions): Promise<api.EventsListResponse> =>
        call("GET", "/events", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.EventsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.EventsListResponse["events"][number]> =>
        everyRecord("events", (after) => call<api.EventsListResponse>("GET", "/events", { query: { ...query, after }, options })),
      /** Read an event. Needs the scope `webhooks.manage`. */
      get: (eventId: string, options?: RequestOptions): Promise<api.EventsGetResponse> =>
        call("GET", at`/events/${eventId}`, { options }),
    },
    webhooks: {
      /** List webhook endpoints. Needs the scope `webhooks.manage`. */
      list: (options?: RequestOptions): Promise<api.WebhooksListResponse> =>
        call("GET", "/webhooks", { options }),
      /** Create a webhook endpoint; the secret is shown once. Needs the scope `webhooks.manage`. */
      create: (body: Body<api.WebhooksCreateData>, options?: RequestOptions): Promise<api.WebhooksCreateResponse> =>
        call("POST", "/webhooks", { body, options }),
      /** Read a webhook endpoint. Needs the scope `webhooks.manage`. */
      get: (endpointId: string, options?: RequestOptions): Promise<api.WebhooksGetResponse> =>
        call("GET", at`/webhooks/${endpointId}`, { options }),
      /** Change a webhook endpoint. Needs the scope `webhooks.manage`. */
      update: (endpointId: string, body: Body<api.WebhooksUpdateData> = {}, options?: RequestOptions): Promise<api.WebhooksUpdateResponse> =>
        call("PUT", at`/webhooks/${endpointId}`, { body, options }),
      attempts: {
        /** List attempts to deliver to a webhook endpoint. Needs the scope `webhooks.manage`. */
        list: (endpointId: string, query: Query<api.WebhooksAttemptsListData> = {}, options?: RequestOptions): Promise<api.WebhooksAttemptsListResponse> =>
          call("GET", at`/webhooks/${endpointId}/attempts`, { query, options }),
        /** The same, record by record, page after page. */
        all: (endpointId: string, query: Omit<Query<api.WebhooksAttemptsListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.WebhooksAttemptsListResponse["attempts"][number]> =>
          everyRecord("attempts", (after) => call<api.WebhooksAttemptsListResponse>("GET", at`/webhooks/${endpointId}/attempts`, { query: { ...query, after }, options })),
      },
      deliveries: {
        /** List events that a webhook endpoint still gets, or that were abandoned. Needs the scope `webhooks.manage`. */
        list: (endpointId: string, query: Query<api.WebhooksDeliveriesListData> = {}, options?: RequestOptions): Promise<api.WebhooksDeliveriesListResponse> =>
          call("GET", at`/webhooks/${endpointId}/deliveries`, { query, options }),
        /** The same, record by record, page after page. */
        all: (endpointId: string, query: Omit<Query<api.WebhooksDeliveriesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.WebhooksDeliveriesListResponse["deliveries"][number]> =>
          everyRecord("deliveries", (after) => call<api.WebhooksDeliveriesListResponse>("GET", at`/webhooks/${endpointId}/deliveries`, { query: { ...query, after }, options })),
      },
      /** Send a test event. Needs the scope `webhooks.manage`. */
      test: (endpointId: string, options?: RequestOptions): Promise<api.WebhooksTestResponse> =>
        call("POST", at`/webhooks/${endpointId}/test`, { options }),
      /** Replace the secret of a webhook endpoint. Needs the scope `webhooks.manage`. */
      rotateSecret: (endpointId: string, options?: RequestOptions): Promise<api.WebhooksRotateSecretResponse> =>
        call("POST", at`/webhooks/${endpointId}/rotate-secret`, { options }),
      /** Deliver events again. Needs the scope `webhooks.manage`. */
      redeliver: (endpointId: string, body: Body<api.WebhooksRedeliverData> = {}, options?: RequestOptions): Promise<api.WebhooksRedeliverResponse> =>
        call("POST", at`/webhooks/${endpointId}/redeliver`, { body, options }),
      /** Disable a webhook endpoint. Needs the scope `webhooks.manage`. */
      disable: (endpointId: string, options?: RequestOptions): Promise<api.WebhooksDisableResponse> =>
        call("POST", at`/webhooks/${endpointId}/disable`, { options }),
      /** Enable a webhook endpoint. Needs the scope `webhooks.manage`. */
      enable: (endpointId: string, body: Body<api.WebhooksEnableData> = {}, options?: RequestOptions): Promise<api.WebhooksEnableResponse> =>
        call("POST", at`/webhooks/${endpointId}/enable`, { body, options }),
    },
    notificationSettings: {
      /** Read the notification settings. Needs the scope `notifications.view`. */
      get: (options?: RequestOptions): Promise<api.NotificationSettingsGetResponse> =>
        call("GET", "/notification-settings", { options }),
      /** Change the notification settings. Needs the scope `notifications.manage`. */
      update: (body: Body<api.NotificationSettingsUpdateData>, options?: RequestOptions): Promise<api.NotificationSettingsUpdateResponse> =>
        call("PUT", "/notification-settings", { body, options }),
    },
    messages: {
      /** List messages to customers. Needs the scope `notifications.view`. */
      list: (query: Query<api.MessagesListData> = {}, options?: RequestOptions): Promise<api.MessagesListResponse> =>
        call("GET", "/messages", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.MessagesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.MessagesListResponse["messages"][number]> =>
        everyRecord("messages", (after) => call<api.MessagesListResponse>("GET", "/messages", { query: { ...query, after }, options })),
      /** Read a message to a customer. Needs the scope `notifications.view`. */
      get: (messageId: string, options?: RequestOptions): Promise<api.MessagesGetResponse> =>
        call("GET", at`/messages/${messageId}`, { options }),
      /** Send a failed message again. Needs the scope `notifications.manage`. */
      retry: (messageId: string, options?: RequestOptions): Promise<api.MessagesRetryResponse> =>
        call("POST", at`/messages/${messageId}/retry`, { options }),
      /** Allow messages to an address that bounced. Needs the scope `notifications.manage`. */
      revive: (body: Body<api.MessagesReviveData>, options?: RequestOptions): Promise<api.MessagesReviveResponse> =>
        call("POST", "/messages/revive", { body, options }),
    },
    franchises: {
      /** List franchises. Needs the scope `franchises.view`. */
      list: (query: Query<api.FranchisesListData> = {}, options?: RequestOptions): Promise<api.FranchisesListResponse> =>
        call("GET", "/franchises", { query, options }),
      /** The same, record by record, page after page. */
      all: (query: Omit<Query<api.FranchisesListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.FranchisesListResponse["franchises"][number]> =>
        everyRecord("franchises", (after) => call<api.FranchisesListResponse>("GET", "/franchises", { query: { ...query, after }, options })),
      /** Save a franchise. Needs the scope `franchises.manage`. */
      create: (body: Body<api.FranchisesCreateData>, options?: RequestOptions): Promise<api.FranchisesCreateResponse> =>
        call("POST", "/franchises", { body, options }),
      /** List franchises, as CSV. Needs the scope `franchises.view`. */
      csv: (query: Query<api.FranchisesCsvData> = {}, options?: RequestOptions): Promise<File> =>
        call("GET", "/franchises.csv", { query, answersFile: true, options }),
      /** Read a franchise with its terms, login and payments. Needs the scope `franchises.view`. */
      get: (franchiseId: string, options?: RequestOptions): Promise<api.FranchisesGetResponse> =>
        call("GET", at`/franchises/${franchiseId}`, { options }),
      /** Change a franchise's contact details. Needs the scope `franchises.manage`. */
      update: (franchiseId: string, body: Body<api.FranchisesUpdateData> = {}, options?: RequestOptions): Promise<api.FranchisesUpdateResponse> =>
        call("PUT", at`/franchises/${franchiseId}`, { body, options }),
      /** Delete a franchise. Needs the scope `franchises.manage`. */
      delete: (franchiseId: string, options?: RequestOptions): Promise<api.FranchisesDeleteResponse> =>
        call("DELETE", at`/franchises/${franchiseId}`, { options }),
      commission: {
        /** List the commission of a franchise. Needs the scope `franchises.view`. */
        list: (franchiseId: string, query: Query<api.FranchisesCommissionListData> = {}, options?: RequestOptions): Promise<api.FranchisesCommissionListResponse> =>
          call("GET", at`/franchises/${franchiseId}/commission`, { query, options }),
        /** The same, record by record, page after page. */
        all: (franchiseId: string, query: Omit<Query<api.FranchisesCommissionListData>, "after"> = {}, options?: ListOptions): AsyncGenerator<api.FranchisesCommissionListResponse["commission"][number]> =>
          everyRecord("commission", (after) => call<api.FranchisesCommissionListResponse>("GET", at`/franchises/${franchiseId}/commission`, { query: { ...query, after }, options })),
      },
      /** Pay out the commission that is due. Needs the scope `franchises.settle`. */
      settle: (franchiseId: string, body: Body<api.FranchisesSettleData>, options?: RequestOptions): Promise<api.FranchisesSettleResponse> =>
        call("POST", at`/franchises/${franchiseId}/settle`, { body, options }),
      statement: {
        /** Read a franchise's statement of commission. Needs the scope `franchises.view`. */
        get: (franchiseId: string, query: Query<api.FranchisesStatementGetData>, options?: RequestOptions): Promise<api.FranchisesStatementGetResponse> =>
          call("GET", at`/franchises/${franchiseId}/statement`, { query, options }),
        /** Read a franchise's statement of commission, as CSV. Needs the scope `franchises.view`. */
        csv: (franchiseId: string, query: Query<api.FranchisesStatementCsvData>, options?: RequestOptions): Promise<File> =>
          call("GET", at`/franchises/${franchiseId}/statement.csv`, { query, answersFile: true, options }),
        /** Download a franchise's statement of commission as a PDF. Needs the scope `franchises.view`. */
        pdf: (franchiseId: string, query: Query<api.FranchisesStatementPdfData>, options?: RequestOptions): Promise<File> =>
          call("GET", at`/franchises/${franchiseId}/statement/pdf`, { query, answersFile: true, options }),
      },
      /** Change the commission terms of a franchise. Needs the scope `franchises.manage`. */
      updateTerms: (franchiseId: string, body: Body<api.FranchisesUpdateTermsData>, options?: RequestOptions): Promise<api.FranchisesUpdateTermsResponse> =>
        call("PUT", at`/franchises/${franchiseId}/terms`, { body, options }),
      /** Change the bank account that commission is paid to. Needs the scope `franchises.manage`. */
      updateAccount: (franchiseId: string, body: Body<api.FranchisesUpdateAccountData>, options?: RequestOptions): Promise<api.FranchisesUpdateAccountResponse> =>
        call("PUT", at`/franchises/${franchiseId}/account`, { body, options }),
      /** Give a franchise a login, or change it. Needs the scope `franchises.manage`. */
      updateLogin: (franchiseId: string, body: Body<api.FranchisesUpdateLoginData>, options?: RequestOptions): Promise<api.FranchisesUpdateLoginResponse> =>
        call("PUT", at`/franchises/${franchiseId}/login`, { body, options }),
      /** Remove a franchise's login. Needs the scope `franchises.manage`. */
      deleteLogin: (franchiseId: string, options?: RequestOptions): Promise<api.FranchisesDeleteLoginResponse> =>
        call("DELETE", at`/franchises/${franchiseId}/login`, { options }),
      payments: {
        /** Record a commission payment made elsewhere. Needs the scope `franchises.settle`. */
        create: (franchiseId: string, body: Body<api.FranchisesPaymentsCreateData>, options?: RequestOptions): Promise<api.FranchisesPaymentsCreateResponse> =>
          call("POST", at`/franchises/${franchiseId}/payments`, { body, options }),
        /** Reverse a recorded commission payment. Needs the scope `franchises.settle`. */
        reverse: (franchiseId: string, paymentId: string, body: Body<api.FranchisesPaymentsReverseData>, options?: RequestOptions): Promise<api.FranchisesPaymentsReverseResponse> =>
          call("POST", at`/franchises/${franchiseId}/payments/${paymentId}/reverse`, { body, options }),
      },
    },
    templates: {
      /** List invoice templates. Needs the scope `templates.view`. */
      list: (options?: RequestOptions): Promise<api.TemplatesListResponse> =>
        call("GET", "/templates", { options }),
      /** Create an invoice template. Needs the scope `templates.manage`. */
      create: (body: Body<api.TemplatesCreateData>, options?: RequestOptions): Promise<api.TemplatesCreateResponse> =>
        call("POST", "/templates", { body, options }),
      /** Read an invoice template. Needs the scope `templates.view`. */
      get: (templateId: string, options?: RequestOptions): Promise<api.TemplatesGetResponse> =>
        call("GET", at`/templates/${templateId}`, { options }),
      /** Change an invoice template. Needs the scope `templates.manage`. */
      update: (templateId: string, body: Body<api.TemplatesUpdateData> = {}, options?: RequestOptions): Promise<api.TemplatesUpdateResponse> =>
        call("PUT", at`/templates/${templateId}`, { body, options }),
      /** Show a template with a sample invoice, in HTML. Needs the scope `templates.manage`. */
      preview: (body: Body<api.TemplatesPreviewData> = {}, options?: RequestOptions): Promise<api.TemplatesPreviewResponse> =>
        call("POST", "/templates/preview", { body, options }),
      /** Use a template by default. Needs the scope `templates.manage`. */
      default: (templateId: string, options?: RequestOptions): Promise<api.TemplatesDefaultResponse> =>
        call("POST", at`/templates/${templateId}/default`, { options }),
    },
  };
}
