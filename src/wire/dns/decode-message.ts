import { MalformedMessageError } from './malformed-message.ts';
import type { Edns, EdnsOption, Message, Question, RecordData, ResourceRecord } from './message.ts';
import { MessageReader } from './message-reader.ts';
import { HEADER_BYTES, RecordType } from './protocol-numbers.ts';
import { decodeData } from './record-data.ts';

/** What a server looks at before it reads the rest. */
export interface MessageHeader {
  readonly id: number;
  readonly flags: number;
  readonly questionCount: number;
  readonly answerCount: number;
  readonly authorityCount: number;
  readonly additionalCount: number;
}

const NO_RECORDS: readonly ResourceRecord[] = [];
/** A question or record has a name of at least one byte, type and class. */
const MIN_QUESTION_BYTES = 5;

/** The header of a message; undefined for bytes that are too short to have one. */
export function decodeHeader(bytes: Uint8Array): MessageHeader | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  return {
    id: word(bytes, 0),
    flags: word(bytes, 2),
    questionCount: word(bytes, 4),
    answerCount: word(bytes, 6),
    authorityCount: word(bytes, 8),
    additionalCount: word(bytes, 10),
  };
}

function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

/**
 * Reads a message. Bytes after its last record are ignored, as other servers do. `header` is its header, if that was read before.
 *
 * Throws MalformedMessageError. The records' bytes are views of `bytes`.
 */
export function decodeMessage(bytes: Uint8Array, header = decodeHeader(bytes)): Message {
  if (header === undefined) throw new MalformedMessageError('Cannot read message: it has no whole header');
  const { id, flags, questionCount, answerCount, authorityCount, additionalCount } = header;
  const count = questionCount + answerCount + authorityCount + additionalCount;
  if (count * MIN_QUESTION_BYTES > bytes.length)
    throw new MalformedMessageError(`Cannot read message: ${count} records do not fit into ${bytes.length} bytes`);
  const reader = new MessageReader(bytes, HEADER_BYTES);
  const questions: Question[] = [];
  for (let index = 0; index < questionCount; index++)
    questions.push({ name: reader.name(), type: reader.uint16(), class: reader.uint16() });
  const answers = readRecords(reader, answerCount);
  const authorities = readRecords(reader, authorityCount);
  if (additionalCount === 0) return { id, flags, questions, answers, authorities, additionals: NO_RECORDS };
  const additionals: ResourceRecord[] = [];
  let edns: Edns | undefined;
  for (let index = 0; index < additionalCount; index++) {
    const record = readRecord(reader);
    if (record.type !== RecordType.OPT) additionals.push(record);
    else if (edns === undefined) edns = ednsOf(record);
    else throw new MalformedMessageError('Cannot read message: it has two OPT records');
  }
  return { id, flags, questions, answers, authorities, additionals, edns };
}

function readRecords(reader: MessageReader, count: number): readonly ResourceRecord[] {
  if (count === 0) return NO_RECORDS;
  const records: ResourceRecord[] = [];
  for (let index = 0; index < count; index++) records.push(readRecord(reader));
  return records;
}

function readRecord(reader: MessageReader): ResourceRecord {
  const name = reader.name();
  const type = reader.uint16();
  const recordClass = reader.uint16();
  const ttl = reader.uint32();
  const data: RecordData = decodeData(reader, type);
  return { name, type, class: recordClass, ttl, data };
}

function ednsOf({ name, class: udpBytes, ttl, data }: ResourceRecord): Edns {
  if (name !== '.') throw new MalformedMessageError('Cannot read message: the OPT record has a name');
  if (!(data instanceof Uint8Array))
    throw new MalformedMessageError('Cannot read message: the OPT record has no options');
  return {
    udpBytes,
    extendedRcode: ttl >>> 24,
    version: (ttl >>> 16) & 0xff,
    flags: ttl & 0xffff,
    options: data.length === 0 ? NO_OPTIONS : readOptions(data),
  };
}

const NO_OPTIONS: readonly EdnsOption[] = [];

function readOptions(data: Uint8Array): readonly EdnsOption[] {
  const reader = new MessageReader(data);
  const options: EdnsOption[] = [];
  while (reader.offset < data.length) {
    const code = reader.uint16();
    options.push({ code, data: reader.bytes(reader.uint16()) });
  }
  return options;
}
