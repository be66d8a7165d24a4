// The API of the dashboard: /api/v4, and /api/session for routes that only people at a screen need. The routes call the
// same use cases as /api/v1 to v3.
import type { HttpServer } from "../platform/http/server.ts";
import { registerApprovalRoutes } from "./approval-routes.ts";
import { registerAuditRoutes, registerHistoryRoutes } from "./audit-routes.ts";
import { registerBeneficiaryFileRoutes, registerBeneficiaryRoutes } from "./beneficiary-routes.ts";
import { registerLookUpRoutes, registerPreviewRoutes } from "./preview-routes.ts";
import { registerBillingListRoutes } from "./billing-list-routes.ts";
import { registerBookRoutes } from "./book-routes.ts";
import { registerDayBookRoutes } from "./day-book-routes.ts";
import { registerReportRoutes } from "./report-routes.ts";
import { registerBulkRoutes } from "./bulk-routes.ts";
import { addConventions } from "./conventions.ts";
import { registerCreditNoteRoutes } from "./credit-note-routes.ts";
import {
  registerCustomerChoiceRoutes,
  registerCustomerFileRoutes,
  registerCustomerGroupRoutes,
} from "./customer-group-routes.ts";
import { registerCustomerRoutes } from "./customer-routes.ts";
import { registerCommissionPaymentRoutes, registerFranchiseChangeRoutes } from "./franchise-change-routes.ts";
import { registerEventRoutes } from "./event-routes.ts";
import { registerDraftRoutes } from "./draft-routes.ts";
import { registerEstimateRoutes } from "./estimate-routes.ts";
import { registerFranchiseDeskRoutes } from "./franchise-routes.ts";
import { registerFranchiseStatementRoutes } from "./franchise-statement-routes.ts";
import type { DashboardParts, DashboardScope } from "./guarded-routes.ts";
import { registerGoLiveRoutes } from "./go-live-routes.ts";
import { registerHomeRoutes, registerStartRoutes } from "./home-routes.ts";
import { registerInvoiceListRoutes } from "./invoice-list-routes.ts";
import { registerInvoiceRoutes } from "./invoice-routes.ts";
import { registerInvoiceUploadRoutes, registerManyInvoicesRoutes } from "./many-invoices-routes.ts";
import { registerItemRoutes } from "./item-routes.ts";
import { registerJobRoutes } from "./job-routes.ts";
import { registerKeyRoutes } from "./key-routes.ts";
import { registerKycRoutes } from "./kyc-routes.ts";
import type { LoginMailer } from "./login-mailer.ts";
import { registerMessageRoutes, registerNotificationSettingRoutes } from "./notification-routes.ts";
import { registerClockRoutes, registerMerchantRoutes, registerOperatorRoutes } from "./operator-routes.ts";
import { registerEmailRoutes, registerPasswordRoutes, registerSecondFactorRoutes } from "./password-routes.ts";
import { registerDebitNoteRoutes } from "./debit-note-routes.ts";
import { registerPagePreviewRoutes } from "./page-preview-routes.ts";
import { registerOpeningBalanceRoutes } from "./opening-balance-routes.ts";
import { registerPaymentRoutes } from "./payment-routes.ts";
import { registerTdsClaimRoutes } from "./tds-claim-routes.ts";
import { registerReceiptRoutes } from "./receipt-routes.ts";
import {
  registerPayoutAccountChangeRoutes,
  registerPayoutAccountOptionRoutes,
  registerPayoutAccountRoutes,
} from "./payout-account-routes.ts";
import { registerProfileRoutes } from "./profile-routes.ts";
import { registerReconciliationRoutes } from "./reconciliation-routes.ts";
import { registerSearchRoutes } from "./search-routes.ts";
import { registerSessionRoutes } from "./session-routes.ts";
import { registerStatementRoutes } from "./statement-routes.ts";
import { registerSubscriptionListRoutes } from "./subscription-list-routes.ts";
import {
  registerSubscriptionFormRoutes,
  registerSubscriptionReadRoutes,
  registerSubscriptionStateRoutes,
} from "./subscription-routes.ts";
import { registerTemplateRoutes } from "./template-routes.ts";
import { registerAttentionRoutes } from "./attention-routes.ts";
import { registerTransferRoutes } from "./transfer-routes.ts";
import { registerTransferAttachmentRoutes } from "./transfer-attachment-routes.ts";
import { registerTransferTagRoutes } from "./transfer-tag-routes.ts";
import { registerRoleRoutes, registerUserRoutes } from "./user-routes.ts";
import { registerUsageRoutes } from "./usage-routes.ts";
import { registerWebhookReadRoutes, registerWebhookRoutes, registerWebhookStateRoutes } from "./webhook-routes.ts";

export type DashboardOptions = DashboardParts & { readonly loginMailer: LoginMailer };

/** Adds every route of the dashboard's API. */
export async function registerDashboardRoutes(server: HttpServer, options: DashboardOptions): Promise<void> {
  await server.register((app: HttpServer, _options, done) => {
    app.decorateRequest("dashboard", null as never);
    addConventions(app);
    addAll({ app, parts: options }, options);
    done();
  });
}

/** Adds all routes and returns them: their type is the contract with the pages. */
function addAll(scope: DashboardScope, { loginMailer }: DashboardOptions) {
  return [
    ...registerSessionRoutes(scope),
    ...registerPasswordRoutes(scope, loginMailer),
    ...registerEmailRoutes(scope, loginMailer),
    ...registerSecondFactorRoutes(scope),
    ...registerUserRoutes(scope),
    ...registerRoleRoutes(scope),
    ...registerMerchantRoutes(scope),
    ...registerHomeRoutes(scope),
    ...registerStartRoutes(scope),
    ...registerSearchRoutes(scope),
    ...registerPreviewRoutes(scope),
    ...registerTransferRoutes(scope),
    ...addToTransfers(scope),
    ...registerAttentionRoutes(scope),
    ...registerBeneficiaryRoutes(scope),
    ...registerBeneficiaryFileRoutes(scope),
    ...registerBulkRoutes(scope),
    ...registerLookUpRoutes(scope),
    ...registerStatementRoutes(scope),
    ...registerReconciliationRoutes(scope),
    ...registerApprovalRoutes(scope),
    ...registerCustomerChoiceRoutes(scope),
    ...registerInvoiceListRoutes(scope),
    ...registerBillingListRoutes(scope),
    ...registerReportRoutes(scope),
    ...registerBookRoutes(scope),
    ...registerDayBookRoutes(scope),
    ...registerInvoiceRoutes(scope),
    ...registerDraftRoutes(scope),
    ...registerEstimateRoutes(scope),
    ...registerPagePreviewRoutes(scope),
    ...registerManyInvoicesRoutes(scope),
    ...registerInvoiceUploadRoutes(scope),
    ...addCollections(scope),
    ...registerHistoryRoutes(scope),
    ...registerCustomerRoutes(scope),
    ...registerCustomerGroupRoutes(scope),
    ...registerCustomerFileRoutes(scope),
    ...registerItemRoutes(scope),
    ...registerSubscriptionListRoutes(scope),
    ...registerSubscriptionFormRoutes(scope),
    ...registerSubscriptionReadRoutes(scope),
    ...registerSubscriptionStateRoutes(scope),
    ...registerAuditRoutes(scope),
    ...registerOperatorRoutes(scope),
    ...registerKycRoutes(scope),
    ...registerUsageRoutes(scope),
    ...registerClockRoutes(scope),
    ...registerJobRoutes(scope),
    ...registerGoLiveRoutes(scope),
    ...registerPayoutAccountRoutes(scope),
    ...registerPayoutAccountChangeRoutes(scope),
    ...registerPayoutAccountOptionRoutes(scope),
    ...registerProfileRoutes(scope),
    ...registerKeyRoutes(scope),
    ...registerEventRoutes(scope),
    ...registerWebhookReadRoutes(scope),
    ...registerWebhookRoutes(scope),
    ...registerWebhookStateRoutes(scope),
    ...registerNotificationSettingRoutes(scope),
    ...registerMessageRoutes(scope),
    ...registerFranchiseDeskRoutes(scope),
    ...registerFranchiseStatementRoutes(scope),
    ...registerFranchiseChangeRoutes(scope),
    ...registerCommissionPaymentRoutes(scope),
    ...registerTemplateRoutes(scope),
  ];
}

/** Adds the routes of what people keep with payouts: tags and files. */
function addToTransfers(scope: DashboardScope) {
  return [...registerTransferTagRoutes(scope), ...registerTransferAttachmentRoutes(scope)];
}

/** Adds the routes of customers' payments, and of dues besides invoices. */
function addCollections(scope: DashboardScope) {
  return [
    ...registerOpeningBalanceRoutes(scope),
    ...registerDebitNoteRoutes(scope),
    ...registerPaymentRoutes(scope),
    ...registerReceiptRoutes(scope),
    ...registerTdsClaimRoutes(scope),
    ...registerCreditNoteRoutes(scope),
  ];
}

/** Every route of the dashboard's API, with the type of its answer: web/src/api/contract.ts reads it. */
export type DashboardContract = ReturnType<typeof addAll>[number];
