import { type ApiObject, builtInTypes, type Struct, type TypeTable } from '../../../api/index.ts';
import { discardLogger, VirtualClock } from '../../../base/index.ts';
import type { Column, Resource } from '../../resource.ts';
import { builtInCapabilities, customCapabilities } from '../../capabilities.ts';
import { jsonStorage } from '../../storage/storage-codec.ts';
import { StoredObject } from '../../storage/stored-object.ts';
import { bytesOf } from '../../testing/memory-server.ts';
import { LazyCall } from '../../transport/lazy-call.ts';
import { AnswerEncoder } from '../answer-encoder.ts';
import type { EncodedAnswer } from '../answer.ts';
import { Negotiator } from '../negotiator.ts';

export const types: TypeTable = builtInTypes();

export interface ResourceOptions {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly columns?: readonly Column[];
  readonly isCustom?: boolean;
}

/** A resource like those in `resources/`, with what answers need. */
export function resourceOf({
  group = '',
  version = 'v1',
  kind,
  columns = [],
  isCustom = false,
}: ResourceOptions): Resource {
  const type = isCustom ? customType : types.kind({ group, version, kind });
  if (type === undefined) throw new Error(`No kind is named "${kind}"`);
  const plural = `${kind.toLowerCase()}s`;
  return {
    group,
    version,
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    type,
    storage: {
      prefix: `/registry/${plural}/`,
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      type,
      encoding: isCustom ? 'json' : 'protobuf',
    },
    capabilities: isCustom ? customCapabilities : builtInCapabilities,
    strategy: {},
    subresources: new Map(),
    columns,
    selectableFields: [],
    fieldValue: () => '',
  };
}

/** The type of a custom resource without a schema. */
const customType: Struct = {
  name: 'com.example.Anything',
  shortName: 'Anything',
  fields: [],
  field: () => undefined,
  kind: undefined,
  isAtomic: false,
  unions: [],
  preservesUnknown: true,
};

/** A stored object; `object` is complete, with its resourceVersion. */
export function stored(object: ApiObject, resource: Resource): StoredObject {
  const codec = jsonStorage(resource.type);
  const modRevision = Number(object.metadata.resourceVersion);
  const { resourceVersion: _, ...metadata } = object.metadata;
  return new StoredObject({ key: 'k', value: codec.encode({ ...object, metadata }), modRevision }, codec);
}

export interface RequestOptions {
  readonly method?: string;
  readonly accept?: string;
  readonly userAgent?: string;
}

export function callOf(
  target: string,
  { method = 'GET', accept = '', userAgent = 'test/1' }: RequestOptions = {},
): LazyCall {
  const headers: Readonly<Record<string, string>> = { accept, 'user-agent': userAgent };
  const source = {
    method,
    target,
    remoteAddress: '127.0.0.1',
    certificate: undefined,
    proxyCertificate: undefined,
    header: (name: string) => headers[name] || undefined,
    headers: (name: string) => (headers[name] === undefined ? [] : [headers[name]]),
    headerNames: () => Object.keys(headers),
    hasHeader: (test: (name: string) => boolean) => Object.keys(headers).some(test),
    isUpgrade: false,
    body: async () => new Uint8Array(),
    bodyStream: async function* () {},
  };
  return new LazyCall(source, 0);
}

export function newEncoder(): AnswerEncoder {
  return new AnswerEncoder({ types, clock: new VirtualClock(), log: discardLogger, negotiator: new Negotiator() });
}

export async function textOf(answer: EncodedAnswer): Promise<string> {
  return (await bytesOf(answer)).toString();
}

export async function* eventsOf<T>(...batches: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
  yield* batches;
}
