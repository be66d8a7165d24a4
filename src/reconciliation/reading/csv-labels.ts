// Labels of table rows without a date.

export const OPENING =
  /^(?:opening bal(?:ance)?|bal(?:ance)? b(?:rought)?[ /]?f(?:orward|wd)?|brought forward|b\/?f)\W*$/i;
export const CLOSING =
  /^(?:closing bal(?:ance)?|bal(?:ance)? c(?:arried)?[ /]?f(?:orward|wd)?|carried forward|c\/?f)\W*$/i;
export const TOTAL =
  /^(?:(?:transactions?|grand|page|sub|statement|account|period)[ -]*)?totals?(?: (?:amounts?|debits?|credits?|transactions?))?\W*$/i;
/** Beginnings of the texts below the lines. */
export const FOOTER =
  /^\W*(?:statement summary|end of (?:the )?statement|legends?\b|notes?\s*(?:[:-]|$)|(?:this is a )?computer[ -]generated|generated (?:on|through|by)|unless (?:the )?constituent|disclaimer|abbreviations)/i;
