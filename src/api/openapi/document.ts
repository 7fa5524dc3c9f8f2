import { createHash } from 'node:crypto';
import type { GroupVersion } from '../values/index.ts';
import { registeredKinds, withKinds } from './registered-kinds.ts';
import type { SchemaText } from './schema-texts.ts';

/** A document as it is served. */
export interface OpenApiDocument {
  readonly body: Uint8Array;
  /** The hash of the body in upper case hexadecimal; the `ETag` header has it in quotes. */
  readonly etag: string;
}

export function openApiDocument(text: string): OpenApiDocument {
  const body = Buffer.from(text);
  return { body, etag: createHash('sha512').update(body).digest('hex').toUpperCase() };
}

/** The members of the object that holds a document's schemas. */
export function schemaMembers(texts: readonly SchemaText[], groupVersions: readonly GroupVersion[]): string {
  return texts
    .map(({ name, text, type }) => {
      const kinds = type === undefined ? [] : registeredKinds(type, groupVersions);
      return `${JSON.stringify(name)}:${withKinds(text, kinds)}`;
    })
    .join(',');
}

/** The members of the object that holds a document's paths, in order of path. */
export function pathMembers(paths: ReadonlyMap<string, string>): string {
  return [...paths]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => `${JSON.stringify(path)}:${text}`)
    .join(',');
}

/** The title and version that every document carries. */
export const info = { title: 'Kubernetes', version: '1.36' };

export const bearerToken = {
  type: 'apiKey',
  description: 'A bearer token in the authorization header',
  name: 'authorization',
  in: 'header',
};
