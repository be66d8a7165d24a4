// The used part of Swagger UI's bundle, which comes without types.
declare module "@fastify/swagger-ui/static/swagger-ui-bundle.js" {
  /** A value of Immutable.js. */
  type Immutable<Value> = { readonly toJS: () => Value };
  /** A request that was sent. */
  export type SentRequest = Immutable<{
    readonly url: string;
    readonly method: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** Text, or the fields of a form. */
    readonly body?: string | Readonly<Record<string, unknown>>;
  }>;
  type Operation = { readonly operationId: string; readonly summary?: string; readonly tags: readonly [string] };
  export type OpenApiDocument = {
    readonly tags: readonly { readonly name: string }[];
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const SwaggerUI: (options: {
    readonly dom_id: string;
    readonly url: string;
    readonly deepLinking: boolean;
    readonly validatorUrl: null;
    readonly defaultModelsExpandDepth: number;
    readonly docExpansion: "none";
    readonly displayOperationId: boolean;
    readonly requestSnippetsEnabled: boolean;
    readonly requestSnippets: {
      readonly generators: Readonly<Record<string, { readonly title: string; readonly syntax: string }>>;
    };
    readonly plugins: readonly (() => { readonly fn: Readonly<Record<string, (request: SentRequest) => string>> })[];
    readonly onComplete: () => void;
  }) => {
    readonly specSelectors: { readonly specJson: () => Immutable<OpenApiDocument> };
    /** Opens the operation that a hash names, and scrolls to it. */
    readonly layoutActions: { readonly parseDeepLinkHash: (hash: string) => void };
  };
  export default SwaggerUI;
}
