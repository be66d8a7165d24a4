// Comes before the server in each server process of the tests: none outlives the process that started it, however that ends.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.channel?.unref();
