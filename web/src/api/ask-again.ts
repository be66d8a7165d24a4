// Pages poll the server while they show something in progress.
const RECORD_MS = 1500;
const LIST_MS = 5000;

/** The state of a query: its answer, once there is one. */
type PollState<Answered> = { readonly state: { readonly data: Answered | undefined } };
type Interval<Answered> = (asked: PollState<Answered>) => number | false;

/** For a page of one record: the poll interval in ms, or false. */
export function whileUnderWay<Answered>(isUnderWay: (answer: Answered) => boolean): Interval<Answered> {
  return ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? RECORD_MS : false);
}

/** The same for a list, by its rows. */
export function whileAnyUnderWay<Answered, Row>(
  rowsOf: (answer: Answered) => readonly Row[],
  isUnderWay: (row: Row) => boolean,
): Interval<Answered> {
  return ({ state }) => (state.data !== undefined && rowsOf(state.data).some(isUnderWay) ? LIST_MS : false);
}

/** Whether the status of a payout may still change: it waits for the bank or for an approval. */
export function isPayoutUnderWay({ status }: { readonly status: string }): boolean {
  return status.startsWith("PENDING");
}

type Commission = {
  readonly franchise: { readonly under_way: string };
  readonly payouts: readonly { readonly status: string }[];
};

/** Whether a payout of commission is on its way to the franchise. */
export function isCommissionUnderWay({ franchise, payouts }: Commission): boolean {
  return /[1-9]/.test(franchise.under_way) || payouts.some(isPayoutUnderWay);
}

/** Whether a message waits for its mail server. */
export function isMessageUnderWay({ state }: { readonly state: string }): boolean {
  return state === "Queued" || state === "Sending";
}

type Batch = { readonly batch_status: string; readonly outcomes: Readonly<Record<string, object | undefined>> };

/** Whether any payout of a bulk payout may still change. */
export function isBatchUnderWay({ batch_status: status, outcomes }: Batch): boolean {
  return status === "RUNNING" || outcomes["PENDING"] !== undefined || outcomes["WAITING"] !== undefined;
}
