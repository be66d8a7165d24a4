// What the copy buttons of a public page do. Without scripts, or where the browser has no clipboard, they stay hidden, and the
// values are text to select.
import { createHash } from "node:crypto";

export const COPY_SCRIPT = `if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const { copy, said } = button.dataset;
    const words = button.firstChild;
    const name = words.data;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(copy);
      words.data = "Copied";
      document.getElementById("said").textContent = said;
      setTimeout(() => { words.data = name; }, 2000);
    });
  }
}`;

/** The script as the page's policy names it. */
export const COPY_SCRIPT_SOURCE = `'sha256-${createHash("sha256").update(COPY_SCRIPT).digest("base64")}'`;
