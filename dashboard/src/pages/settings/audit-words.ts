// The audit log in words: what happened, and where its record is.
// What belongs here: between the log's names and people's. Words are in strings/audit.ts.
import { audit } from "../../strings/audit.ts";

/** `franchise.changed` is `Franchise: changed`. */
export function typeInWords(type: string): string {
  const [kind = "", deed = ""] = type.split(".");
  return `${audit.kinds[kind] ?? kind}: ${deed.replaceAll("_", " ")}`;
}

const PATHS: Readonly<Record<string, (id: string) => string>> = {
  approval: (id) => `/approvals/${id}`,
  beneficiary: (id) => `/beneficiaries/${id}`,
  customer: (id) => `/customers/${id}`,
  franchise: (id) => `/franchises/${id}`,
  invoice: (id) => `/invoices/R${id.padStart(9, "0")}`,
  merchant: () => "/settings/company",
  subscription: (id) => `/subscriptions/${id}`,
  template: (id) => `/templates/${id}`,
  transfer: (id) => `/transfers/${id}`,
  webhook_endpoint: (id) => `/settings/webhooks/${id}`,
  withdrawal: (id) => `/withdrawals/${id}`,
};

/** Where the record is that an entry is about; `null` where it has no page. */
export function pathOfSubject(type: string, subjectId: string): string | null {
  return PATHS[type.split(".")[0] ?? ""]?.(subjectId) ?? null;
}
