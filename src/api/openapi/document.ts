import { createHash } from 'node:crypto';
import type { KubernetesVersion } from '../../base/index.ts';
import type { GroupVersion } from '../values/index.ts';
import type { JsonObject } from './json-schema.ts';
import type { GroupVersionKind } from '../schema/schema.ts';
import type { SchemaText } from './schema-texts.ts';
import { type DocumentedType, isWritten } from './served-resource.ts';

/** A document to be served. */
export interface OpenApiDocument {
  readonly body: Uint8Array;
  /** The hash of the body in upper case hexadecimal; quoted, it is the `ETag` header. */
  readonly etag: string;
}

export function openApiDocument(text: string): OpenApiDocument {
  const body = Buffer.from(text);
  return { body, etag: createHash('sha512').update(body).digest('hex').toUpperCase() };
}

/** A member of an object in a document. Cached while its contents do not change, and shared by documents. */
export class Member {
  readonly name: string;
  /** Name and value in JSON. */
  readonly json: string;
  #protobuf: Uint8Array | undefined;

  constructor(name: string, text: string) {
    this.name = name;
    this.json = `${JSON.stringify(name)}:${text}`;
  }

  /** Its protobuf form, which `write` makes on first use. */
  protobuf(write: (name: string, value: unknown) => Uint8Array): Uint8Array {
    return (this.#protobuf ??= write(this.name, (JSON.parse(`{${this.json}}`) as JsonObject)[this.name]));
  }
}

export function jsonMembers(members: readonly Member[]): string {
  return `{${members.map(({ json }) => json).join(',')}}`;
}

export function sortedByName(members: Iterable<Member>): Member[] {
  return [...members].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A schema with its `x-kubernetes-group-version-kind`. */
export function schemaMember({ name, text, type }: SchemaText, groupVersions: readonly GroupVersion[]): Member {
  return new Member(name, withKinds(text, type === undefined ? [] : registeredKinds(type, groupVersions)));
}

const META_PACKAGE = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Two types belong to every group: any group can be asked to delete with options, and answers watches with events. */
const ofEveryGroup: readonly string[] = [`${META_PACKAGE}.DeleteOptions`, `${META_PACKAGE}.WatchEvent`];

/**
 * The kinds of a type (`x-kubernetes-group-version-kind`). Types of `meta/v1` belong to the core group, and two of them
 * also to each of `groupVersions`, which must be sorted by group and version.
 */
function registeredKinds(type: DocumentedType, groupVersions: readonly GroupVersion[]): GroupVersionKind[] {
  if (isWritten(type)) return []; // the schema contains them already
  if (ofEveryGroup.includes(type.name)) {
    return groupVersions.map(({ group, version }) => ({ group, version, kind: type.shortName }));
  }
  if (type.kind === undefined) return [];
  return [type.name.startsWith(`${META_PACKAGE}.`) ? { group: '', version: 'v1', kind: type.shortName } : type.kind];
}

/** Appends the kinds to a schema's JSON text. */
function withKinds(text: string, kinds: readonly GroupVersionKind[]): string {
  if (kinds.length === 0) return text;
  const list = kinds.map(({ group, version, kind }) => ({ group, kind, version }));
  return `${text.slice(0, -1)},"x-kubernetes-group-version-kind":${JSON.stringify(list)}}`;
}

/** The title of a document, and the version of what it describes. */
export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

/** The title and version of the documents of Kubernetes' own resources. */
export function kubernetesInfo(version: KubernetesVersion): DocumentInfo {
  return { title: 'Kubernetes', version };
}

export const bearerToken = {
  type: 'apiKey',
  description: 'A bearer token in the authorization header',
  name: 'authorization',
  in: 'header',
};
