// Loads Inter. The Content-Security-Policy lets pages fetch from this server and has no rule for fonts, so that
// @font-face would be refused: the files are fetched, and handed to the browser as faces.
import extended from "@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2";
import latin from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";

/** The page preloads the first. The second has the rupee sign, and is for pages with amounts. */
const FILES = { Inter: latin, "Inter Extended": extended } as const;

const loaded = new Set<string>();

/** Makes a family available in all its weights. Until then, and if it can't be loaded, text is in the local fallback. */
export async function loadTypeface(family: keyof typeof FILES): Promise<void> {
  if (loaded.has(family)) return;
  loaded.add(family);
  // A page works without its typeface; the browser logs the failure.
  const answer = await fetch(FILES[family]).catch(() => null);
  if (!answer?.ok) return;
  const face = new FontFace(family, await answer.arrayBuffer(), { weight: "100 900" });
  document.fonts.add(await face.load());
}
