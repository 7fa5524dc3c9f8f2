import { encodeJson, encodeYaml, yamlPieces } from '../../api/index.ts';
import { ChunkWriter } from './chunk-writer.ts';
import type { TextForm } from './document.ts';
import { JsonIndenter } from './indent-json.ts';

/** A document with one field that is a long list. */
export interface TextList {
  /** The other fields, in JSON order. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The name of the list, which is last in JSON. */
  readonly name: string;
  /** The items; null is written as null. */
  readonly items: Iterable<unknown> | null;
  /** Whether items are slow to make, so that other requests should run in between. */
  readonly isSlow?: boolean;
}

/** Encodes the document item by item, with the same result as `encodeDocument`. */
export function textList(list: TextList, { format, isPretty }: TextForm): Generator<Uint8Array> {
  return format === 'yaml' ? yamlList(list) : jsonList(list, isPretty);
}

function* jsonList({ fields, name, items, isSlow = false }: TextList, isPretty: boolean): Generator<Uint8Array> {
  const writer = new ChunkWriter();
  const sink = isPretty ? new JsonIndenter(writer) : writer;
  sink.text(`${encodeJson(fields).slice(0, -1)},${JSON.stringify(name)}:${items === null ? 'null' : '['}`);
  let isFirst = true;
  for (const item of items ?? []) {
    sink.text(isFirst ? encodeJson(item) : `,${encodeJson(item)}`);
    isFirst = false;
    if (writer.hasFull) yield* writer.take();
    if (isSlow) yield NOTHING_YET;
  }
  sink.text(items === null ? '}' : ']}');
  if (!isPretty) writer.text('\n');
  yield* writer.finish();
}

/** Encodes one value as YAML. */
export function* yamlDocument(value: unknown): Generator<Uint8Array> {
  const writer = new ChunkWriter();
  yield* yamlInto(writer, value);
  yield* writer.finish();
}

function* yamlInto(writer: ChunkWriter, value: unknown): Generator<Uint8Array> {
  for (const piece of yamlPieces(value)) {
    if (piece === '') {
      yield NOTHING_YET;
      continue;
    }
    writer.text(piece);
    if (writer.hasFull) yield* writer.take();
  }
}

/** An empty piece: the next one is slow to make. */
const NOTHING_YET = new Uint8Array(0);

/** YAML sorts keys: some of the other fields come before the list, some after it. */
function* yamlList({ fields, name, items }: TextList): Generator<Uint8Array> {
  const writer = new ChunkWriter();
  const entries = Object.entries(fields);
  const before = Object.fromEntries(entries.filter(([key]) => key < name));
  const after = Object.fromEntries(entries.filter(([key]) => key > name));
  writer.text(encodeYaml(before));
  let isEmpty = true;
  for (const item of items ?? []) {
    if (isEmpty) writer.text(`${name}:\n`);
    isEmpty = false;
    yield* yamlInto(writer, [item]);
  }
  if (isEmpty) writer.text(`${name}: ${items === null ? 'null' : '[]'}\n`);
  if (Object.keys(after).length > 0) writer.text(encodeYaml(after));
  yield* writer.finish();
}
