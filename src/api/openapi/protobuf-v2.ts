import {
  any,
  bool,
  double,
  integer,
  mapOf,
  membersOf,
  message,
  repeated,
  string,
  strings,
  within,
  writeMessage,
} from './message-writer.ts';
import type { Member } from './document.ts';
import type { JsonObject } from './json-schema.ts';
import type { FieldWriter, MessageShape } from './message-writer.ts';

/** The media type of the protobuf form of `/openapi/v2`. */
export const PROTOBUF_V2_TYPE = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** An OpenAPI v2 document with its large objects as lists of members. */
export interface DocumentV2 extends JsonObject {
  readonly paths: readonly Member[];
  readonly definitions: readonly Member[];
  readonly parameters: readonly Member[];
}

/**
 * The protobuf form of an OpenAPI v2 document (gnostic's message `openapi.v2.Document`). Drops what the messages have no
 * field for, which custom resources may contain.
 */
export function protobufV2(document: DocumentV2): Uint8Array {
  return writeMessage(document, messages.document);
}

/** Looked up when written, because messages are mutually recursive. */
function of(name: MessageName): FieldWriter {
  return message(() => messages[name]);
}

const schema = of('schema');
const operation = of('operation');
const bodyParameter = within(1, of('bodyParameter'));
const queryParameter = within(2, within(3, of('queryParameter')));
const pathParameter = within(2, within(4, of('pathParameter')));

const parameter: FieldWriter = (writer, number, value) => {
  const place = (value as JsonObject)['in'];
  const write = place === 'body' ? bodyParameter : place === 'path' ? pathParameter : queryParameter;
  write(writer, number, value);
};

const ownParameter = within(1, parameter);
const parameterReference = within(2, of('reference'));

const parameterOrReference: FieldWriter = (writer, number, value) => {
  const write = (value as JsonObject)['$ref'] === undefined ? ownParameter : parameterReference;
  write(writer, number, value);
};

const innerSchema = within(1, schema);

const schemaOrBoolean: FieldWriter = (writer, number, value) => {
  if (typeof value === 'boolean') writer.message(number, () => writer.bool(2, value));
  else innerSchema(writer, number, value);
};

const type: FieldWriter = (writer, number, value) => {
  writer.message(number, () => strings(writer, 1, [value].flat()));
};

type MessageName =
  | 'document'
  | 'info'
  | 'apiKey'
  | 'pathItem'
  | 'operation'
  | 'response'
  | 'reference'
  | 'bodyParameter'
  | 'pathParameter'
  | 'queryParameter'
  | 'schema';

const messages: Readonly<Record<MessageName, MessageShape>> = {
  document: {
    fields: [
      [1, 'swagger', string],
      [2, 'info', of('info')],
      [8, 'paths', membersOf(of('pathItem'), 2)],
      [9, 'definitions', membersOf(schema)],
      [10, 'parameters', membersOf(parameter)],
      [12, 'security', repeated(mapOf(within(1, strings)))],
      [13, 'securityDefinitions', mapOf(within(2, of('apiKey')))],
    ],
    extensions: 16,
  },
  info: {
    fields: [
      [1, 'title', string],
      [2, 'version', string],
      [3, 'description', string],
    ],
    extensions: 7,
  },
  apiKey: {
    fields: [
      [1, 'type', string],
      [2, 'name', string],
      [3, 'in', string],
      [4, 'description', string],
    ],
    extensions: 5,
  },
  pathItem: {
    fields: [
      [2, 'get', operation],
      [3, 'put', operation],
      [4, 'post', operation],
      [5, 'delete', operation],
      [6, 'options', operation],
      [7, 'head', operation],
      [8, 'patch', operation],
      [9, 'parameters', repeated(parameterOrReference)],
    ],
    extensions: 10,
  },
  operation: {
    fields: [
      [1, 'tags', strings],
      [2, 'summary', string],
      [3, 'description', string],
      [5, 'operationId', string],
      [6, 'produces', strings],
      [7, 'consumes', strings],
      [8, 'parameters', repeated(parameterOrReference)],
      [9, 'responses', mapOf(within(1, of('response')))],
      [10, 'schemes', strings],
      [11, 'deprecated', bool],
    ],
    extensions: 13,
  },
  response: {
    fields: [
      [1, 'description', string],
      [2, 'schema', innerSchema],
    ],
    extensions: 5,
  },
  reference: {
    fields: [
      [1, '$ref', string],
      [2, 'description', string],
    ],
  },
  bodyParameter: {
    fields: [
      [1, 'description', string],
      [2, 'name', string],
      [3, 'in', string],
      [4, 'required', bool],
      [5, 'schema', schema],
    ],
    extensions: 6,
  },
  pathParameter: {
    fields: [
      [1, 'required', bool],
      [2, 'in', string],
      [3, 'description', string],
      [4, 'name', string],
      [5, 'type', string],
      [6, 'format', string],
      [19, 'uniqueItems', bool],
    ],
    extensions: 22,
  },
  queryParameter: {
    fields: [
      [1, 'required', bool],
      [2, 'in', string],
      [3, 'description', string],
      [4, 'name', string],
      [6, 'type', string],
      [7, 'format', string],
      [20, 'uniqueItems', bool],
    ],
    extensions: 23,
  },
  schema: {
    fields: [
      [1, '$ref', string],
      [2, 'format', string],
      [3, 'title', string],
      [4, 'description', string],
      [5, 'default', any],
      [6, 'multipleOf', double],
      [7, 'maximum', double],
      [8, 'exclusiveMaximum', bool],
      [9, 'minimum', double],
      [10, 'exclusiveMinimum', bool],
      [11, 'maxLength', integer],
      [12, 'minLength', integer],
      [13, 'pattern', string],
      [14, 'maxItems', integer],
      [15, 'minItems', integer],
      [16, 'uniqueItems', bool],
      [17, 'maxProperties', integer],
      [18, 'minProperties', integer],
      [19, 'required', strings],
      [20, 'enum', repeated(any)],
      [21, 'additionalProperties', schemaOrBoolean],
      [22, 'type', type],
      [23, 'items', innerSchema],
      [24, 'allOf', repeated(schema)],
      [25, 'properties', mapOf(schema)],
      [27, 'readOnly', bool],
      [30, 'example', any],
    ],
    extensions: 31,
  },
};
