// The languages of the dashboard: the supported ones, this browser's choice, and loading its words.
// English is in the files beside this one. Another language has a file of the same name for each in a folder of its own,
// which is loaded before any page is, and takes the place of the English texts.

/** Each language's name for itself. */
export const LANGUAGES = { en: "English", hi: "हिन्दी" } as const;
export type Language = keyof typeof LANGUAGES;

const KEPT = "nodal.language";

function isLanguage(name: string | null): name is Language {
  return name !== null && Object.hasOwn(LANGUAGES, name);
}

/** The language chosen in this browser; else the browser's first supported language; else English. */
export function readLanguage(): Language {
  const kept = localStorage.getItem(KEPT);
  if (isLanguage(kept)) return kept;
  return navigator.languages.map((name) => name.split("-")[0]!).find(isLanguage) ?? "en";
}

/** Stores the choice in this browser, and reloads the page. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEPT, language);
  location.reload();
}

/** Puts a language's words in place: before anything that reads them is loaded. */
export async function speak(language: Language): Promise<void> {
  document.documentElement.lang = language;
  if (language === "hi") (await import("./hi/index.ts")).speakHindi();
}
