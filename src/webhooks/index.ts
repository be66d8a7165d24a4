// The public interface of webhooks, for commands and the server.
export { askForTest, tryEndpoint } from "./run-requested-tests.ts";
export { createGuard, type AddressGuard } from "./address.ts";
export { ATTEMPT_SECRETS, listAttempts } from "./attempt-store.ts";
export { changeEndpoint, createEndpoint, disable, enable, redeliver, rotateSecret } from "./change-endpoint.ts";
export { Deliverer } from "./deliverer.ts";
export {
  catalogFor,
  INSTALLATION_EVENTS,
  INSTALLATION_OWNER,
  MERCHANT_EVENTS,
  type EventCatalog,
  type EventOwner,
} from "./endpoint.ts";
export {
  checkRedelivery,
  DESCRIPTION_LENGTH,
  describeAttempt,
  describeDelivery,
  describeEndpoint,
  endpointUrl,
  EVENT_NAMES,
  eventTypes,
  rangeOf,
} from "./endpoint-fields.ts";
export { listEndpoints } from "./endpoint-store.ts";
export { describeEvent, eventNoOf, readEvent, readEvents } from "./read-events.ts";
export { webhookSchedule } from "./housekeeping.ts";
export { countWebhookQueue, listDeliveries } from "./delivery-store.ts";
export { readEndpoint, readEndpoints, requireEndpoint, withCounts } from "./read-endpoints.ts";
export { WEBHOOK_SECRETS } from "./secret-store.ts";
export { WEBHOOK_CHECKS } from "./verify-store.ts";
