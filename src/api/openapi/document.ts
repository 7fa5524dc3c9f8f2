import { createHash } from 'node:crypto';
import type { GroupVersion } from '../values/index.ts';
import type { JsonObject } from './json-schema.ts';
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

/** A member of an object in a document. It is kept for as long as nothing changes what it says, and may be in many documents. */
export class Member {
  readonly name: string;
  /** Name and value in JSON. */
  readonly json: string;
  #protobuf: Uint8Array | undefined;

  constructor(name: string, text: string) {
    this.name = name;
    this.json = `${JSON.stringify(name)}:${text}`;
  }

  /** Its protobuf form, which `write` makes when it is asked for the first time. */
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

/** A schema with the kinds that it stands for. */
export function schemaMember({ name, text, type }: SchemaText, groupVersions: readonly GroupVersion[]): Member {
  return new Member(name, withKinds(text, type === undefined ? [] : registeredKinds(type, groupVersions)));
}

/** The title and version that every document carries. */
export const info = { title: 'Kubernetes', version: '1.36' };

export const bearerToken = {
  type: 'apiKey',
  description: 'A bearer token in the authorization header',
  name: 'authorization',
  in: 'header',
};
