// Routes of approvals and of the policy that asks for them.
import { approve, decideMany, describeSubject, MAX_AT_ONCE, reject, withdraw } from "../approvals/index.ts";
import {
  approvalNotFound,
  changeApprovalMail,
  changePayoutPolicy,
  countWaitingFor,
  describeApproval,
  describePolicy,
  findApprovals,
  findPolicy,
  listApprovals,
  mayDecide,
  readActorNames,
  type ActorNames,
  type Approval,
  type Permission,
  type PolicyChanges,
} from "../merchants/index.ts";
import {
  digitsOrNumber,
  flag,
  ifSent,
  list,
  money,
  object,
  oneOf,
  optional,
  optionalText,
  wholeNumber,
} from "../platform/http/fields.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, sessionRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { keyOf, requestKey } from "./once.ts";
import { cutPage, listRoute, numberIn } from "./list-routes.ts";
import { showTo } from "./shown.ts";

const DECIDES = ["approvals.decide", "merchants.fund"] as const;
const NOTE_LENGTH = 500;
const LONGEST_COOLING_OFF_MINUTES = 365 * 24 * 60;
const LONGEST_WAIT_HOURS = 365 * 24;
const params = { approval_id: digitsOrNumber(16) };

/** The names of the requesters and the deciders of approvals. `pool` sees operators. */
function readNames(pool: Pool, { db, merchant }: MerchantCall, approvals: readonly Approval[]): Promise<ActorNames> {
  const actors = approvals.flatMap(({ requestedBy, decidedBy }) => [requestedBy, decidedBy ?? requestedBy]);
  return readActorNames({ db, pool }, merchant, actors);
}

function registerDecisions(scope: DashboardScope) {
  const { pool } = scope.parts;
  const decisionRoute = <Name extends string>(
    name: Name,
    summary: string,
    permission: Permission | readonly [Permission, ...Permission[]],
    decide: typeof approve,
  ) =>
    dashboardRoute(scope, {
      route: `POST /approvals/:approval_id/${name}`,
      summary,
      permission,
      personal: "approvals",
      params,
      body: { note: optionalText(NOTE_LENGTH) },
      handler: async (call) => {
        const decision = { approvalId: BigInt(call.params.approval_id), note: call.body.note ?? "" };
        const decided = await decide({ pool: call.db, accounts: pool, merchant: call.merchant }, decision);
        return describe(call, decided, await readNames(pool, call, [decided]));
      },
    });
  return [
    // Operators may only decide on the outcome of stuck transfers: the use case checks that.
    decisionRoute("approve", "Approve a request", DECIDES, approve),
    decisionRoute("reject", "Reject a request", DECIDES, reject),
    // Only for the requester: the use case refuses everybody else.
    decisionRoute("withdraw", "Withdraw your own request", "payouts.view", withdraw),
    decideManyRoute(scope),
  ];
}

/** Adds the routes of approvals. Everybody who sees payouts sees which of them are waiting. */
export function registerApprovalRoutes(scope: DashboardScope) {
  const { pool } = scope.parts;
  return [
    ...registerDecisions(scope),
    dashboardRoute(scope, {
      route: "GET /approvals/waiting",
      summary: "Count the requests that wait for you",
      permission: "approvals.decide",
      personal: "approvals",
      handler: async ({ db, merchant, origin }) => ({ count: await countWaitingFor(db, merchant, origin.actor) }),
    }),
    listRoute(scope, {
      url: "/approvals",
      summary: "List requests for approval",
      permission: "payouts.view",
      filters: { status: optional(oneOf(["open", "decided", "all"])) },
      rowsIn: "approvals",
      read: async (call, asked) => {
        const status = call.query.status ?? "open";
        const search = { status, before: numberIn(asked.after), limit: asked.limit + 1 };
        const page = cutPage(await listApprovals(call.db, call.merchant, search), asked, (each) => each.approvalId);
        const names = await readNames(pool, call, page.rows);
        const rows = [];
        for (const approval of page.rows) rows.push(await describe(call, approval, names));
        return { ...page, rows };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /approvals/:approval_id",
      summary: "Read a request for approval",
      permission: "payouts.view",
      params,
      handler: async (call) => {
        const [approval] = await findApprovals(call.db, call.merchant, [BigInt(call.params.approval_id)]);
        if (!approval) throw approvalNotFound();
        return describe(call, approval, await readNames(pool, call, [approval]));
      },
    }),
    sessionRoute(scope, {
      route: "PUT /session/approval-mail",
      body: { on: flag() },
      handler: async ({ session, body }) => {
        await changeApprovalMail({ ...scope.parts, session }, body.on);
        return { on: body.on };
      },
    }),
    ...registerPolicyRoutes(scope),
  ];
}

function decideManyRoute(scope: DashboardScope) {
  return dashboardRoute(scope, {
    route: "POST /approvals/decide",
    summary: "Approve or reject many requests",
    permission: "approvals.decide",
    personal: "approvals",
    body: {
      decision: oneOf(["approve", "reject"]),
      note: optionalText(NOTE_LENGTH),
      approvals: list(object({ approval_id: digitsOrNumber(16), request_key: requestKey() }), MAX_AT_ONCE),
    },
    handler: async ({ db, merchant, body: { decision, note, approvals } }) => {
      const asked = { decision, note: note ?? "" };
      const outcomes = await decideMany(
        { pool: db, accounts: scope.parts.pool, merchant },
        {
          ...asked,
          approvals: approvals.map((each) => {
            return { approvalId: BigInt(each.approval_id), idempotency: keyOf("approval", { ...asked, ...each }) };
          }),
        },
      );
      return {
        outcomes: outcomes.map(({ approvalId, outcome }) => {
          const approval_id = String(approvalId);
          if (outcome instanceof NodalError) return { approval_id, status: "refused", error: outcome.message };
          return { approval_id, status: outcome.decision ?? "open", error: null };
        }),
      };
    },
  });
}

function registerPolicyRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /payout-policy",
      summary: "Read the approval policy and the limits",
      permission: "payouts.view",
      handler: async ({ db, merchant }) => describePolicy(await findPolicy(db, merchant)),
    }),
    dashboardRoute(scope, {
      route: "PUT /payout-policy",
      summary: "Change the approval policy and the limits",
      permission: "approvals.manage",
      body: {
        approve_over: ifSent(optional(money({ allowZero: true }))),
        approve_payees: ifSent(flag()),
        verified_payees_only: ifSent(flag()),
        cooling_off_minutes: ifSent(optional(wholeNumber(1, LONGEST_COOLING_OFF_MINUTES))),
        transfer_limit: ifSent(optional(money())),
        daily_limit: ifSent(optional(money())),
        approval_expires_hours: ifSent(wholeNumber(1, LONGEST_WAIT_HOURS)),
      },
      handler: async ({ db, merchant, body }) => {
        const changes: Record<keyof PolicyChanges, unknown> = {
          approveOverPaise: body.approve_over,
          approvePayees: body.approve_payees,
          verifiedPayeesOnly: body.verified_payees_only,
          coolingOffMinutes: body.cooling_off_minutes,
          transferLimitPaise: body.transfer_limit,
          dailyLimitPaise: body.daily_limit,
          approvalExpiresHours: body.approval_expires_hours,
        };
        const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
        const answer = await changePayoutPolicy({ pool: db, ids: scope.parts.ids, merchant }, given);
        return {
          ...describePolicy(answer.policy),
          approval_id: answer.approvalId === null ? null : String(answer.approvalId),
        };
      },
    }),
  ];
}

async function describe({ db, merchant, caller, origin }: MerchantCall, approval: Approval, names: ActorNames) {
  const show = showTo(caller);
  return {
    ...describeApproval(approval, merchant, show, formatInstant),
    requested_by_name: names.get(approval.requestedBy) ?? null,
    decided_by_name: names.get(approval.decidedBy ?? "") ?? null,
    subject: await describeSubject(db, approval, show),
    /** Whether you requested it: nobody can decide their own request. */
    own: approval.requestedBy === origin.actor,
    may_decide:
      approval.requestedBy !== origin.actor &&
      DECIDES.some((each) => caller.permissions.has(each)) &&
      mayDecide(approval, origin.actor),
  };
}
