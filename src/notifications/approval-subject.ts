// The data of a mail about approvals: the person, and the requests that wait for that person's decision. compose.ts has the text.
import { readSubjectInBrief, type SubjectInBrief } from "../approvals/index.ts";
import type { PublicLinks } from "../documents/index.ts";
import {
  findLogin,
  findMerchantByKey,
  listWaitingFor,
  describeActor,
  readActorNames,
  readMailRule,
  signInLink,
  type Approval,
  type Login,
  type Merchant,
} from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { actorOf } from "../platform/origin.ts";
import type { Notification } from "./notification.ts";

/** The highest count, and how many requests are named. */
export const MAX_COUNTED = 100;
const MAX_NAMED = 10;

/** A request that is named in a mail. `by` is the name or address of a person, or the kind of program that requested it. */
export type WaitingRequest = SubjectInBrief &
  Pick<Approval, "kind" | "requestedAt" | "expiresAt"> & { readonly by: string };

/** The current data of a mail about approvals. */
export type ApprovalSubject = {
  readonly kind: "approval";
  readonly merchant: Merchant;
  readonly login: Login;
  readonly recipient: string;
  /** Why this person gets no mail about approvals, as a sentence; `null` if the mail is sent. */
  readonly skipReason: string | null;
  /** How many requests wait for the person; `MAX_COUNTED` means that many or more. */
  readonly count: number;
  /** The requests that expire first, in order, to be named in the mail. */
  readonly named: readonly WaitingRequest[];
  readonly approvalsUrl: string;
  readonly signInUrl: string;
};

/** Reads the data of a mail to an approver; `null` if the person's login is gone. */
export async function readApprovalSubject(
  pool: Pool,
  links: PublicLinks,
  { bucket, merchantId, loginId }: Notification,
): Promise<ApprovalSubject | null> {
  const key = { bucket, merchantId };
  const merchant = await findMerchantByKey(pool, key);
  const login = await findLogin(pool, { ...key, loginId: loginId! });
  if (!merchant || !login) return null;
  const skipReason = (await readMailRule(pool, key))(login);
  const waiting = await listWaitingFor(pool, key, actorOf("user", String(login.loginId)), MAX_COUNTED);
  return {
    kind: "approval",
    merchant,
    login,
    recipient: login.email,
    skipReason,
    count: waiting.length,
    named: await nameRequests(pool, merchant, waiting.toSorted(byExpiry).slice(0, MAX_NAMED)),
    approvalsUrl: links.dashboardUrl("/approvals"),
    signInUrl: signInLink(links.dashboardUrl(""), merchant),
  };
}

/** Why a mail about approvals is no longer sent, as a sentence; `null` if it is sent. */
export function approvalMailSkipReason({ skipReason, count }: ApprovalSubject): string | null {
  if (skipReason !== null) return skipReason;
  return count > 0 ? null : "No requests left to decide: all were decided, withdrawn or have expired.";
}

async function nameRequests(pool: Pool, merchant: Merchant, approvals: readonly Approval[]): Promise<WaitingRequest[]> {
  const names = await readActorNames(
    { db: pool, pool },
    merchant,
    approvals.map(({ requestedBy }) => requestedBy),
  );
  const named: WaitingRequest[] = [];
  for (const approval of approvals) {
    const { kind, requestedAt, expiresAt, requestedBy } = approval;
    const by = names.get(requestedBy) ?? describeActor(requestedBy);
    named.push({ ...(await readSubjectInBrief(pool, approval)), kind, requestedAt, expiresAt, by });
  }
  return named;
}

/** Sorts by expiry; requests that never expire come last. */
function byExpiry({ expiresAt: one }: Approval, { expiresAt: other }: Approval): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return Temporal.Instant.compare(one, other);
}
