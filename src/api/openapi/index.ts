// The documents below /openapi, made from type tables and lists of resources.
export { convertedToV3 } from './convert-v2.ts';
export { customSchemas } from './custom-schemas.ts';
export { type Descriptions, loadDescriptions } from './descriptions.ts';
export type { OpenApiDocument } from './document.ts';
export { DocumentSources } from './document-sources.ts';
export { type ForeignPartV2, readForeignV2 } from './foreign-v2.ts';
export type { JsonSchema } from './json-schema.ts';
export { type OpenApiDocumentV2, OpenApiV2 } from './openapi-v2.ts';
export { OpenApiV3, openApiV3Index, serverRelativeUrl } from './openapi-v3.ts';
export { PROTOBUF_V2_TYPE } from './protobuf-v2.ts';
export type {
  DocumentedType,
  HttpMethod,
  ServedResource,
  ServedSubresource,
  SubresourceStyle,
  TypeSource,
  WrittenSchema,
} from './served-resource.ts';
