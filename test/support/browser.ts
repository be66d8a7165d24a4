// A browser for tests: a Chromium, pages that remember every complaint, axe-core. Assertions are the tests' own, except
// that `findProblems` lists what no page may do.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext, type Page, type Request } from "playwright-core";
import type { Browser as SignedIn } from "./dashboard.ts";
import { findBrokenPromises } from "./dashboard-contract.ts";
import { CHROMIUM_REMEDY, findChromium } from "./chromium.ts";

/** axe-core, minified: a page reads it in two thirds of the time, and less than half is sent. Each loaded page needs it again. */
const AXE_SOURCE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 740 };
const WAIT_MS = 180_000;
/** A page that was idle at this many checks in a row counts as loaded. */
const CALM_LOOKS = 5;
const POLL_MS = 20;
/** The dashboard before its first page is drawn, and what Mantine draws meanwhile. */
const BUSY = "#root:empty, .mantine-Loader-root, .mantine-Skeleton-root[data-visible], [aria-busy=true]";
/** Runs inside the page: a check from here takes three processes. */
const IS_CALM = `new Promise((resolve) => {
  let looks = 0;
  const timer = setInterval(() => {
    const isBusy = document.querySelector("${BUSY}") !== null;
    if (!isBusy && ++looks < ${CALM_LOOKS}) return;
    clearInterval(timer);
    resolve(!isBusy);
  }, ${POLL_MS});
})`;

/** Runs before a page's own scripts. A shift right after a click or a key doesn't count. */
const RECORD_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue;
      shifts.push({ value, of: sources.map(({ node }) => (node?.outerHTML ?? node?.textContent ?? "").slice(0, 160)) });
    }
  }).observe({ type: "layout-shift", buffered: true });
`;
const NEXT_PAINT = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))";
/** What may move while a page loads, as a part of the window. The web vitals call up to 0.1 good. */
export const MOST_SHIFT = 0.05;

/** How much an element moved by itself: https://web.dev/articles/cls. */
type Shift = { readonly value: number; readonly of: readonly string[] };

/** The menu's button, in both languages. */
const MORE = /^(More actions|और कार्रवाइयाँ): /;
/** A dialog gets its name a moment after it is drawn. */
const IS_UNNAMED = `document.querySelector("[role=dialog]:not([aria-labelledby], [aria-label])") !== null`;
/** How often is looked whether dialogs have their names; axe-core then says which has none. */
const NAME_LOOKS = 100;

type OpenOptions = {
  /** `wide` is 1440 pixels, `phone` 360. */
  readonly size?: "wide" | "phone";
  readonly mode?: "light" | "dark";
  /** The language of the browser. */
  readonly language?: "en" | "hi";
  /** The cookies' owner: pages of one context share a session. By default a new one. */
  readonly context?: BrowserContext;
  /** The user who is signed in from the beginning, as the dashboard's API knows it. */
  readonly as?: Pick<SignedIn, "cookies">;
};

type AxeViolation = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
};

/** The Chromium that the files of this worker share. */
let shared: Browser | null = null;

/** A Chromium without a window, on one server. */
export class TestBrowser {
  readonly #browser: Browser;
  readonly #baseUrl: string;
  readonly #contexts = new Set<BrowserContext>();
  readonly #phones = new Map<BrowserContext, TestPage>();

  private constructor(browser: Browser, baseUrl: string) {
    this.#browser = browser;
    this.#baseUrl = baseUrl;
  }

  /** Starts one. Throws with the remedy if none is installed. */
  static async start(baseUrl: string): Promise<TestBrowser> {
    return new TestBrowser(await launch(), baseUrl);
  }

  /**
   * The one that the files of this worker share, and which ends with the worker. Pages' data are in their contexts, which each file
   * creates.
   */
  static async shared(baseUrl: string): Promise<TestBrowser> {
    if (shared?.isConnected() !== true) shared = await launch();
    return new TestBrowser(shared, baseUrl);
  }

  /** Closes every page. A shared browser stays open for the next file. */
  async stop(): Promise<void> {
    if (this.#browser !== shared) return this.#browser.close();
    await Promise.all([...this.#contexts].map((context) => context.close()));
  }

  /** Opens a page of the dashboard, by its path. */
  async open(path: string, options: OpenOptions = {}): Promise<TestPage> {
    const page = await this.newPage(options);
    await page.goTo(path);
    return page;
  }

  /**
   * The problems of a page as it is now, and of the same address on a phone in dark mode: there it may not scroll sideways either.
   * Takes a screenshot of both.
   */
  async lookAt(opened: TestPage, name: string): Promise<string[]> {
    await opened.picture(`${name}-wide-light`);
    const problems = await opened.findProblems();
    const phone = await this.#phoneOf(opened.page.context());
    await phone.goTo(opened.page.url());
    await phone.page.getByRole("heading", { level: 1 }).waitFor();
    await phone.picture(`${name}-phone-dark`);
    problems.push(...(await phone.findProblems()).map((problem) => `on a phone: ${problem}`));
    const width = await phone.page.evaluate<number>("document.documentElement.scrollWidth");
    if (width !== PHONE.width) problems.push(`on a phone: scrolls sideways, ${width} pixels wide`);
    return problems;
  }

  /** The phone of a context, which is reused: a new page's process costs as much as loading its content. */
  async #phoneOf(context: BrowserContext): Promise<TestPage> {
    const phone = this.#phones.get(context) ?? (await this.newPage({ size: "phone", mode: "dark", context }));
    this.#phones.set(context, phone);
    return phone;
  }

  /** A page without an address yet, for tests that answer some requests themselves. */
  async newPage({ size = "wide", mode = "light", language = "en", context, as }: OpenOptions = {}): Promise<TestPage> {
    const viewport = size === "wide" ? WIDE : PHONE;
    const looks = { colorScheme: mode, viewport, locale: `${language}-IN` };
    const own = context ?? (await this.#browser.newContext({ baseURL: this.#baseUrl, ...looks }));
    this.#contexts.add(own);
    own.setDefaultTimeout(WAIT_MS);
    const cookies = [...(as?.cookies ?? [])].map(([name, value]) => ({ name, value, url: this.#baseUrl }));
    if (cookies.length > 0) await own.addCookies(cookies);
    const page = await own.newPage();
    await page.addInitScript(RECORD_SHIFTS);
    if (context) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: mode });
    }
    return new TestPage(page);
  }
}

async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(CHROMIUM_REMEDY);
  // Containers often have a /dev/shm too small for a page, and root has no sandbox. Where there is no graphics processor,
  // to imitate one takes a sixth of the processor time.
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
  return chromium.launch({ executablePath, args });
}

/** A page, and every problem on it. */
export class TestPage {
  /** To click, type and look with: https://playwright.dev/docs/api/class-page. */
  readonly page: Page;
  readonly #complaints: string[] = [];
  /** Comparisons of answers with their handlers' declarations that have begun. */
  readonly #compared: Promise<void>[] = [];
  readonly #underWay = new Set<Request>();
  /** How many requests have begun so far. */
  #begun = 0;
  #transferredBytes = 0;

  constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.#complaints.push(`uncaught: ${error.message}`));
    page.on("console", (message) => {
      // The browser itself notes each answer of 4xx and 5xx; which of them may be is for the tests to say.
      const isRefusal = message.text().startsWith("Failed to load resource");
      const isOfApi = message.location().url.match(/\/api\/(v4|session)(\/|$)/) !== null;
      if (message.type() === "error" && !(isRefusal && isOfApi)) this.#complaints.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      this.#begun += 1;
      this.#underWay.add(request);
    });
    page.on("requestfailed", (request) => this.#underWay.delete(request));
    page.on("requestfinished", async (request) => {
      this.#underWay.delete(request);
      this.#compared.push(this.#compare(request));
      // A page may be closed while the answer is still being counted.
      const sizes = await request.sizes().catch(() => null);
      if (sizes) this.#transferredBytes += sizes.responseBodySize + sizes.responseHeadersSize;
    });
  }

  /** Goes to a path and waits until it is loaded: no request is pending, and no placeholder is shown. */
  async goTo(path: string): Promise<void> {
    await this.page.goto(path, { waitUntil: "load" });
    await this.settle();
  }

  /**
   * Navigates within the dashboard as its links do: the router shows the page, and loaded files are reused. That takes less than
   * half of the processor time of `goTo`.
   */
  async follow(path: string): Promise<void> {
    // Routes have their headings: with the heading, the page before is gone.
    const left = await this.page.locator("h1").first().elementHandle();
    await this.page.evaluate(`shifts = []; history.pushState({}, "", ${JSON.stringify(path)})`);
    await left?.waitForElementState("hidden");
    await left?.dispose();
    await this.settle();
  }

  /**
   * Waits until no request is pending and no placeholder is shown. Playwright's own network idle takes half a second of silence
   * each time, and ignores rendering.
   */
  async settle(): Promise<void> {
    const deadlineMs = performance.now() + WAIT_MS;
    for (;;) {
      const begun = this.#begun;
      // If the page navigates meanwhile, the next one is checked again.
      const isCalm =
        this.#underWay.size === 0 &&
        (await this.page.evaluate<boolean>(IS_CALM).catch((error: unknown) => {
          if (this.page.isClosed()) throw error;
          return false;
        }));
      if (isCalm && this.#begun === begun) return;
      if (performance.now() > deadlineMs) throw new Error(`${this.page.url()} went on loading for ${WAIT_MS} ms`);
      await sleep(POLL_MS);
    }
  }

  /** From now on each answer of the API comes after the page was painted without it, as from a slow server. */
  async paintBeforeAnswers(): Promise<void> {
    await this.page.route(/\/api\/v4\//, async (route) => {
      // A page that is left has nothing to paint.
      await this.page.evaluate(NEXT_PAINT).catch(() => {});
      await route.continue().catch(() => {});
    });
  }

  /** What moved since the page's address was opened. */
  async findShifts(): Promise<Shift[]> {
    return this.page.evaluate<Shift[]>("shifts");
  }

  /** The sum of what moved since then. */
  async shiftSoFar(): Promise<number> {
    return (await this.findShifts()).reduce((sum, { value }) => sum + value, 0);
  }

  /** Chooses an entry in a record's menu of less frequent actions. */
  async chooseMore(name: string): Promise<void> {
    await this.page.getByRole("button", { name: MORE }).click();
    await this.page.getByRole("menuitem", { name, exact: true }).click();
  }

  /** The bytes received so far, compressed. */
  get transferredBytes(): number {
    return this.#transferredBytes;
  }

  /**
   * Console errors, violations of the Content-Security-Policy, answers that differ from their handlers' declarations, and serious
   * or critical findings of axe-core.
   */
  async findProblems(): Promise<string[]> {
    await Promise.all(this.#compared);
    // Rows are pale until those of the new filter are loaded.
    await this.page.locator("[data-outdated]").first().waitFor({ state: "detached" });
    return [...this.#complaints, ...(await this.#findInaccessible())];
  }

  /** Saves a screenshot, if SCREENSHOTS names a folder. */
  async picture(name: string): Promise<void> {
    const folder = process.env["SCREENSHOTS"];
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }

  /** Saves screenshots in both sizes and modes, if SCREENSHOTS names a folder. The page is wide and light afterwards. */
  async pictures(name: string): Promise<void> {
    if (!process.env["SCREENSHOTS"]) return;
    for (const [size, viewport] of Object.entries({ wide: WIDE, phone: PHONE })) {
      for (const colorScheme of ["light", "dark"] as const) {
        await this.page.setViewportSize(viewport);
        await this.page.emulateMedia({ colorScheme });
        // Charts and frames react to a change of size a moment later.
        await this.page.waitForTimeout(150);
        await this.picture(`${name}-${size}-${colorScheme}`);
      }
    }
    await this.page.setViewportSize(WIDE);
    await this.page.emulateMedia({ colorScheme: "light" });
  }

  async #compare(request: Request): Promise<void> {
    const response = await request.response().catch(() => null);
    if (!response?.headers()["content-type"]?.startsWith("application/json")) return;
    // A page may have gone on, and its answers with it.
    const body = (await response.json().catch(() => null)) as unknown;
    const { pathname } = new URL(response.url());
    this.#complaints.push(...findBrokenPromises(request.method(), pathname, response.status(), body));
    // Pages send what routes know, and nothing else.
    const said = JSON.stringify(body);
    if (/"code":"unknown(_member)?"/.test(said)) this.#complaints.push(`${request.method()} ${pathname}: ${said}`);
  }

  async #findInaccessible(): Promise<string[]> {
    // As the developer tools would run it: the page's policy allows no script to be added.
    if (!(await this.page.evaluate<boolean>("'axe' in window"))) await this.page.evaluate(AXE_SOURCE);
    for (let look = 0; look < NAME_LOOKS && (await this.page.evaluate<boolean>(IS_UNNAMED)); look++) {
      await sleep(POLL_MS);
    }
    // Elements that fade in have too little contrast until they are opaque.
    await this.page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished.catch(() => {})))");
    const violations = await this.page.evaluate<AxeViolation[]>(
      "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
    );
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `axe ${id}: ${html} ${failureSummary}`));
  }
}
