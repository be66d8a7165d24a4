// The public interface of subscriptions.
export { billDue, subscriptionSchedule } from "./bill-due.ts";
export { cancelSubscription, pauseSubscription, resumeSubscription } from "./change-subscription.ts";
export { advanceClock, resetClock, type AdvanceClock, type ClockMove, type ClockParts } from "./move-clock.ts";
export { draftOccurrences, previewDates, previewMissed, previewPlan } from "./preview-subscription.ts";
export { saveSubscription, type SaveSubscription } from "./save-subscription.ts";
export {
  browseSubscriptions,
  findMatchingSubscriptions,
  findSubscriptionOf,
  type SubscriptionFilter,
  type SubscriptionOrder,
  type SubscriptionPlace,
} from "./subscription-browse-store.ts";
export {
  checkSubscription,
  readPlan,
  scheduleFields,
  subscriptionFields,
  toSubscriptionRequest,
} from "./subscription-fields.ts";
export { describeSubscriptions, subscriptionObjects, type SubscriptionObject } from "./subscription-object.ts";
export { registerSubscriptionRoutes } from "./subscription-routes.ts";
export {
  countSubscriptionQueue,
  countParked,
  findSubscription,
  listOccurrences,
  listSubscriptions,
} from "./subscription-store.ts";
export { SUBSCRIPTION_STATES, subscriptionNotFound, type Subscription } from "./subscription.ts";
export { SUBSCRIPTION_CHECKS } from "./verify-store.ts";
