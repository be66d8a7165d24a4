// What the bundle of Swagger UI takes, as far as it is used here: it comes without types.
declare module "@fastify/swagger-ui/static/swagger-ui-bundle.js" {
  const SwaggerUI: (options: {
    readonly dom_id: string;
    readonly url: string;
    readonly deepLinking: boolean;
    readonly validatorUrl: null;
    readonly defaultModelsExpandDepth: number;
    readonly docExpansion: "none";
    readonly displayOperationId: boolean;
  }) => void;
  export default SwaggerUI;
}
