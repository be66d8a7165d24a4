// Routes of approvals and of the policy that asks for them.
// What belongs here: wire shapes, no logic.
import {
  approvalNotFound,
  describeApproval,
  describePolicy,
  findApprovals,
  findPolicy,
  listApprovals,
  setPayoutPolicy,
  type Approval,
  type PolicyChanges,
} from "../merchants/index.ts";
import { approve, describeSubject, reject } from "../payouts/index.ts";
import {
  digitsOrNumber,
  flag,
  ifSent,
  money,
  oneOf,
  optional,
  optionalText,
  wholeNumber,
} from "../platform/http/fields.ts";
import { readActorNames, type ActorNames } from "./actor-names.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";
import { showTo } from "./shown.ts";

const NOTE_LENGTH = 500;
const LONGEST_COOLING_OFF_MINUTES = 365 * 24 * 60;
const LONGEST_WAIT_HOURS = 365 * 24;
const params = { approval_id: digitsOrNumber(16) };

/** Adds the routes of approvals. Whoever sees payouts sees what of them waits. */
export function registerApprovalRoutes(scope: DashboardScope): void {
  const { pool } = scope.parts;
  const namesOf = ({ db, merchant }: MerchantCall, approvals: readonly Approval[]): Promise<ActorNames> => {
    const actors = approvals.flatMap(({ requestedBy, decidedBy }) => [requestedBy, decidedBy ?? requestedBy]);
    return readActorNames({ db, pool }, merchant, actors);
  };
  dashboardRoute(scope, {
    method: "GET",
    url: "/approvals",
    permission: "payouts.view",
    query: {
      status: optional(oneOf(["open", "decided", "all"])),
      after: optional(digitsOrNumber(16)),
      limit: pageLimit(),
    },
    handler: async (call) => {
      const { db, merchant, query } = call;
      const limit = limitOf(query);
      const before = query.after === null ? null : BigInt(query.after);
      const found = await listApprovals(db, merchant, { status: query.status ?? "open", before, limit });
      const approvals = [];
      const names = await namesOf(call, found);
      for (const approval of found) approvals.push(await describe(call, approval, names));
      return { approvals, next: found.length === limit ? String(found.at(-1)!.approvalId) : null };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/approvals/:approval_id",
    permission: "payouts.view",
    params,
    handler: async (call) => {
      const [approval] = await findApprovals(call.db, call.merchant, [BigInt(call.params.approval_id)]);
      if (!approval) throw approvalNotFound();
      return describe(call, approval, await namesOf(call, [approval]));
    },
  });

  for (const [name, decide] of [
    ["approve", approve],
    ["reject", reject],
  ] as const) {
    dashboardRoute(scope, {
      method: "POST",
      url: `/approvals/:approval_id/${name}`,
      permission: "approvals.decide",
      params,
      body: { note: optionalText(NOTE_LENGTH) },
      handler: async (call) => {
        const { bucket, merchantId } = call.merchant;
        const key = { bucket, merchantId, approvalId: BigInt(call.params.approval_id) };
        const decided = await decide(call.db, key, call.body.note ?? "");
        return describe(call, decided, await namesOf(call, [decided]));
      },
    });
  }

  registerPolicyRoutes(scope);
}

function registerPolicyRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/payout-policy",
    permission: "payouts.view",
    handler: async ({ db, merchant }) => describePolicy(await findPolicy(db, merchant)),
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/payout-policy",
    permission: "approvals.manage",
    body: {
      approve_over: ifSent(optional(money({ allowZero: true }))),
      approve_payees: ifSent(flag()),
      cooling_off_minutes: ifSent(optional(wholeNumber(1, LONGEST_COOLING_OFF_MINUTES))),
      transfer_limit: ifSent(optional(money())),
      daily_limit: ifSent(optional(money())),
      approval_expires_hours: ifSent(wholeNumber(1, LONGEST_WAIT_HOURS)),
    },
    handler: async ({ db, merchant, body }) => {
      const changes: Record<keyof PolicyChanges, unknown> = {
        approveOverPaise: body.approve_over,
        approvePayees: body.approve_payees,
        coolingOffMinutes: body.cooling_off_minutes,
        transferLimitPaise: body.transfer_limit,
        dailyLimitPaise: body.daily_limit,
        approvalExpiresHours: body.approval_expires_hours,
      };
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const answer = await setPayoutPolicy({ pool: db, ids: scope.parts.ids }, merchant, given);
      return {
        ...describePolicy(answer.policy),
        approval_id: answer.approvalId === null ? null : String(answer.approvalId),
      };
    },
  });
}

async function describe({ db, merchant, session }: MerchantCall, approval: Approval, names: ActorNames) {
  const show = showTo(session);
  return {
    ...describeApproval(approval, merchant, show),
    requested_by_name: names.get(approval.requestedBy) ?? null,
    decided_by_name: names.get(approval.decidedBy ?? "") ?? null,
    subject: await describeSubject(db, approval, show),
    /** Nobody decides what he has asked for: the server refuses it, and pages need not offer it. */
    own: approval.requestedBy === `${session.login.kind}:${session.login.loginId}`,
  };
}
