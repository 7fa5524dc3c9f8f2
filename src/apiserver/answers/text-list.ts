import { encodeJson, encodeYaml, yamlPieces } from '../../api/index.ts';
import { ChunkWriter } from './chunk-writer.ts';
import type { TextForm } from './document.ts';
import { JsonIndenter } from './indent-json.ts';

/** A document that is large because of one of its fields. */
export interface TextList {
  /** The other fields, in the order of JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The name of the field, which is the last in JSON. */
  readonly name: string;
  /** Its items; null is written as such. */
  readonly items: Iterable<unknown> | null;
  /** An item may take long to make, so that others may need their turn in between. */
  readonly isSlow?: boolean;
}

/** Writes the document item by item; as `encodeDocument` would write it whole. */
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

/** One value as YAML. */
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

/** A piece without bytes: what follows takes long to make. */
const NOTHING_YET = new Uint8Array(0);

/** Keys are sorted in YAML: some of the other fields come before the list, some behind it. */
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
