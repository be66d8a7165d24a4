// The public interface of estimates.
export { acceptEstimate } from "./accept-estimate.ts";
export { estimateFields, readEstimate } from "./estimate-fields.ts";
export { findEstimate, findEstimateOf, pageEstimates } from "./estimate-store.ts";
export { estimateNotFound, shownEstimateState, SHOWN_ESTIMATE_STATES, type Estimate } from "./estimate.ts";
export { changeEstimate, createEstimate, declineEstimate } from "./save-estimate.ts";
