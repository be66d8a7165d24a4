// Operations on an installation as a whole, on top of every domain.
export { createMerchantsWithTemplate, createMerchantWithOwner } from "./create-merchants.ts";
export { deleteExpired } from "./delete-expired.ts";
export { diagnose, type Diagnosis } from "./doctor.ts";
export { goLive, LEFT_BEHIND, TAKEN_OVER, type GoLive } from "./go-live.ts";
export { addInstallationMetrics, METRICS_TIMEOUT_MS } from "./installation-metrics.ts";
export { endedCheck, LedgerCheck } from "./ledger-check.ts";
export { failureOfFindings, recordRun } from "./record-run.ts";
export { checkProductionData, checkProductionSettings, START_RULES } from "./production.ts";
export { restoreInstallation } from "./restore.ts";
export { createDemo, createSamples, sampleProfile, type Demo } from "./samples.ts";
export { readUsage } from "./usage.ts";
export { verifyInstallation, type Findings } from "./verify.ts";
