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
  readonly template: string;
  readonly data: string;
  readonly assets: readonly (readonly [path: string, bytes: Uint8Array])[];
};

export type PictureType = "image/png" | "image/jpeg" | "image/svg+xml";
/** A picture as somebody gave it. */
export type Picture = { readonly mimeType: PictureType; readonly bytes: Uint8Array };

/** A file, or why there is none: for a picture, a sentence for its giver. */
export type Reply = { readonly file: Uint8Array } | { readonly problem: string };
