// The texts of the public page, in English and in Hindi. Texts that the law prescribes or the merchant wrote stay as in the document: its title, the
// copy, an endorsement, the names of taxes, the amount in words.

const ENGLISH = {
  tag: "en-IN",
  /** Labels, headings and buttons: the English ones are their names. */
  label: (english: string): string => english,
  /** Joins two sentences, the second of which may be empty. */
  join: (first: string, second: string): string => sentences(first, second, "."),
  dueOn: (day: string): string => `Due on ${day}`,
  dueToday: (day: string): string => `Due today, ${day}`,
  dueIn: (day: string, days: number): string => `Due on ${day}, in ${inDays(days)}`,
  wasDueOn: (day: string): string => `Was due on ${day}`,
  wasDueAgo: (day: string, days: number): string => `Was due on ${day}, ${inDays(days)} ago`,
  wasCancelled: (noun: string): string => `This ${noun.toLowerCase()} was cancelled.`,
  wasCredited: (noun: string): string => `This ${noun.toLowerCase()} was credited in full.`,
  carriedForward: "The amount due was moved to a later invoice.",
  nothingDue: "Nothing is due.",
  thanks: "Nothing is due. Thank you.",
  againstInvoice: (number: string): string => `Against invoice ${number}`,
  refunded: (amount: string, day: string, isLastOfMany: boolean): string =>
    `${amount} refunded${isLastOfMany ? ", last" : ""} on ${day}.`,
  /** The base of a tax. */
  onAmount: (amount: string): string => `on ${amount}`,
  onDay: (day: string): string => `on ${day}`,
  skipTo: (noun: string): string => `Skip to the ${noun.toLowerCase()}`,
  copyNamed: (label: string): string => `Copy ${label.toLowerCase()}`,
  copiedNamed: (label: string): string => `${label} copied`,
  qrFor: (amount: string): string => `UPI QR code for ${amount}`,
  lost: "Invoice not found",
  lostHint:
    "The link may be incomplete or out of date. Open it again from your message, or ask the sender for a new one.",
} as const;

type Words<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : T[Key] };
export type PageWords = Words<typeof ENGLISH>;

/** Kinds of documents, which are nouns in other labels. */
const HINDI_NOUNS: Readonly<Record<string, string>> = {
  Invoice: "इनवॉइस",
  "Opening balance": "शुरुआती बकाया",
  "Credit note": "क्रेडिट नोट",
  "Debit note": "डेबिट नोट",
  Estimate: "एस्टिमेट",
};

const HINDI_LABELS: Readonly<Record<string, string>> = {
  ...HINDI_NOUNS,
  ...Object.fromEntries(
    Object.entries(HINDI_NOUNS).flatMap(([noun, hindi]) => [
      [`${noun} no.`, `${hindi} नंबर`],
      [`${noun} date`, `${hindi} की तारीख`],
      [`This ${noun.toLowerCase()}`, `यह ${hindi}`],
    ]),
  ),
  Payment: "भुगतान",
  Amount: "राशि",
  "Amount due": "देय राशि",
  Paid: "चुकाया गया",
  Unpaid: "बाकी है",
  "Partially paid": "कुछ चुकाया गया",
  Overdue: "ओवरड्यू",
  Cancelled: "रद्द",
  Credited: "क्रेडिट किया गया",
  "Carried forward": "आगे बढ़ाया गया",
  "Paid online": "ऑनलाइन चुकाया गया",
  Draft: "ड्राफ़्ट",
  "Pay with a UPI app": "UPI ऐप से भुगतान करें",
  "Download PDF": "PDF डाउनलोड करें",
  "Scan to pay": "भुगतान के लिए स्कैन करें",
  "Bank transfer": "बैंक ट्रांसफ़र",
  "Account name": "खाताधारक का नाम",
  "Account number": "खाता नंबर",
  IFSC: "IFSC",
  "UPI ID": "UPI ID",
  Copy: "कॉपी करें",
  Copied: "कॉपी हो गया",
  "Billed to": "बिल किसके नाम",
  "Owed by": "किस पर बकाया",
  "Credited to": "क्रेडिट किसके नाम",
  "Estimate for": "एस्टिमेट किसके लिए",
  From: "किसकी ओर से",
  "Customer code": "ग्राहक कोड",
  "Ship to": "डिलीवरी का पता",
  "Against invoice": "किस इनवॉइस पर",
  Dated: "उसकी तारीख",
  "Due date": "देय तिथि",
  "Billing period": "बिल की अवधि",
  "Place of supply": "आपूर्ति का स्थान",
  "Country of destination": "किस देश को",
  "Reverse charge": "रिवर्स चार्ज",
  "Shipping bill": "शिपिंग बिल",
  "Port code": "पोर्ट कोड",
  Item: "आइटम",
  Items: "आइटम",
  Qty: "मात्रा",
  Unit: "इकाई",
  "Rate (₹)": "दर (₹)",
  Discount: "छूट",
  Tax: "टैक्स",
  Cess: "सेस",
  "With tax": "टैक्स सहित",
  "Amount (₹)": "राशि (₹)",
  Totals: "जोड़",
  Subtotal: "उप-योग",
  "Taxable value": "कर योग्य राशि",
  "Round off": "राउंड-ऑफ़",
  "Previous dues": "पिछला बकाया",
  Total: "कुल",
  "Total payable": "कुल देय",
  "Total credit": "कुल क्रेडिट",
  "Total debit": "कुल डेबिट",
  "Estimated total": "अनुमानित कुल",
  "Credit notes": "क्रेडिट नोट",
  Refunded: "लौटाया गया",
  "In words:": "शब्दों में:",
  "Tax summary": "टैक्स का सारांश",
  "Tax summary by HSN/SAC": "HSN/SAC के अनुसार टैक्स का सारांश",
  "GST rate": "GST दर",
  "Total tax": "कुल टैक्स",
  Terms: "शर्तें",
};

const hindi = (english: string): string => HINDI_LABELS[english] ?? english;

const HINDI: PageWords = {
  tag: "hi",
  label: hindi,
  join: (first, second) => sentences(first, second, "।"),
  dueOn: (day) => `देय तिथि ${day}`,
  dueToday: (day) => `आज देय, ${day}`,
  dueIn: (day, days) => `देय तिथि ${day}, ${days} दिन बाकी`,
  wasDueOn: (day) => `देय तिथि ${day} थी`,
  wasDueAgo: (day, days) => `देय तिथि ${day} थी, ${days} दिन पहले`,
  wasCancelled: (noun) => `यह ${hindi(noun)} रद्द हो चुका है।`,
  wasCredited: (noun) => `इस ${hindi(noun)} की पूरी राशि क्रेडिट कर दी गई है।`,
  carriedForward: "देय राशि बाद के इनवॉइस में जोड़ दी गई है।",
  nothingDue: "कुछ देय नहीं है।",
  thanks: "कुछ देय नहीं है। धन्यवाद।",
  againstInvoice: (number) => `इनवॉइस ${number} पर`,
  refunded: (amount, day, isLastOfMany) => `${amount} लौटाए गए, ${isLastOfMany ? "पिछली बार " : ""}${day} को।`,
  onAmount: (amount) => `${amount} पर`,
  onDay: (day) => `${day} को`,
  skipTo: (noun) => `सीधे ${hindi(noun)} पर जाएँ`,
  copyNamed: (label) => `${label} कॉपी करें`,
  copiedNamed: (label) => `${label} कॉपी हो गया`,
  qrFor: (amount) => `${amount} के लिए UPI QR कोड`,
  lost: "इनवॉइस नहीं मिला",
  lostHint: "लिंक अधूरा या पुराना हो सकता है। उसे अपने संदेश से फिर खोलें, या भेजने वाले से नया लिंक माँगें।",
};

export const PAGE_WORDS = { en: ENGLISH as PageWords, hi: HINDI } as const;
export type PageLanguage = keyof typeof PAGE_WORDS;
/** Each language's name for itself. */
export const LANGUAGE_NAMES: Readonly<Record<PageLanguage, string>> = { en: "English", hi: "हिन्दी" };

const isKnown = (name: string): name is PageLanguage => Object.hasOwn(PAGE_WORDS, name);

/**
 * The language of a page: what its reader chose (`?lang=`), or else the first of ours that the browser prefers
 * (`Accept-Language`: RFC 9110, section 12.5.4).
 */
export function pageLanguage(chosen: unknown, preferred = ""): PageLanguage {
  if (typeof chosen === "string" && isKnown(chosen)) return chosen;
  const ranges = preferred.split(",").map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    return { name: tag.split("-")[0]!, weight: Number(weight) };
  });
  const best = ranges
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name }) => name)
    .find(isKnown);
  return best ?? "en";
}

function inDays(days: number): string {
  return `${days} ${days === 1 ? "day" : "days"}`;
}

/** Joins two sentences: the first ends with `stop` if there is a second. */
function sentences(first: string, second: string, stop: string): string {
  if (first === "" || second === "") return first + second;
  return `${first.endsWith(stop) ? first.slice(0, -stop.length) : first}${stop} ${second}`;
}
