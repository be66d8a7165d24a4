// The public page of an invoice: complete HTML from the server, without external resources. Its one script copies payment details.
// This is its structure: render-view.ts and page-words.ts have the wording, templates/invoice-page.css the style.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Html, markup } from "../platform/html.ts";
import { COPY_SCRIPT, COPY_SCRIPT_SOURCE } from "./copy-script.ts";
import { documentFacts } from "../invoices/index.ts";
import type { DocumentLogo, InvoiceDocument } from "./document.ts";
import { accentPalette } from "./render-colour.ts";
import { LANGUAGE_NAMES, PAGE_WORDS, type PageLanguage, type PageWords } from "./page-words.ts";
import { type InvoiceView, invoiceView, type PartyView, type TableView } from "./render-view.ts";

type PageOptions = {
  readonly pdfUrl: string;
  readonly today?: Temporal.PlainDate;
  readonly canCopy?: boolean;
  readonly language?: PageLanguage;
};

export type RenderedPage = {
  readonly html: string;
  /** The value of the `Content-Security-Policy` header that this page needs, and no more. */
  readonly contentSecurityPolicy: string;
};

const STYLE = readFileSync(new URL("../../templates/invoice-page.css", import.meta.url), "utf8");
/** From this many characters on, an amount needs smaller type to stay on one line. */
const LONG_HEADLINE_LENGTH = 13;
/** The backgrounds that the accent must contrast with: --page in both colour schemes of the style. */
const BACKGROUNDS = { light: "#f3f5f7", dark: "#1a2026" };

/**
 * The invoice for its customer. `pdfUrl` is the PDF's address; `today` (in the merchant's time zone)
 * adds the number of days to the due date, and `Overdue` after it. `canCopy` adds buttons that copy the account and the
 * amount, and their script: pages inside the dashboard run none. `language` adds a link to the other language; without it
 * the page is in English.
 */
export function renderInvoicePage(document: InvoiceDocument, options: PageOptions): RenderedPage {
  const { canCopy = false, language } = options;
  const words = PAGE_WORDS[language ?? "en"];
  const view = invoiceView(document, options.today, words);
  const body = markup`<a class="skip" href="#invoice">${words.skipTo(documentFacts(document.kind).noun)}</a>
    <div class="page">
      <header class="letterhead">
        ${logoImage(document.logo)}
        <p>${view.supplier.name}</p>
        ${language !== undefined && languageSwitch(language)}
      </header>
      <main id="invoice" class="columns">
        ${paymentCard(view, words, options.pdfUrl, canCopy)}
        <article class="card">${introduction(view, words)}${rows(view, words)}${summary(view.summary, words)}${terms(view, words)}</article>
      </main>
      <footer><p>${[view.supplier.name, ...view.supplier.lines].join(" · ")}</p></footer>
    </div>`;
  return page(`${view.name} · ${view.supplier.name}`, body, words, document.accentColour, canCopy);
}

/** The page for an invalid link: it doesn't reveal whether there ever was an invoice. */
export function renderInvoiceNotFoundPage(language: PageLanguage = "en"): RenderedPage {
  const words = PAGE_WORDS[language];
  const body = markup`<main class="lost card">
    <h1>${words.lost}</h1>
    <p>${words.lostHint}</p>
  </main>`;
  return page(words.lost, body, words, "");
}

function page(title: string, body: Html, words: PageWords, accentColour: string, hasScript = false): RenderedPage {
  const accent = accentPalette(accentColour, BACKGROUNDS);
  const style =
    `:root{--accent-light:${accent.onLight};--on-accent-light:${accent.textOnLight};` +
    `--accent-dark:${accent.onDark};--on-accent-dark:${accent.textOnDark}}\n${STYLE}`;
  const styleHash = createHash("sha256").update(style).digest("base64");
  const text = markup`<!doctype html>
    <html lang="${words.tag}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex,nofollow" />
        <meta name="referrer" content="no-referrer" />
        <meta name="format-detection" content="telephone=no" />
        <title>${title}</title>
        <style>${new Html(style)}</style>
      </head>
      <body>
        ${body}
        ${
          hasScript &&
          markup`<p id="said" class="unseen" role="status" data-copied="${words.label("Copied")}"></p>
            <script>${new Html(COPY_SCRIPT)}</script>`
        }
      </body>
    </html>`.text;
  return {
    html: text,
    contentSecurityPolicy:
      `default-src 'none'; ${hasScript ? `script-src ${COPY_SCRIPT_SOURCE}; ` : ""}style-src 'sha256-${styleHash}'; img-src data:; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  };
}

/** Leads to the same page in the other language. */
function languageSwitch(current: PageLanguage): Html {
  const other = current === "en" ? "hi" : "en";
  return markup`<a class="language" href="?lang=${other}" lang="${other}" hreflang="${other}">${LANGUAGE_NAMES[other]}</a>`;
}

function logoImage(logo: DocumentLogo | null): Html | null {
  if (logo === null) return null;
  // The name is beside it, so the picture needs no alternative text.
  return markup`<img alt="" src="data:${logo.mimeType};base64,${Buffer.from(logo.bytes).toString("base64")}" />`;
}

function paymentCard(view: InvoiceView, words: PageWords, pdfUrl: string, canCopy: boolean): Html {
  const { headline, payment } = view;
  const { label } = words;
  const isToPay = payment !== null || view.bank.length > 0;
  return markup`<aside class="card" aria-label="${label("Payment")}">
    <div class="payment">
      <div class="due-label">
        <p class="quiet">${label(headline.label)}</p>
        ${view.status !== "" && markup`<p class="status ${view.tone}">${label(view.status)}</p>`}
      </div>
      <p class="due${headline.value.length > LONG_HEADLINE_LENGTH && " long"}">${headline.value}</p>
      ${canCopy && isToPay && copyButton("Amount", headline.value.replaceAll(/[^\d.]/g, ""), words, true)}
      <p class="quiet small">${headline.note}</p>
      <div class="actions">
        ${payment !== null && markup`<a class="button primary" href="${payment.link}">${label("Pay with a UPI app")}</a>`}
        <a class="button" href="${pdfUrl}" download>${label("Download PDF")}</a>
      </div>
      ${
        payment !== null &&
        markup`<figure class="qr">
          <div role="img" aria-label="${words.qrFor(payment.amount)}">${new Html(payment.qrSvg)}</div>
          <figcaption class="small">
            <span class="quiet">${label("Scan to pay")}</span> <span class="strong">${payment.handle}</span>
            ${canCopy && copyButton("UPI ID", payment.handle, words)}
          </figcaption>
        </figure>`
      }
      ${
        view.bank.length > 0 &&
        markup`<section class="bank">
          <h2>${label("Bank transfer")}</h2>
          <dl class="facts">${facts(view.bank, words, canCopy)}</dl>
        </section>`
      }
    </div>
  </aside>`;
}

/** The title, the copy and an endorsement are as the law wants them printed. */
function introduction(view: InvoiceView, words: PageWords): Html {
  return markup`<section>
      <h1 lang="en-IN">${view.title}</h1>
      ${view.copyLabel !== "" && markup`<p class="quiet small" lang="en-IN">${view.copyLabel}</p>`}
      ${view.endorsement !== "" && markup`<p class="small" lang="en-IN">${view.endorsement}</p>`}
    </section>
    <section><dl class="facts">${facts(view.facts, words)}</dl></section>
    <section class="parties">${party(view.recipientLabel, view.recipient, words)}${party("From", view.supplier, words)}</section>`;
}

function facts(list: InvoiceView["facts"], words: PageWords, canCopy = false): Html[] {
  return list.map(
    (fact) =>
      markup`<dt>${words.label(fact.label)}</dt>
        <dd>${fact.value}${canCopy && copyButton(fact.label, fact.value, words)}</dd>`,
  );
}

/** Hidden until the script has found a clipboard. The script changes its first text. */
function copyButton(name: string, value: string, words: PageWords, isNamed = false): Html {
  const label = words.label(name);
  const text = isNamed ? words.copyNamed(label) : markup`${words.label("Copy")}<span class="unseen"> ${label}</span>`;
  return markup`<button type="button" class="copy" data-copy="${value}" data-said="${words.copiedNamed(label)}" hidden>${text}</button>`;
}

function party(label: string, shown: PartyView, words: PageWords): Html {
  return markup`<div>
    <h2>${words.label(label)}</h2>
    <p class="strong">${shown.name}</p>
    ${shown.lines.map((line) => markup`<p class="quiet small">${line}</p>`)}
    ${shown.facts.map((fact) => markup`<p class="small"><span class="quiet">${words.label(fact.label)}</span> ${fact.value}</p>`)}
  </div>`;
}

function rows(view: InvoiceView, words: PageWords): Html {
  const { label } = words;
  return markup`<section>
    ${view.columns.length > 0 && items(view, words)}
    <table class="totals" aria-label="${label("Totals")}">
      <tbody>
        ${view.totals.map(
          (total) =>
            markup`<tr class="${total.isStrong && "strong"}">
              <th scope="row">${label(total.label)} <span class="quiet small">${total.note}</span></th>
              <td class="number">${total.value}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <p class="words"><span class="quiet">${label("In words:")}</span> <span lang="en-IN">${view.amountInWords}</span></p>
  </section>`;
}

/** On a phone the code and the rate stand below the item; the wide columns are hidden there, and these on a desktop. */
function items(view: InvoiceView, { label }: PageWords): Html {
  const look = ({ isNumber, isBelowOnPhone }: InvoiceView["columns"][number]) =>
    [isBelowOnPhone && "wide", isNumber && "number"].filter((name) => name !== false).join(" ");
  const hint = ({ cells }: InvoiceView["rows"][number]) =>
    view.columns
      .map((column, index) => column.isBelowOnPhone && cells[index] !== "" && `${label(column.label)} ${cells[index]!}`)
      .filter((part) => part !== false)
      .join(" · ");
  return markup`<table aria-label="${label("Items")}">
      <thead>
        <tr>
          <th scope="col">${label("Item")}</th>
          ${view.columns.map((column) => markup`<th scope="col" class="${look(column)}">${label(column.label)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${view.rows.map(
          (row) =>
            markup`<tr>
              <th scope="row" class="item">
                ${row.item} ${row.description !== "" && markup`<p>${row.description}</p>`}
                ${hint(row) !== "" && markup`<p class="narrow">${hint(row)}</p>`}
              </th>
              ${row.cells.map((cell, index) => markup`<td class="${look(view.columns[index]!)}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`;
}

function summary(table: TableView | null, { label }: PageWords): Html | null {
  if (table === null) return null;
  const kind = (column: number) => column > 0 && "number";
  return markup`<section>
    <details>
      <summary>${label("Tax summary by HSN/SAC")}</summary>
      <div class="scroll" role="region" aria-label="${label("Tax summary")}" tabindex="0">
        <table>
          <thead>
            <tr>
              ${table.headings.map((heading, column) => markup`<th scope="col" class="${kind(column)}">${label(heading)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${[...table.rows, table.total].map(
              (cells) =>
                markup`<tr>
                  ${cells.map((words, column) => markup`<td class="${kind(column)}">${column === 0 ? label(words) : words}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </section>`;
}

function terms(view: InvoiceView, { label }: PageWords): Html | null {
  if (view.terms.length === 0) return null;
  return markup`<section>
    <h2>${label("Terms")}</h2>
    <p class="terms">${view.terms.join("\n")}</p>
  </section>`;
}
