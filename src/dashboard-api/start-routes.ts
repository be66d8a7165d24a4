// Route of what a new business has still to do, and of what can be tried out in the sandbox.
// What belongs here: whether each step is done, read from what is there. Nothing is kept of it.
import { hasInvoices, listTemplates, type Template } from "../invoices/index.ts";
import { ownBankAccount, type Merchant, type Permission, type Session } from "../merchants/index.ts";
import { hasPayoutAccount, listSandboxPayees } from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

type StepName = "company" | "bank" | "provider" | "template" | "invoice" | "second_factor";

type Step = {
  readonly name: StepName;
  /** Who lacks it is not told of the step. */
  readonly permission: Permission;
  readonly isDone: (db: Pool, merchant: Merchant) => boolean | Promise<boolean>;
};

const COMPANY: Step = {
  name: "company",
  permission: "profile.manage",
  isDone: (_db, { address, city, state, zipcode }) => [address, city, state, zipcode].every((part) => part !== ""),
};
/** In the sandbox a bank account is enough: money is paid by the simulated bank. */
const BANK: Step = {
  name: "bank",
  permission: "profile.manage",
  isDone: (_db, merchant) => ownBankAccount(merchant) !== null,
};
const PROVIDER: Step = { name: "provider", permission: "profile.manage", isDone: hasPayoutAccount };
/** Every merchant begins with a template that says nothing of its own. */
const TEMPLATE: Step = {
  name: "template",
  permission: "templates.manage",
  isDone: async (db, merchant) => {
    const templates = await listTemplates(db, merchant);
    return templates.length > 1 || templates.some(isOwn);
  },
};
const INVOICE: Step = { name: "invoice", permission: "invoices.manage", isDone: hasInvoices };

function isOwn({ logoType, terms, signatory, upiHandle }: Template): boolean {
  return logoType !== null || terms !== "" || signatory !== "" || upiHandle !== null;
}

/** Adds the first steps of a business. */
export function registerStartRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /home/start",
      permission: ["profile.manage", "templates.manage", "invoices.manage", "payouts.transfer"],
      handler: async ({ db, merchant, session }) => ({
        steps: session.login.kind === "operator" ? [] : await readSteps(db, merchant, session),
        test_payees: merchant.live || !session.permissions.has("payouts.transfer") ? [] : describePayees(),
      }),
    }),
  ];
}

async function readSteps(db: Pool, merchant: Merchant, { permissions, login }: Session) {
  const all = [COMPANY, merchant.live ? PROVIDER : BANK, TEMPLATE, INVOICE];
  const steps: { name: StepName; done: boolean }[] = [];
  for (const { name, permission, isDone } of all) {
    if (permissions.has(permission)) steps.push({ name, done: await isDone(db, merchant) });
  }
  return [...steps, { name: "second_factor" as const, done: login.hasSecondFactor }];
}

function describePayees() {
  return listSandboxPayees().map(({ outcome, accountNumber, ifsc, upi }) => {
    return { outcome, account_number: accountNumber, ifsc, upi };
  });
}
