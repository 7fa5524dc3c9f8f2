import type { Json } from './definition.ts';

/** Shared parameters are named with a hash of all they say, their description too. */
const HASHED_PARAMETER = /^(#\/parameters\/[A-Za-z]+)-[\w-]{8}$/;

interface Reply {
  readonly code: number;
  readonly body: Json;
  readonly warnings: readonly string[];
}

/** An answer without what differs from run to run, with causes and warnings in their own order. */
export function normalReply({ code, body, warnings }: Reply): Json {
  const said = [...warnings].sort();
  return {
    code,
    ...(said.length === 0 ? {} : { warnings: said }),
    body: body['kind'] === 'Status' ? normalStatus(body) : normalObject(body),
  };
}

/** The message of a refusal repeats its causes in their order, which may be any. */
function normalStatus({ message, details, ...status }: Json): Json {
  const causes = (details?.causes as Json[] | undefined)?.map((cause) => JSON.stringify(cause)).sort();
  if (causes === undefined) return { ...status, message, details };
  return { ...status, details: { ...details, causes } };
}

/** An object without uid, times and revisions. */
export function normalObject({ metadata, ...object }: Json): Json {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _time,
    managedFields,
    ...rest
  } = (metadata ?? {}) as Json;
  const managers = (managedFields as Json[] | undefined)?.map(({ time: _written, ...manager }) => manager);
  return { ...object, metadata: { ...rest, ...(managers === undefined ? {} : { managedFields: managers }) } };
}

/** A definition without times, with its conditions by type. */
export function normalDefinition(definition: Json): Json {
  const { status, metadata, ...rest } = normalObject(definition);
  const { managedFields: _managers, ...kept } = metadata as Json;
  const conditions = ((status?.conditions ?? []) as Json[]).map(({ lastTransitionTime: _time, ...condition }) => [
    condition['type'],
    condition,
  ]);
  return { ...rest, metadata: kept, status: { ...status, conditions: Object.fromEntries(conditions) as Json } };
}

/** An OpenAPI document without descriptions, except those of the schemas whose names `isOwn` knows. */
export function normalDocument(document: Json, isOwn: (schema: string) => boolean): Json {
  const schemas = (document['definitions'] ?? document['components']?.schemas ?? {}) as Json;
  const kept = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      isOwn(name) ? withoutGenericTexts(schema as Json) : undescribed(schema),
    ]),
  );
  return { paths: undescribed(document['paths'] ?? {}), schemas: kept };
}

const GENERIC = new Set(['apiVersion', 'kind', 'metadata', 'items']);

/** `apiVersion`, `kind` and `metadata` of every kind and of embedded objects are described in words of Kubernetes' own. */
function withoutGenericTexts(schema: Json): Json {
  return { ...schema, properties: membersOf((schema['properties'] ?? {}) as Json) };
}

function membersOf(properties: Json): Json {
  const texts = Object.entries(properties).map(([name, property]) => [
    name,
    GENERIC.has(name) ? undescribed(property) : withoutEmbeddedTexts(property),
  ]);
  return Object.fromEntries(texts) as Json;
}

function withoutEmbeddedTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmbeddedTexts);
  if (typeof value !== 'object' || value === null) return value;
  const isObject = (value as Json)['x-kubernetes-embedded-resource'] === true;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'properties' && isObject ? membersOf(member as Json) : withoutEmbeddedTexts(member),
    ]),
  );
}

function undescribed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(undescribed);
  if (typeof value === 'string') return value.replace(HASHED_PARAMETER, '$1');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== 'description' || typeof member !== 'string')
      .map(([name, member]) => [name, undescribed(member)]),
  );
}

/** Discovery with its resources by name: the real server lists kinds of a group in any order. */
export function normalDiscovery({ resources, ...document }: Json): Json {
  if (!Array.isArray(resources)) return document;
  return {
    ...document,
    resources: Object.fromEntries((resources as Json[]).map((one) => [one['name'] as string, one])),
  };
}
