import { deepEqual } from '../../base/index.ts';
import { Member, sortedByName } from './document.ts';
import type { JsonObject } from './json-schema.ts';
import { protobufV2 } from './protobuf-v2.ts';

/** The part of another server's OpenAPI v2 document that covers some of its paths, and what they refer to. */
export interface ForeignPartV2 {
  readonly paths: ReadonlyMap<string, JsonObject>;
  readonly definitions: ReadonlyMap<string, JsonObject>;
  readonly parameters: ReadonlyMap<string, JsonObject>;
}

/** The large objects of an OpenAPI v2 document. */
export interface MembersV2 {
  readonly paths: readonly Member[];
  readonly definitions: readonly Member[];
  readonly parameters: readonly Member[];
}

const DEFINITION = '#/definitions/';
const PARAMETER = '#/parameters/';

/** Parses a document; throws if it is malformed. Drops what cannot be written in all forms of a document. */
export function readForeignV2(text: string, isWanted: (path: string) => boolean): ForeignPartV2 {
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) throw new Error('the OpenAPI document is no object');
  const paths = new Map(
    objectsIn(document, 'paths').filter(([path, item]) => isWanted(path) && isWritable('paths', path, item)),
  );
  const all = {
    definitions: new Map(objectsIn(document, 'definitions')),
    parameters: new Map(objectsIn(document, 'parameters')),
  };
  const definitions = new Map<string, JsonObject>();
  const parameters = new Map<string, JsonObject>();
  const waiting: unknown[] = [...paths.values()];
  const take = (reference: string): void => {
    const kind = reference.startsWith(DEFINITION) ? 'definitions' : 'parameters';
    const taken = kind === 'definitions' ? definitions : parameters;
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    const found = all[kind].get(name);
    if (found === undefined || taken.has(name) || !isWritable(kind, name, found)) return;
    taken.set(name, found);
    waiting.push(found);
  };
  while (waiting.length > 0) for (const reference of referencesIn(waiting.pop())) take(reference);
  return { paths, definitions, parameters };
}

/**
 * Merges the objects of a document with those of other servers. Equal definitions are merged, whatever their descriptions;
 * different ones get another name (`Name_v2`) in the later part. The first to define a path keeps it.
 */
export function mergeForeignV2(own: MembersV2, parts: readonly ForeignPartV2[]): MembersV2 {
  if (parts.length === 0) return own;
  const paths = new Map(own.paths.map((member) => [member.name, member]));
  const definitions = new Map(own.definitions.map((member) => [member.name, member]));
  const parameters = new Map(own.parameters.map((member) => [member.name, member]));
  for (const part of parts) {
    const names = new Map<string, string>();
    for (const [name, value] of part.definitions)
      names.set(DEFINITION + name, DEFINITION + freeName(definitions, name, value));
    for (const [name, value] of part.parameters)
      names.set(PARAMETER + name, PARAMETER + freeName(parameters, name, value));
    const add = (members: Map<string, Member>, name: string, value: JsonObject): void => {
      if (!members.has(name)) members.set(name, new Member(name, withReferences(value, names)));
    };
    const nameOf = (reference: string): string =>
      (names.get(reference) ?? reference).slice(reference.lastIndexOf('/') + 1);
    for (const [name, value] of part.definitions) add(definitions, nameOf(DEFINITION + name), value);
    for (const [name, value] of part.parameters) add(parameters, nameOf(PARAMETER + name), value);
    for (const [path, value] of part.paths) add(paths, path, value);
  }
  return {
    paths: sortedByName(paths.values()),
    definitions: sortedByName(definitions.values()),
    parameters: sortedByName(parameters.values()),
  };
}

/** The name itself if it is unused or has an equal definition, otherwise the first such of `name_v2`, `name_v3` and so on. */
function freeName(known: ReadonlyMap<string, Member>, name: string, value: JsonObject): string {
  const meaning = meaningOf(value);
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name : `${name}_v${number}`;
    const taken = known.get(tried);
    if (taken === undefined || deepEqual(meaningOf(valueOf(taken)), meaning)) return tried;
  }
}

function valueOf({ name, json }: Member): unknown {
  return (JSON.parse(`{${json}}`) as JsonObject)[name];
}

const KINDS = 'x-kubernetes-group-version-kind';

/** A schema without its descriptions and kinds. */
function meaningOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaningOf);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => name !== KINDS && !(name === 'description' && typeof member === 'string'),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, meaningOf(member)]));
}

function withReferences(value: JsonObject, names: ReadonlyMap<string, string>): string {
  return JSON.stringify(value, (key, member: unknown) =>
    key === '$ref' && typeof member === 'string' ? (names.get(member) ?? member) : member,
  );
}

function isWritable(kind: keyof MembersV2, name: string, value: JsonObject): boolean {
  const none = { paths: [], definitions: [], parameters: [] };
  try {
    protobufV2({
      swagger: '2.0',
      info: { title: '', version: '' },
      ...none,
      [kind]: [new Member(name, JSON.stringify(value))],
    });
    return true;
  } catch {
    return false; // OpenAPI v2 has no place for it
  }
}

function* referencesIn(value: unknown): Generator<string> {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, member] of Object.entries(next)) {
      if (key === '$ref' && typeof member === 'string') yield member;
      else waiting.push(member);
    }
  }
}

function objectsIn(document: JsonObject, member: string): (readonly [string, JsonObject])[] {
  const found = document[member];
  return isObject(found)
    ? Object.entries(found).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
