// The dashboard's start in the browser: the language first, since every other module reads its words when it is loaded.
import { loadTypeface } from "./app/typeface.ts";
import { readLanguage, speak } from "./strings/language.ts";

void loadTypeface("Inter");
await speak(readLanguage());
await import("./start.tsx");
