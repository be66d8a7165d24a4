// `npm start`: the server as a process. cli/start.ts runs it from the first log line to the last.
import { enableCompileCache } from "node:module";
import type * as Start from "./cli/start.ts";

// Caches compiled code: half of a start is compiling. In our own folder, which nobody else can write to.
enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/nodal`);

const { loadProgram } = await import("./program.ts");
const { runServer } = (await loadProgram("start")) as typeof Start;
await runServer();
