import type { KubernetesVersion } from '../../base/index.ts';
import { kubernetesInfo, openApiDocument, type OpenApiDocument } from './document.ts';
import type { ForeignPartV2 } from './foreign-v2.ts';
import type { JsonObject } from './json-schema.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
const KEPT_OF_OPERATIONS = ['tags', 'summary', 'description', 'operationId', 'deprecated'];
const SIMPLE_SCHEMA = ['type', 'format', 'uniqueItems', 'items', 'enum', 'default', 'minimum', 'maximum', 'pattern'];

/** Converts another server's OpenAPI v2 to v3, for servers without v3. */
export function convertedToV3(
  { paths, definitions, parameters }: ForeignPartV2,
  version: KubernetesVersion,
): OpenApiDocument {
  const document = {
    openapi: '3.0.0',
    info: kubernetesInfo(version),
    paths: mapped(paths, (item) => pathItem(item, parameters)),
    components: { schemas: mapped(definitions, schema) },
  };
  return openApiDocument(JSON.stringify(document));
}

type Parameters = ForeignPartV2['parameters'];

function pathItem(item: JsonObject, shared: Parameters): JsonObject {
  const operations = METHODS.filter((method) => isObject(item[method])).map((method) => [
    method,
    operation(item[method] as JsonObject, shared),
  ]);
  const own = listOf(item['parameters']).map((one) => parameter(resolved(one, shared)));
  return { ...extensionsOf(item), ...Object.fromEntries(operations), ...(own.length === 0 ? {} : { parameters: own }) };
}

function operation(value: JsonObject, shared: Parameters): JsonObject {
  const all = listOf(value['parameters']).map((one) => resolved(one, shared));
  const body = all.find((one) => one['in'] === 'body');
  const others = all.filter((one) => one !== body).map(parameter);
  const responses = isObject(value['responses']) ? value['responses'] : {};
  return {
    ...picked(value, KEPT_OF_OPERATIONS),
    ...(others.length === 0 ? {} : { parameters: others }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            content: content(value['consumes'], body['schema']),
            ...(body['required'] === true ? { required: true } : {}),
          },
        }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, one]) => [code, response(isObject(one) ? one : {}, value['produces'])]),
    ),
    ...extensionsOf(value),
  };
}

function response(value: JsonObject, produces: unknown): JsonObject {
  const description = typeof value['description'] === 'string' ? value['description'] : '';
  return value['schema'] === undefined ? { description } : { description, content: content(produces, value['schema']) };
}

/** The same schema for each of the media types. */
function content(types: unknown, value: unknown): JsonObject {
  const names = Array.isArray(types) ? types.filter((type) => typeof type === 'string') : [];
  return Object.fromEntries((names.length === 0 ? ['*/*'] : names).map((type) => [type, { schema: schema(value) }]));
}

function parameter(value: JsonObject): JsonObject {
  const given = value['schema'] === undefined ? picked(value, SIMPLE_SCHEMA) : schema(value['schema']);
  return {
    ...picked(value, ['name', 'in', 'description', 'required', 'allowEmptyValue']),
    schema: given,
    ...extensionsOf(value),
  };
}

/** Replaces references to shared parameters by the parameters. */
function resolved(value: JsonObject, shared: Parameters): JsonObject {
  const reference = value['$ref'];
  return typeof reference === 'string' ? (shared.get(reference.slice(reference.lastIndexOf('/') + 1)) ?? {}) : value;
}

/** Rewrites references for v3, where a reference stands alone: its neighbours go around it. */
function schema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schema);
  if (!isObject(value)) return value;
  const { $ref: reference, ...rest } = value;
  const own = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, schema(member)]));
  if (typeof reference !== 'string') return reference === undefined ? own : { ...own, $ref: schema(reference) };
  const target = { $ref: reference.replace('#/definitions/', '#/components/schemas/') };
  return Object.keys(own).length === 0 ? target : { ...own, allOf: [target] };
}

function mapped(values: ReadonlyMap<string, JsonObject>, convert: (value: JsonObject) => unknown): JsonObject {
  const names = [...values.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, convert(values.get(name) ?? {})]));
}

function picked(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]));
}

function extensionsOf(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name.startsWith('x-')));
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
