// The dashboard's start in the browser: the language first, since every other module reads its words when it is loaded.
import { readLanguage, speak } from "./strings/language.ts";

await speak(readLanguage());
await import("./start.tsx");
