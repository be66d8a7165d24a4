// What the renderer and its worker processes say to each other.

/** Where workers find templates and fonts. Their one command-line argument, as JSON. */
export type WorkerSettings = {
  readonly templatesDir: string;
  readonly fontDirs: readonly string[];
};

/** What a worker says once, when it can take its first request. */
export const READY = "ready";

/** One document to render: `data` is JSON text, `assets` are files by the path at which the template sees them. */
export type RenderRequest = {
  /** `svg`: all pages in one picture, one below the other. */
  readonly format: "pdf" | "svg";
  readonly template: string;
  readonly data: string;
  readonly assets: readonly (readonly [path: string, bytes: Uint8Array])[];
};

export type PictureType = "image/png" | "image/jpeg" | "image/svg+xml";
/** A picture as somebody gave it. */
export type Picture = { readonly mimeType: PictureType; readonly bytes: Uint8Array };

/** A file, or why there is none: for a picture, a sentence for its giver; `tooLong`: the pages of a document that is not drawn as SVG. */
export type Reply = { readonly file: Uint8Array } | { readonly problem: string } | { readonly tooLong: number };

/** An SVG of more is of more than 10 MB. */
export const MAX_PAGES_IN_SVG = 20;
