import {
  builtInTypes,
  decodeProtobuf,
  isProtobufEnvelope,
  openProtobufEnvelope,
  ProtobufReader,
} from '../../src/api/index.ts';
import type { TypeTable } from '../../src/api/index.ts';
import type { Reply } from './target.ts';
import { framesOf } from './watch-frames.ts';

/** A body that can be compared member by member, and how it was written. */
export interface ReadBody {
  /** `json`, `json, pretty`, `yaml`, `protobuf`, `text`, `empty`, or `… events` of a watch. */
  readonly form: string;
  readonly value: unknown;
}

/** Reads a reply's body by its content type; what cannot be read is text. */
export function readBody({ headers, body }: Reply, isWatch: boolean): ReadBody {
  const type = headers['content-type']?.[0] ?? '';
  if (body.length === 0) return { form: 'empty', value: null };
  if (isWatch && /json|yaml|protobuf/.test(type)) return readEvents(body, type);
  if (type.includes('protobuf')) return { form: 'protobuf', value: readProtobuf(body) };
  const text = body.toString('utf8');
  if (type.includes('json') || text.startsWith('{')) {
    const value = readJson(text);
    const form = type.includes('json') ? jsonForm(text) : `${jsonForm(text)}, as text`;
    if (value !== undefined) return { form, value };
  }
  return { form: type.includes('yaml') ? 'yaml' : 'text', value: text.split('\n') };
}

function readEvents(body: Buffer, type: string): ReadBody {
  const frames = framesOf(body, type);
  if (type.includes('protobuf')) return { form: 'protobuf events', value: frames.map(readWatchEvent) };
  if (type.includes('yaml')) return { form: 'yaml events', value: frames.map((frame) => frame.toString().split('\n')) };
  return { form: 'json events', value: frames.map((frame) => readJson(frame.toString()) ?? frame.toString()) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // compared as text
  }
}

function jsonForm(text: string): string {
  const layout = /^[[{]\n/.test(text) ? 'json, pretty' : 'json';
  return text.endsWith('\n') ? layout : `${layout}, no newline at the end`;
}

let table: TypeTable | undefined;

function types(): TypeTable {
  table ??= builtInTypes();
  return table;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

function readProtobuf(bytes: Uint8Array): unknown {
  if (!isProtobufEnvelope(bytes)) return { undecoded: Buffer.from(bytes).toString('base64') };
  const { typeMeta, raw, contentType } = openProtobufEnvelope(bytes);
  if (contentType !== '') return { typeMeta, contentType, text: Buffer.from(raw).toString('utf8') };
  const slash = typeMeta.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : typeMeta.apiVersion.slice(0, slash);
  const version = typeMeta.apiVersion.slice(slash + 1);
  const struct =
    types().kind({ group, version, kind: typeMeta.kind }) ??
    [...types().names()].filter((name) => name === META + typeMeta.kind).map((name) => types().struct(name))[0];
  if (struct === undefined) return { typeMeta, undecoded: Buffer.from(raw).toString('base64') };
  return decodeProtobuf(raw, struct, { typeMeta });
}

/** A WatchEvent is its type and, within a RawExtension, the object in its envelope. */
function readWatchEvent(frame: Uint8Array): unknown {
  const reader = new ProtobufReader(frame);
  const event: { type: string; object: unknown } = { type: '', object: undefined };
  while (reader.hasMore(reader.length)) {
    const field = reader.tag() >>> 3;
    if (field === 1) {
      event.type = reader.string();
    } else {
      reader.begin();
      reader.tag();
      event.object = readProtobuf(reader.bytes());
    }
  }
  return event;
}
