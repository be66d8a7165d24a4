// What the server needs of the API's reference.
export { describeApi } from "./describe-api.ts";
