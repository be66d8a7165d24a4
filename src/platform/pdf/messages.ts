// Messages between the renderer and its worker processes.

/** Folders of templates and fonts. The workers' only command-line argument, as JSON. */
export type WorkerSettings = {
  readonly templatesDir: string;
  readonly fontDirs: readonly string[];
};

/** A worker's message when it is ready for its first request. */
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
/** An uploaded picture. */
export type Picture = { readonly mimeType: PictureType; readonly bytes: Uint8Array };

/** A file, or the problem: for a picture, a sentence for the user; `tooLong`: the number of pages, if too many for an SVG. */
export type Reply = { readonly file: Uint8Array } | { readonly problem: string } | { readonly tooLong: number };

/** More pages make an SVG of over 10 MB. */
export const MAX_PAGES_IN_SVG = 20;
