// The API reference's exports for the server.
export { describeApi } from "./describe-api.ts";
