// What other domains and the commands may use of invoices.
export { checkTemplateDraft, createTemplate } from "./create-template.ts";
export { insertDefaultTemplates, takeTemplateIds, type TemplateIds } from "./template-default.ts";
export { companyFields, templateFields, toTemplateDraft } from "./template-fields.ts";
export { LOGO_MAX_BYTES, readLogo } from "./template-logo.ts";
export { sampleInvoiceRequest } from "./template-sample.ts";
export { findTemplate, listTemplates } from "./template-store.ts";
export type { NumberSeries } from "./number-series.ts";
export type { Logo, Template, TemplateDraft } from "./template.ts";
export { registerInvoicing } from "./register-invoicing.ts";
export { PublicLinks } from "./public-link.ts";
export { registerPublicRoutes } from "./public-routes.ts";
