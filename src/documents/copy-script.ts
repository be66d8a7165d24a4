// The copy buttons of a public page. Without scripts, or if the browser has no clipboard, they stay hidden, and the values are
// selectable text.
import { createHash } from "node:crypto";

export const COPY_SCRIPT = `if (navigator.clipboard) {
  const status = document.getElementById("said");
  for (const button of document.querySelectorAll("[data-copy]")) {
    const { copy, said } = button.dataset;
    const words = button.firstChild;
    const name = words.data;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(copy);
      words.data = status.dataset.copied;
      status.textContent = said;
      setTimeout(() => { words.data = name; }, 2000);
    });
  }
}`;

/** The script's hash in the page's Content-Security-Policy. */
export const COPY_SCRIPT_SOURCE = `'sha256-${createHash("sha256").update(COPY_SCRIPT).digest("base64")}'`;
