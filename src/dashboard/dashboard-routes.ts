// The API of the dashboard, below /dashboard/api: the same use cases as the merchants' API, for people.
// What belongs here: the list of its parts. It is not in the OpenAPI document, which is for merchants' programs.
import type { HttpServer } from "../platform/http/server.ts";
import { registerAuditRoutes } from "./audit-routes.ts";
import { registerSubscriptionFormRoutes } from "./subscription-form-routes.ts";
import { registerSubscriptionListRoutes } from "./subscription-list-routes.ts";
import { registerSubscriptionReadRoutes, registerSubscriptionStateRoutes } from "./subscription-routes.ts";
import { registerApprovalRoutes } from "./approval-routes.ts";
import { registerBeneficiaryRoutes } from "./beneficiary-routes.ts";
import { registerCreditNoteRoutes } from "./credit-note-routes.ts";
import { registerCustomerFileRoutes } from "./customer-file-routes.ts";
import { registerCustomerGroupRoutes } from "./customer-group-routes.ts";
import { registerCustomerRoutes } from "./customer-routes.ts";
import { registerCommissionPaymentRoutes } from "./commission-payment-routes.ts";
import { registerFranchiseChangeRoutes } from "./franchise-change-routes.ts";
import { registerFranchiseDeskRoutes } from "./franchise-routes.ts";
import type { DashboardParts } from "./guarded-routes.ts";
import { registerHistoryRoutes } from "./history-routes.ts";
import { registerHomeRoutes } from "./home-routes.ts";
import { registerCustomerChoiceRoutes } from "./customer-choice-routes.ts";
import { registerInvoiceListRoutes } from "./invoice-list-routes.ts";
import { registerInvoiceRoutes } from "./invoice-routes.ts";
import { registerInvoiceUploadRoutes } from "./invoice-upload-routes.ts";
import { registerJobRoutes } from "./job-routes.ts";
import { registerKeyRoutes } from "./key-routes.ts";
import { registerMessageRoutes, registerNotificationSettingRoutes } from "./notification-routes.ts";
import { registerClockRoutes, registerOperatorRoutes } from "./operator-routes.ts";
import { registerProfileRoutes } from "./profile-routes.ts";
import { registerWebhookReadRoutes, registerWebhookRoutes, registerWebhookStateRoutes } from "./webhook-routes.ts";
import { registerMerchantRoutes, type CreateMerchant } from "./merchant-routes.ts";
import { registerEmailRoutes, registerPasswordRoutes, registerSecondFactorRoutes } from "./password-routes.ts";
import { registerPaymentRoutes } from "./payment-routes.ts";
import type { LoginMailer } from "./login-mailer.ts";
import { registerSessionRoutes } from "./session-routes.ts";
import { registerStatementRoutes } from "./statement-routes.ts";
import { registerTransferRoutes } from "./transfer-routes.ts";
import { registerTemplateRoutes } from "./template-routes.ts";
import { registerRoleRoutes, registerUserRoutes } from "./user-routes.ts";

export type DashboardOptions = DashboardParts & {
  readonly loginMailer: LoginMailer;
  readonly createMerchant: CreateMerchant;
};

/** Adds every route of the dashboard's API. */
export async function registerDashboardRoutes(server: HttpServer, options: DashboardOptions): Promise<void> {
  await server.register((app: HttpServer, _options, done) => {
    app.decorateRequest("dashboard", null as never);
    const scope = { app, parts: options };
    registerSessionRoutes(scope);
    registerPasswordRoutes(scope, options.loginMailer);
    registerEmailRoutes(scope, options.loginMailer);
    registerSecondFactorRoutes(scope);
    registerUserRoutes(scope);
    registerRoleRoutes(scope);
    registerMerchantRoutes(scope, options.createMerchant);
    registerHomeRoutes(scope);
    registerTransferRoutes(scope);
    registerBeneficiaryRoutes(scope);
    registerStatementRoutes(scope);
    registerApprovalRoutes(scope);
    registerCustomerChoiceRoutes(scope);
    registerInvoiceListRoutes(scope);
    registerInvoiceRoutes(scope);
    registerInvoiceUploadRoutes(scope);
    registerPaymentRoutes(scope);
    registerCreditNoteRoutes(scope);
    registerHistoryRoutes(scope);
    registerCustomerRoutes(scope);
    registerCustomerGroupRoutes(scope);
    registerCustomerFileRoutes(scope);
    registerSubscriptionListRoutes(scope);
    registerSubscriptionFormRoutes(scope);
    registerSubscriptionReadRoutes(scope);
    registerSubscriptionStateRoutes(scope);
    registerAuditRoutes(scope);
    registerOperatorRoutes(scope);
    registerClockRoutes(scope);
    registerJobRoutes(scope);
    registerProfileRoutes(scope);
    registerKeyRoutes(scope);
    registerWebhookReadRoutes(scope);
    registerWebhookRoutes(scope);
    registerWebhookStateRoutes(scope);
    registerNotificationSettingRoutes(scope);
    registerMessageRoutes(scope);
    registerFranchiseDeskRoutes(scope);
    registerFranchiseChangeRoutes(scope);
    registerCommissionPaymentRoutes(scope);
    registerTemplateRoutes(scope);
    done();
  });
}
