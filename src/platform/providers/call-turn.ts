// The turn of a call to a provider. pace.ts schedules turns.

/** The kinds of calls, with each one's share of ten calls if all are waiting. */
export const SHARES = { payment: 6, question: 3, review: 1 } as const;
export type CallKind = keyof typeof SHARES;

/** Merchants that share an account take turns. */
export type Turn = { readonly kind: CallKind; readonly merchantId: bigint };

/** Limits the calls per second to an account. */
export interface Pace {
  /**
   * Waits for a call's turn. @throws NotSentError `busy` if `signal` ends the wait
   */
  take(turn: Turn, signal: AbortSignal): Promise<void>;
}

/** For calls without a limit. */
export const UNPACED: Pace = { take: () => Promise.resolve() };
