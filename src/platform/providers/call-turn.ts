// Whose turn a call to a provider takes. How turns are given is in pace.ts.

/** What a call is for, and how many of ten calls each has where all of them wait. */
export const SHARES = { payment: 6, question: 3, review: 1 } as const;
export type CallKind = keyof typeof SHARES;

/** Merchants that share an account take turns. */
export type Turn = { readonly kind: CallKind; readonly merchantId: bigint };

/** Lets calls to one account pass, so many a second. */
export interface Pace {
  /**
   * Waits for a call's turn.
   * @throws NotSentError `busy` where `signal` ends the wait
   */
  take(turn: Turn, signal: AbortSignal): Promise<void>;
}

/** For calls that are not counted. */
export const UNPACED: Pace = { take: () => Promise.resolve() };
