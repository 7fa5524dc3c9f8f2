import { describe, expect, it } from 'vitest';
import {
  Flag,
  type Message,
  MessageEncoder,
  Rcode,
  RecordClass,
  RecordType,
  type ResourceRecord,
} from '../../../wire/dns/index.ts';
import { ResponseCache } from './response-cache.ts';

const encoder = new MessageEncoder();
const SOA = { primary: 'a.', mailbox: 'b.', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 30 };

function record(ttl: number, type: number = RecordType.A): ResourceRecord {
  const data = type === RecordType.SOA ? ({ kind: 'soa', ...SOA } as const) : Uint8Array.of(192, 0, 2, 1);
  return { name: 'example.org.', type, class: RecordClass.IN, ttl, data };
}

function answer(parts: Partial<Message>, rcode: number = Rcode.NOERROR) {
  const empty = { questions: [], answers: [], authorities: [], additionals: [] };
  const message: Message = { id: 1, flags: Flag.RESPONSE | rcode, ...empty, ...parts };
  return { message, bytes: encoder.encode(message) };
}

function seconds(count: number): number {
  return count * 1000;
}

describe('ResponseCache', () => {
  it('keeps an answer for its shortest time to live, and says what is left of it', () => {
    const cache = new ResponseCache();
    cache.set('k', answer({ answers: [record(60), record(20)] }), 0);
    expect(cache.get('k', seconds(5))?.message.answers.map(({ ttl }) => ttl)).toEqual([15, 15]);
    expect(cache.get('k', seconds(19))?.message.answers.map(({ ttl }) => ttl)).toEqual([1, 1]);
    expect(cache.get('k', seconds(20))).toBeUndefined();
    expect(cache.sizes).toEqual({ success: 0, denial: 0, bytes: 0 });
  });

  it.each([
    [
      'that a name does not exist, as long as the zone says',
      answer({ authorities: [record(3600, RecordType.SOA)] }, Rcode.NXDOMAIN),
      30,
    ],
    [
      'that a type does not exist, not longer than the SOA record lives',
      answer({ authorities: [record(10, RecordType.SOA)] }),
      10,
    ],
    ['a failure for five seconds', answer({}, Rcode.SERVFAIL), 5],
    ['an answer for an hour at most', answer({ answers: [record(1_000_000)] }), 3600],
    ['no denial without an SOA record', answer({}, Rcode.NXDOMAIN), 0],
    ['no answer that lives for no time', answer({ answers: [record(0)] }), 0],
    ['no refusal', answer({}, Rcode.REFUSED), 0],
  ])('keeps %s', (_, kept, lives) => {
    const cache = new ResponseCache();
    cache.set('k', kept, 0);
    expect(cache.get('k', seconds(lives))).toBeUndefined();
    cache.set('k', kept, 0);
    expect(cache.get('k', seconds(lives - 1)) !== undefined).toBe(lives > 0);
  });

  it('lets the answer go that was used least recently when it is full', () => {
    const cache = new ResponseCache({ maxEntries: 2 });
    cache.set('a', answer({ answers: [record(60)] }), 0);
    cache.set('b', answer({ answers: [record(60)] }), 0);
    cache.get('a', 0);
    cache.set('c', answer({ answers: [record(60)] }), 0);
    expect(['a', 'b', 'c'].filter((key) => cache.get(key, 0) !== undefined)).toEqual(['a', 'c']);
    expect(cache.evictions).toBe(1);
  });

  it('holds no more bytes than it may', () => {
    const one = answer({ answers: [record(60)] });
    const cache = new ResponseCache({ maxBytes: 3 * one.bytes.length });
    for (let index = 0; index < 10; index++) cache.set(String(index), one, 0);
    expect(cache.sizes).toEqual({ success: 3, denial: 0, bytes: 3 * one.bytes.length });
    cache.set('large', answer({ answers: Array.from({ length: 40 }, () => record(60)) }), 0);
    expect(cache.get('large', 0)).toBeUndefined();
    expect(cache.sizes.success).toBe(3);
  });
});
