// What the renderer and its worker process say to each other.
// What belongs here: the shapes of the messages, which both sides import.

/** Where the worker finds templates and fonts. Its one command-line argument, as JSON. */
export type WorkerSettings = { readonly templatesDir: string; readonly fontDirs: readonly string[] };

/** One document to render: `data` is JSON text, `assets` are files by the path at which the template sees them. */
export type RenderRequest = {
  readonly template: string;
  readonly data: string;
  readonly assets: readonly (readonly [path: string, bytes: Uint8Array])[];
};

export type RenderReply = { readonly pdf: Uint8Array } | { readonly problem: string };
