// Holds what we make of a message against what miekg/dns makes of it.
import {
  decodeMessage,
  MalformedMessageError,
  type Message,
  MessageEncoder,
  RecordType,
  type ResourceRecord,
} from '../../../src/wire/dns/index.ts';
import type { Asked } from './go-oracle.ts';

type GoRecord = readonly [name: string, type: number, recordClass: number, ttl: number, data: string];

/** What miekg/dns says about a message. */
export interface Verdict extends Asked {
  readonly error?: string;
  readonly id: number;
  readonly questions?: readonly (readonly [name: string, type: number, recordClass: number])[];
  readonly sections?: readonly (readonly GoRecord[])[];
  readonly packed?: string;
  readonly left?: readonly number[];
  readonly cut?: boolean;
}

/** Types whose data we read; Go reads many more and refuses what it cannot. */
const READ_BY_US: ReadonlySet<number> = new Set([
  ...[RecordType.A, RecordType.AAAA, RecordType.CNAME, RecordType.NS, RecordType.PTR],
  ...[RecordType.SRV, RecordType.MX, RecordType.SOA, RecordType.TXT],
]);
const MIN_UNKNOWN_TYPE = 65_280;

export interface Difference {
  readonly text: string;
  /** Why it is as it should be; absent for a fault. */
  readonly explanation?: string;
}

const encoder = new MessageEncoder();

/** Undefined when both say the same. */
export function compare(theirs: Verdict): Difference | undefined {
  const bytes = Buffer.from(theirs.bytes, 'base64');
  let ours: Message;
  try {
    ours = decodeMessage(bytes);
  } catch (error) {
    if (!(error instanceof MalformedMessageError)) return { text: `CRASH ${(error as Error).stack}` };
    if (theirs.error !== undefined) return undefined;
    return { text: `we refuse (${error.message}) what Go reads`, ...explainRefusal(error.message) };
  }
  if (theirs.error !== undefined)
    return { text: `we read what Go refuses (${theirs.error})`, ...explainReading(ours, theirs.error) };
  const text =
    difference('sections', described(ours), [theirs.questions ?? [], ...(theirs.sections ?? [])].map(sorted)) ??
    comparePacked(ours, theirs);
  return text === undefined ? undefined : { text, ...explainContent(ours) };
}

/** Our reading of what Go packs is the same, and ours of the same message is no longer than Go's, and is cut at the same place. */
function comparePacked(ours: Message, { packed = '', size, left, cut }: Verdict): string | undefined {
  const whole = Buffer.from(packed, 'base64');
  const again = difference('what Go packs', described(decodeMessage(whole)), described(ours));
  if (again !== undefined) return again;
  const own = encoder.encode(ours);
  const back = difference('what we write', described(decodeMessage(own)), described(ours));
  if (back !== undefined) return back;
  if (own.length > whole.length && !hasEscapes(ours))
    return `we write ${own.length} bytes where Go writes ${whole.length}`;
  if (hasEscapes(ours)) return undefined; // we do not compress names with escapes
  const short = decodeMessage(encoder.encode(ours, { maxBytes: size }));
  const counts = [short.answers, short.authorities, short.additionals].map(({ length }) => length);
  if (short.edns !== undefined) counts[2] = (counts[2] ?? 0) + 1;
  return difference('cut', [...counts, (short.flags & 0x0200) !== 0], [...(left ?? []), cut === true]);
}

function hasEscapes(message: Message): boolean {
  return JSON.stringify(message).includes('\\\\');
}

function described(message: Message): unknown[] {
  const records = (list: readonly ResourceRecord[]): unknown[][] =>
    list.map(({ name, type, class: recordClass, ttl, data }) => [name, type, recordClass, ttl, dataText(data)]);
  const { edns } = message;
  const opt = edns === undefined ? [] : [optRecord(message)];
  return [
    message.questions.map(({ name, type, class: questionClass }) => [name, type, questionClass]),
    records(message.answers),
    records(message.authorities),
    [...records(message.additionals), ...opt],
  ].map(sorted);
}

/** The OPT record may stand anywhere among the additional records; we write it last. */
function sorted(section: readonly (readonly unknown[])[]): readonly unknown[] {
  const isOpt = (record: readonly unknown[]): boolean => record.length === 5 && record[1] === RecordType.OPT;
  return [...section.filter((record) => !isOpt(record)), ...section.filter(isOpt)];
}

/** A record that says the same, alone in a message: nothing in it can be compressed. */
function dataText(data: ResourceRecord['data']): string {
  const record = { name: '.', type: 0, class: 0, ttl: 0, data };
  const message = { id: 0, flags: 0, questions: [], answers: [record], authorities: [], additionals: [] };
  if (!(data instanceof Uint8Array) && data.kind === 'soa') {
    const { primary, mailbox, ...times } = data;
    const rest = encoder.encode({
      ...message,
      answers: [{ ...record, data: { ...times, kind: 'soa', primary: '.', mailbox: '.' } }],
    });
    return nameText(primary) + nameText(mailbox) + rest.subarray(12 + 11 + 2).toString('hex');
  }
  return encoder
    .encode(message)
    .subarray(12 + 11)
    .toString('hex');
}

function nameText(target: string): string {
  return dataText({ kind: 'name', target });
}

function optRecord({ edns }: Message): unknown[] {
  const alone = encoder.encode({ id: 0, flags: 0, questions: [], answers: [], authorities: [], additionals: [], edns });
  const ttl = (edns?.extendedRcode ?? 0) * 2 ** 24 + ((edns?.version ?? 0) << 16) + (edns?.flags ?? 0);
  return ['.', RecordType.OPT, edns?.udpBytes, ttl, alone.subarray(12 + 11).toString('hex')];
}

function difference(what: string, ours: unknown, theirs: unknown): string | undefined {
  const [left, right] = [JSON.stringify(ours), JSON.stringify(theirs)];
  return left === right ? undefined : `${what}:\n  ours   ${left}\n  theirs ${right}`;
}

function explainRefusal(message: string): { readonly explanation?: string } {
  if (message.includes('does not lead back'))
    return { explanation: 'Go follows pointers forward too, up to a number of times' };
  if (message.includes('two OPT records') || message.includes('OPT record has a name'))
    return { explanation: 'RFC 6891 wants one OPT record, of the root' };
  if (message.includes('records do not fit'))
    return { explanation: 'Go reads until the bytes end, if the counts are wrong' };
  if (
    message.includes('an address of 0 bytes') ||
    message.includes('ends too early') ||
    message.includes('does not have its')
  )
    return { explanation: 'Go reads records without data, and records that end early, as dynamic updates have them' };
  return {};
}

function explainReading(ours: Message, error: string): { readonly explanation?: string } {
  const records = [...ours.answers, ...ours.authorities, ...ours.additionals];
  if (records.some(({ type }) => !READ_BY_US.has(type) && type < MIN_UNKNOWN_TYPE))
    return { explanation: 'types that we keep as bytes' };
  if (ours.edns !== undefined && error.includes('option')) return { explanation: 'options that we keep as bytes' };
  if (records.some(({ data }) => data instanceof Uint8Array && data.length === 0))
    return { explanation: 'records without data' };
  return {};
}

function explainContent(ours: Message): { readonly explanation?: string } {
  const records = [...ours.answers, ...ours.authorities, ...ours.additionals];
  if (records.some(({ type }) => !READ_BY_US.has(type) && type < MIN_UNKNOWN_TYPE))
    return { explanation: 'types that we keep as bytes' };
  return {};
}
