// `npm start`: the server as a process. Its life from the first log line to the last is in cli/start.ts.
import { enableCompileCache } from "node:module";
import type * as Start from "./cli/start.ts";

// What was compiled once is kept: half of a start is compiling. In a folder of our own, which nobody else may write to.
enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/nodal`);

const { loadProgram } = await import("./program.ts");
const { runServer } = (await loadProgram("start")) as typeof Start;
await runServer();
