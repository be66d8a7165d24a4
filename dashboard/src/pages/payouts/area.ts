// Money that leaves: transfers, withdrawals, beneficiaries, the statement, and what a second person approves.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { approvals, beneficiaries, statement, transfers, withdrawals } from "../../strings/payouts.ts";

const audience = "merchant";
const view = { audience, permission: "payouts.view" } as const;
const transfer = { audience, permission: "payouts.transfer" } as const;
const withdraw = { audience, permission: "payouts.withdraw" } as const;
const payees = { audience, permission: "beneficiaries.view" } as const;
const entry = { group: "payouts", audience } as const;

export const payoutsArea: Area = {
  pages: [
    { path: "/transfers", ...view, load: () => import("./transfers-page.tsx") },
    { path: "/transfers/new", ...transfer, load: () => import("./new-transfer-page.tsx") },
    { path: "/transfers/$transferId", ...view, load: () => import("./transfer-page.tsx") },
    { path: "/withdrawals", ...view, load: () => import("./withdrawals-page.tsx") },
    { path: "/withdrawals/new", ...withdraw, load: () => import("./new-withdrawal-page.tsx") },
    { path: "/withdrawals/$transferId", ...view, load: () => import("./transfer-page.tsx") },
    { path: "/beneficiaries", ...payees, load: () => import("./beneficiaries-page.tsx") },
    {
      path: "/beneficiaries/new",
      audience,
      permission: "beneficiaries.manage",
      load: () => import("./new-beneficiary-page.tsx"),
    },
    { path: "/beneficiaries/$beneficiaryId", ...payees, load: () => import("./beneficiary-page.tsx") },
    { path: "/statement", audience, permission: "statement.view", load: () => import("./statement-page.tsx") },
    { path: "/approvals", ...view, load: () => import("./approvals-page.tsx") },
    { path: "/approvals/policy", ...view, load: () => import("./policy-page.tsx") },
    { path: "/approvals/$approvalId", ...view, load: () => import("./approval-page.tsx") },
  ],
  navigation: [
    { label: transfers.title, to: "/transfers", ...entry, permission: "payouts.view" },
    { label: withdrawals.title, to: "/withdrawals", ...entry, permission: "payouts.view" },
    { label: beneficiaries.title, to: "/beneficiaries", ...entry, permission: "beneficiaries.view" },
    { label: statement.title, to: "/statement", ...entry, permission: "statement.view" },
    { label: approvals.title, to: "/approvals", ...entry, permission: "payouts.view" },
  ],
};
