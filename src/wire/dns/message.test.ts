import { assert, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeHeader,
  decodeMessage,
  DNSSEC_OK,
  Flag,
  MalformedMessageError,
  type Message,
  MessageEncoder,
  RecordClass,
  RecordType,
  type ResourceRecord,
  textData,
} from './index.ts';

const encoder = new MessageEncoder();
const EMPTY: Message = { id: 7, flags: 0, questions: [], answers: [], authorities: [], additionals: [] };
const QUESTION = { name: 'Web.default.svc.cluster.local.', type: RecordType.A, class: RecordClass.IN };

function record(name: string, type: number, data: ResourceRecord['data']): ResourceRecord {
  return { name, type, class: RecordClass.IN, ttl: 5, data };
}

function address(name: string, last: number): ResourceRecord {
  return record(name, RecordType.A, Uint8Array.of(10, 96, 0, last));
}

/** Bytes as text: those of a message that was read are views of it. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

describe('MessageEncoder.encode() and decodeMessage()', () => {
  it('keep every kind of record, its case, and unknown types', () => {
    const soa = { serial: 4_294_967_295, refresh: 7200, retry: 1800, expire: 86_400, minimum: 5 };
    const message: Message = {
      id: 0xbeef,
      flags: Flag.RESPONSE | Flag.AUTHORITATIVE | Flag.RECURSION_DESIRED,
      questions: [QUESTION],
      answers: [
        address(QUESTION.name, 1),
        record('x.example.', RecordType.CNAME, { kind: 'name', target: 'Y.example.' }),
        record('x.example.', RecordType.SRV, { kind: 'srv', priority: 1, weight: 2, port: 3, target: 'y.example.' }),
        record('x.example.', RecordType.MX, { kind: 'mx', preference: 9, exchange: 'mail.example.' }),
        record('.', RecordType.TXT, textData(['1.1.0', 'ü'])),
        record('a\\.b.\\000\\255.example.', 65_400, Uint8Array.of(0xc0, 0x0c, 1)),
      ],
      authorities: [
        record('example.', RecordType.SOA, { kind: 'soa', primary: 'ns.example.', mailbox: 'm.example.', ...soa }),
      ],
      additionals: [record('y.example.', RecordType.AAAA, new Uint8Array(16).fill(1))],
      edns: {
        udpBytes: 1232,
        extendedRcode: 1,
        version: 0,
        flags: DNSSEC_OK,
        options: [{ code: 10, data: Uint8Array.of(1, 2) }],
      },
    };

    expect(plain(decodeMessage(encoder.encode(message)))).toEqual(plain(message));
  });

  it('write a name once, and pointers to it and to its ends', () => {
    const questions = [{ ...QUESTION, name: 'a.b.c.' }];
    const answers = [address('a.b.c.', 1), address('x.b.c.', 2), address('c.', 3)];

    const bytes = encoder.encode({ ...EMPTY, questions, answers });

    expect(bytes.length).toBe(12 + 7 + 4 + (2 + 14) + (4 + 14) + (2 + 14));
    expect(decodeMessage(bytes).answers.map(({ name }) => name)).toEqual(['a.b.c.', 'x.b.c.', 'c.']);
  });

  it('never compress the target of an SRV record, but let later names point to it', () => {
    const data = { kind: 'srv', priority: 0, weight: 100, port: 80, target: QUESTION.name } as const;
    const answers = [record(QUESTION.name, RecordType.SRV, data), address(QUESTION.name, 1)];

    const bytes = encoder.encode({ ...EMPTY, questions: [QUESTION], answers });

    expect(bytes.length).toBe(12 + (31 + 4) + (2 + 10 + 6 + 31) + (2 + 14));
  });

  it('cut a message at the first record that does not fit, and keep its OPT record', () => {
    const answers = Array.from({ length: 60 }, (_, last) => address(QUESTION.name, last));
    const edns = { udpBytes: 512, extendedRcode: 0, version: 0, flags: 0, options: [] };

    const bytes = encoder.encode({ ...EMPTY, questions: [QUESTION], answers, edns }, { maxBytes: 512 });
    const cut = decodeMessage(bytes);

    expect(cut.answers.length).toBe(Math.floor((512 - 11 - 12 - 35) / 16));
    expect(cut.flags & Flag.TRUNCATED).toBe(Flag.TRUNCATED);
    expect(cut.edns).toEqual(edns);
    expect(bytes.length).toBeLessThanOrEqual(512);
  });

  it('write a message of 64 KiB, in which names beyond the reach of pointers are whole', () => {
    const answers = Array.from({ length: 4000 }, (_, index) => address(`name-${index}.example.`, index % 250));

    const read = decodeMessage(encoder.encode({ ...EMPTY, answers }));

    expect(read.answers.length).toBeGreaterThan(2000);
    expect(read.answers.every(({ name }, index) => name === `name-${index}.example.`)).toBe(true);
    expect(read.flags & Flag.TRUNCATED).toBe(Flag.TRUNCATED);
  });

  it('write out compressed names in types that are kept as bytes', () => {
    const bytes = Buffer.concat([
      Buffer.from('000700000001000100000000', 'hex'),
      Buffer.from('0161046e616d6500000f0001', 'hex'), // a.name. MX IN
      Buffer.from('c00c0012000100000005000400 01c00e'.replace(' ', ''), 'hex'), // AFSDB 1 -> name.
    ]);

    expect(Buffer.from(decodeMessage(bytes).answers[0]?.data as Uint8Array).toString('hex')).toBe('0001046e616d6500');
  });
});

describe('decodeMessage() refuses', () => {
  const name = (hex: string): Buffer => Buffer.from(`000700000001000000000000${hex}00010001`, 'hex');

  it.each([
    ['a pointer to itself', name('c00c')],
    ['a pointer forward', name('c010')],
    ['two pointers that lead to each other', name('c00ec00c')],
    ['a pointer past the end', name('ffff')],
    ['a label of a reserved type', name('41ff')],
    ['a label that ends after the message', name('3f61')],
    ['a name of more than 255 bytes', name(`${`3f${'61'.repeat(63)}`.repeat(4)}00`)],
    ['no whole header', Buffer.alloc(11)],
    ['counts that its bytes cannot hold', Buffer.from('0007000000000000ffffffff', 'hex')],
    ['an address of three bytes', Buffer.from('00070000000000010000000000000100010000000500030a6000', 'hex')],
    [
      'a text that ends after its record',
      Buffer.from('0007000000000001000000000000100001000000050002 0961'.replace(' ', ''), 'hex'),
    ],
    [
      'data that is longer than its type has',
      Buffer.from('000700000000000100000000000005000100000005000300c000', 'hex'),
    ],
    ['two OPT records', Buffer.from(`000700000000000000000002${'0000290200000000000000'.repeat(2)}`, 'hex')],
    [
      'an OPT record with a name',
      Buffer.from('0007000000000000000000010161000029020000000000 0000'.replace(' ', ''), 'hex'),
    ],
    [
      'an option that ends after its record',
      Buffer.from('00070000000000000000000100002902000000000000040001ffff', 'hex'),
    ],
  ])('%s', (_, bytes) => {
    expect(() => decodeMessage(bytes)).toThrow(MalformedMessageError);
  });

  it('anything else with the same error, whatever the bytes are', () => {
    assert(
      property(uint8Array({ minLength: 0, maxLength: 120 }), (bytes) => {
        try {
          encoder.encode(decodeMessage(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessageError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('MessageEncoder.encode() refuses', () => {
  it.each(['no-dot', 'a..b.', `${'a'.repeat(64)}.`, 'abcdefg.'.repeat(32), 'ä€.', '\\300.'.replace('3', '9')])(
    'the name %j',
    (bad) => {
      expect(() => encoder.encode({ ...EMPTY, questions: [{ ...QUESTION, name: bad }] })).toThrow(
        MalformedMessageError,
      );
    },
  );
});

describe('decodeHeader()', () => {
  it('reads the counts', () => {
    const bytes = encoder.encode({
      ...EMPTY,
      flags: Flag.RESPONSE,
      questions: [QUESTION],
      answers: [address('a.', 1)],
    });
    const counts = { questionCount: 1, answerCount: 1, authorityCount: 0, additionalCount: 0 };
    expect(decodeHeader(bytes)).toEqual({ id: 7, flags: Flag.RESPONSE, ...counts });
    expect(decodeHeader(bytes.subarray(0, 11))).toBeUndefined();
  });
});
