// What the commands and the server may use of webhooks.
export { askForTest, tryEndpoint } from "./run-requested-tests.ts";
export { createGuard, type AddressGuard } from "./address.ts";
export { ATTEMPT_SECRETS, listAttempts } from "./attempt-store.ts";
export { disable, enable, redeliver, REDELIVERY_MAX_EVENTS, createEndpoint, rotateSecret } from "./change-endpoint.ts";
export { Deliverer } from "./deliverer.ts";
export { endpointNotFound, EVENT_KINDS, EVENT_TYPES, takesType } from "./endpoint.ts";
export { DESCRIPTION_LENGTH, describeAttempt, describeEndpoint, endpointUrl, eventTypes } from "./endpoint-fields.ts";
export { findEndpoint, listEndpoints } from "./endpoint-store.ts";
export { composeEvents } from "./event-message.ts";
export { webhookSchedule } from "./housekeeping.ts";
export { countWebhookQueue } from "./delivery-store.ts";
export { readEndpoint, readEndpoints, withCounts } from "./read-endpoints.ts";
export { WEBHOOK_SECRETS } from "./secret-store.ts";
export { WEBHOOK_CHECKS } from "./verify-store.ts";
