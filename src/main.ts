// `npm start`: the server as a process. Its life from the first log line to the last is in cli/start.ts.
import { runServer } from "./cli/start.ts";

await runServer();
