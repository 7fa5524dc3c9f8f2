// What other folders may use: JSON in and out, the canonical form of objects, and the errors of malformed bodies.
export { canonicalize, canonicalizeOwned, canonicalObject, type CanonicalizeOptions } from './canonicalize.ts';
export { DecodeError, type DecodeReason } from '../../base/index.ts';
export {
  type Decoded,
  decodeJson,
  type DecodeOptions,
  type FieldValidation,
  jsonDecoding,
  nodeDecoding,
} from './decode-json.ts';
export { encodeJson, encodePrettyJson, encodeSortedJson } from './encode-json.ts';
export { decodeUtf8 } from './go-utf8.ts';
export { JsonBody } from './json-body.ts';
export { type JsonCopy, jsonCopy } from './json-copy.ts';
export { jsonEncoding } from './json-encoding.ts';
export { type JsonEntry, type JsonNode, NULL_NODE } from './json-node.ts';
export { parseUntyped, untypedValue } from './parse-untyped.ts';
export { isPlainObject, type PlainObject, setOwn } from './plain-object.ts';
export {
  forgetSentEmpty,
  holdsSentEmpty,
  keepAllSentEmpty,
  keepSentEmpty,
  sentEmpty,
  withoutSentEmpty,
  withSentEmpty,
} from './sent-empty.ts';
export { isSchemaScalar, type SchemaScalar } from './schema-rules.ts';
export { describeProblem, type StrictProblem } from './strict-problem.ts';
export { type TypeMeta, typeMetaOf, typeMetaOfNode } from './type-meta.ts';
