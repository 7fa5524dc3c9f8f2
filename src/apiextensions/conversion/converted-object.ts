import { type ApiObject, type FieldError, fieldErrorText, goType, type ObjectMeta } from '../../api/index.ts';
import { checkAnnotations, checkLabels } from '../../apiserver/index.ts';

/** The problem with an object that a webhook returned: as a whole, or in its metadata. */
export class InvalidConversion extends Error {
  override readonly name = 'InvalidConversion';
  /** Upstream reports `raw` problems without mentioning the webhook. */
  readonly place: 'raw' | 'object' | 'identity' | 'metadata';

  constructor(place: InvalidConversion['place'], message: string) {
    super(message);
    this.place = place;
  }
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The object that a webhook made of `original`, after verifying that it is the same object. Webhooks may change labels
 * and annotations; all other metadata is taken from the original.
 */
export function convertedObject(original: ApiObject, returned: unknown, apiVersion: string): ApiObject {
  const object = readObject(returned);
  const version = textOf(object['apiVersion']);
  if (version !== apiVersion) {
    throw new InvalidConversion('object', `invalid groupVersion (expected ${apiVersion}, received ${version})`);
  }
  const kind = textOf(object['kind']);
  if (kind !== original.kind) {
    throw new InvalidConversion('object', `invalid kind (expected ${original.kind}, received ${kind})`);
  }
  checkIdentity(original.metadata, membersOf(object['metadata']) ?? {});
  return { ...object, metadata: restoredMetadata(original.metadata, object['metadata']) };
}

function readObject(returned: unknown): Members {
  if (returned === null || returned === undefined) throw new InvalidConversion('raw', 'unexpected end of JSON input');
  const object = membersOf(returned);
  if (object === undefined) {
    const type = Array.isArray(returned) ? 'array' : typeof returned === 'boolean' ? 'bool' : typeof returned;
    const message = `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
    throw new InvalidConversion('raw', message);
  }
  // Upstream takes an apiVersion with two slashes for a missing kind.
  if (textOf(object['kind']) === '' || textOf(object['apiVersion']).split('/').length > 2) {
    throw new InvalidConversion('raw', `Object 'Kind' is missing in '${JSON.stringify(object)}'`);
  }
  return object;
}

function checkIdentity(original: ObjectMeta, returned: Members): void {
  for (const [member, shown] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [expected, got] = [original[member] ?? '', textOf(returned[member])];
    if (expected !== got) throw new InvalidConversion('identity', `must have the same ${shown}: ${expected} != ${got}`);
  }
}

function restoredMetadata(original: ObjectMeta, returned: unknown): ObjectMeta {
  if (returned === undefined) throw new InvalidConversion('metadata', 'missing metadata in converted object');
  const given = membersOf(returned);
  if (given === undefined) {
    throw new InvalidConversion('metadata', `invalid metadata of type ${goType(returned)} in converted object`);
  }
  const { labels: oldLabels, annotations: oldAnnotations, ...kept } = original;
  const labels = textsOf(given['labels'], 'labels');
  const annotations = textsOf(given['annotations'], 'annotations');
  if (differ(oldLabels, labels)) refuse(checkLabels(labels));
  if (differ(oldAnnotations, annotations)) refuse(checkAnnotations(annotations, 'metadata.annotation'));
  return {
    ...kept,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Labels or annotations; undefined when there are none. */
function textsOf(value: unknown, field: string): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  const members = membersOf(value);
  if (members === undefined) {
    throw new InvalidConversion('metadata', `invalid metadata.${field} of type ${goType(value)} in converted object`);
  }
  for (const [name, text] of Object.entries(members)) {
    if (typeof text === 'string') continue;
    const message = `metadata.${field}[${name}] must be a string, but is ${goType(text)} in converted object`;
    throw new InvalidConversion('metadata', message);
  }
  return Object.keys(members).length === 0 ? undefined : (members as Record<string, string>);
}

function differ(old: Members = {}, texts: Members = {}): boolean {
  const names = Object.keys(texts);
  return names.length !== Object.keys(old).length || names.some((name) => old[name] !== texts[name]);
}

function refuse(errors: readonly FieldError[]): void {
  const texts = [...new Set(errors.map(fieldErrorText))];
  if (texts.length === 0) return;
  throw new InvalidConversion('metadata', texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`);
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
}

/** Go's readers take a value that is not a string for an empty one. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
