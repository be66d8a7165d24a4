// Starts the dashboard in the browser: loads the language first, since every other module reads its texts when it is loaded.
import { loadTypeface } from "./app/typeface.ts";
import { readLanguage, speak } from "./strings/language.ts";

void loadTypeface("Inter");
await speak(readLanguage());
await import("./start.tsx");
