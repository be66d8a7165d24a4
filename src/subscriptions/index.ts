// What other domains and the commands may use of subscriptions.
export { billDue, type BillingParts } from "./bill-due.ts";
export { cancelSubscription, pauseSubscription, resumeSubscription } from "./change-subscription.ts";
export { countSubscriptionQueue } from "./due-store.ts";
export { advanceClock, resetClock } from "./move-clock.ts";
export { previewDates } from "./preview-subscription.ts";
export { subscriptionSchedule } from "./subscription-job.ts";
export { describeSubscriptions, subscriptionObjects, type SubscriptionObject } from "./subscription-object.ts";
export { registerSubscriptionRoutes } from "./subscription-routes.ts";
export { countParked, findSubscription, listOccurrences, listSubscriptions } from "./subscription-store.ts";
export { SUBSCRIPTION_STATES, subscriptionNotFound } from "./subscription.ts";
export { SUBSCRIPTION_CHECKS } from "./verify-store.ts";
