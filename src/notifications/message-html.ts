// A message as HTML for mail clients: tables for layout, inline styles, pictures by content id. message-view.ts has the texts,
// templates/mail/message.css the styles that can't be inline.
import { readFileSync } from "node:fs";
import { accentPalette, type Fact } from "../documents/index.ts";
import { Html, markup } from "../platform/html.ts";
import type { MessageTable, MessageView } from "./message-view.ts";

/** The content id of the logo. */
export const LOGO_CONTENT_ID = "logo@nodal";

export type MessageLooks = {
  /** `#rrggbb`; anything else is the default colour. */
  readonly accentColour: string;
  readonly hasLogo: boolean;
};

const STYLE = readFileSync(new URL("../../templates/mail/message.css", import.meta.url), "utf8");
/** The backgrounds of the card, in both colour schemes. */
const BACKGROUNDS = { light: "#ffffff", dark: "#1c2229" };
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,sans-serif;";
const INK = "color:#1b242d;";
const QUIET = "color:#5c6875;";
const TEXT = `${FONT}${INK}font-size:16px;line-height:24px;`;
const SMALL = `${FONT}${QUIET}font-size:13px;line-height:19px;`;

type Palette = ReturnType<typeof accentPalette>;

/** The whole HTML part. All texts are escaped. */
export function messageHtml(view: MessageView, { accentColour, hasLogo }: MessageLooks): string {
  const accent = accentPalette(accentColour, BACKGROUNDS);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${view.subject}</title>
<style>${new Html(STYLE)}${new Html(accentStyle(accent))}</style>
</head>
<body class="ground" style="margin:0;padding:0;background-color:#eef1f4;">
<div style="display:none;max-height:0;overflow:hidden;">${view.preview}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#eef1f4;">
<tr><td class="outer" align="center" style="padding:32px 16px;">
<table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:560px;">
<tr><td style="padding:0 4px 16px;">${letterhead(view, hasLogo)}</td></tr>
<tr><td class="card bar" style="background-color:#ffffff;border:1px solid #dde3e9;border-top:4px solid ${accent.onLight};border-radius:8px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td class="inside" style="padding:28px 32px 0;">
<h1 class="ink" style="margin:0 0 16px;${FONT}${INK}font-size:22px;line-height:28px;font-weight:700;">${view.title}</h1>
<p class="ink" style="margin:0 0 12px;${TEXT}">${view.greeting}</p>
${view.paragraphs.map((words) => markup`<p class="ink" style="margin:0 0 20px;${TEXT}">${words}</p>`)}
</td></tr>
<tr><td class="inside" style="padding:0 32px;">${amount(view)}</td></tr>
<tr><td class="inside" style="padding:20px 32px 4px;">${view.table ? table(view.table) : facts(view.facts)}</td></tr>
${view.button && markup`<tr><td class="inside" style="padding:20px 32px 0;">${button(view.button, accent)}</td></tr>`}
<tr><td class="inside" style="padding:20px 32px 28px;">
${view.closing.map((words) => markup`<p class="ink" style="margin:0 0 8px;${TEXT}font-size:15px;">${words}</p>`)}
</td></tr>
</table>
</td></tr>
<tr><td style="padding:20px 4px 0;">
<p class="quiet" style="margin:0 0 2px;${SMALL}font-weight:700;">${view.senderName}</p>
${view.senderLines.map((line) => markup`<p class="quiet" style="margin:0;${SMALL}">${line}</p>`)}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`.text;
}

/** The accent needs another shade to be readable in the dark scheme. */
function accentStyle(accent: Palette): string {
  return `@media (prefers-color-scheme: dark) {
  .bar { border-top-color: ${accent.onDark} !important; }
  .button { background-color: ${accent.onDark} !important; color: ${accent.textOnDark} !important; }
}
`;
}

function letterhead({ senderName }: MessageView, hasLogo: boolean): Html {
  const name = markup`<td class="ink" style="${FONT}${INK}font-size:17px;line-height:24px;font-weight:700;">${senderName}</td>`;
  // The name is beside it, for readers without pictures.
  const logo = markup`<td width="1" style="padding-right:12px;"><img class="logo" src="cid:${LOGO_CONTENT_ID}" alt=""
height="44" style="display:block;height:44px;width:auto;max-width:160px;border:0;"></td>`;
  return markup`<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>${hasLogo && logo}${name}</tr></table>`;
}

function amount({ headline }: MessageView): Html {
  const { label, value, note, isBad } = headline;
  const noteColour = isBad ? "color:#b3261e;" : QUIET;
  return markup`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td class="panel" style="background-color:#f3f6f9;border-radius:8px;padding:16px 20px;">
<p class="quiet" style="margin:0;${SMALL}font-size:14px;">${label}</p>
<p class="ink amount" style="margin:2px 0;${FONT}${INK}font-size:30px;line-height:38px;font-weight:700;">${value}</p>
<p class="${isBad ? "bad" : "quiet"}" style="margin:0;${SMALL}font-size:14px;${noteColour}">${note}</p>
</td></tr></table>`;
}

function facts(list: readonly Fact[]): Html {
  const rule = "border-bottom:1px solid #e6ebf0;padding:8px 0;vertical-align:top;";
  return markup`<table width="100%" cellpadding="0" cellspacing="0" border="0">
${list.map(
  ({ label, value }) => markup`<tr>
<th class="quiet rule" scope="row" align="left" style="${rule}${SMALL}font-size:14px;font-weight:400;text-align:left;padding-right:16px;white-space:nowrap;">${label}</th>
<td class="ink rule" align="right" style="${rule}${FONT}${INK}font-size:14px;line-height:19px;text-align:right;word-break:break-word;">${value}</td>
</tr>`,
)}
</table>`;
}

function table({ headings, rows, note }: MessageTable): Html {
  const rule = "border-bottom:1px solid #e6ebf0;padding:10px 12px 10px 0;vertical-align:top;text-align:left;";
  return markup`<table width="100%" cellpadding="0" cellspacing="0" border="0">
<tr>${headings.map((heading) => markup`<th class="quiet rule" scope="col" align="left" style="${rule}${SMALL}font-weight:400;">${heading}</th>`)}</tr>
${rows.map(
  (cells) =>
    markup`<tr>${cells.map(
      ({
        text,
        note: below,
      }) => markup`<td class="ink rule" align="left" style="${rule}${FONT}${INK}font-size:14px;line-height:19px;word-break:break-word;">${text}
${below !== "" && markup`<p class="quiet" style="margin:2px 0 0;${SMALL}">${below}</p>`}</td>`,
    )}</tr>`,
)}
</table>
${note !== "" && markup`<p class="quiet" style="margin:8px 0 0;${SMALL}">${note}</p>`}`;
}

function button({ label, url }: NonNullable<MessageView["button"]>, accent: Palette): Html {
  return markup`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="left">
<a class="button" href="${url}" style="display:inline-block;background-color:${accent.onLight};color:${accent.textOnLight};${FONT}font-size:16px;line-height:20px;font-weight:700;text-align:center;text-decoration:none;border-radius:6px;padding:13px 28px;">${label}</a>
</td></tr></table>`;
}
