// Loaded before the server in each server process of the tests: it ends when the process that started it ends, in any way.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.channel?.unref();
