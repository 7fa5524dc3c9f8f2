// An answer as text, so that two can be compared: sections are sets, and the zone's serial number is the server's own.
import { decodeMessage, type Edns, Flag, RecordType, type ResourceRecord } from '../../../src/wire/dns/index.ts';

const NO_ANSWER = ['no answer'];

/** The lines of an answer; one line says that there is none. */
export function answerText(bytes: Uint8Array | undefined): readonly string[] {
  if (bytes === undefined) return NO_ANSWER;
  const { id, flags, questions, answers, authorities, additionals, edns } = decodeMessage(bytes);
  const set = Object.entries(Flag).filter(([, bit]) => (flags & bit) !== 0);
  const other = flags & 0x0040;
  return [
    `id ${id} opcode ${(flags >> 11) & 15} rcode ${flags & 15} ${set.map(([name]) => name).join(' ')}${other === 0 ? '' : ' Z'}`,
    ...questions.map((question) => `? ${question.name} ${question.class} ${question.type}`),
    ...section('=', answers),
    ...section('^', authorities),
    ...section('+', additionals),
    ...(edns === undefined ? [] : [ednsText(edns)]),
  ];
}

function section(mark: string, records: readonly ResourceRecord[]): readonly string[] {
  return records.map((record) => `${mark} ${recordText(record)}`).sort();
}

function recordText({ name, type, class: recordClass, ttl, data }: ResourceRecord): string {
  return `${name} ${recordClass} ${type} ${ttl} ${dataText(type, data)}`;
}

function dataText(type: number, data: ResourceRecord['data']): string {
  if (!(data instanceof Uint8Array)) return JSON.stringify(data.kind === 'soa' ? { ...data, serial: 'SERIAL' } : data);
  return type === RecordType.A ? data.join('.') : Buffer.from(data).toString('hex');
}

function ednsText({ udpBytes, extendedRcode, version, flags, options }: Edns): string {
  const texts = options.map(({ code, data }) => `${code}:${Buffer.from(data).toString('hex')}`);
  return `EDNS ${udpBytes} ${extendedRcode} ${version} ${flags} ${texts.join(' ')}`;
}
