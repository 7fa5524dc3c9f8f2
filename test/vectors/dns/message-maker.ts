// Random DNS messages, and damaged ones.
import type { Random } from '../../../src/base/index.ts';
import {
  type Edns,
  type Message,
  type Question,
  RecordClass,
  type RecordData,
  RecordType,
  type ResourceRecord,
  textData,
} from '../../../src/wire/dns/index.ts';

const LABELS = ['web', 'WEB', 'default', 'svc', 'cluster', 'local', 'a', 'x-1', '_http', '_tcp', 'arpa', '10', 'b\\.c'];
const STRANGE = ['\\000', '\\200\\255', '\\\\', '\\@x', 'x'.repeat(63)];
const TYPES: readonly number[] = [
  ...[RecordType.A, RecordType.AAAA, RecordType.CNAME, RecordType.NS, RecordType.PTR, RecordType.SRV],
  ...[RecordType.MX, RecordType.SOA, RecordType.TXT, 65_400],
];

/** Makes messages from chance. */
export class MessageMaker {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  message(): Message {
    const count = this.#random.int(8) === 0 ? 60 : 6;
    return {
      id: this.#random.int(0x1_0000),
      flags: this.#random.int(0x1_0000) & ~0x0200 & ~0x0040, // not truncated, and the reserved bit is 0
      questions: this.#list(2, () => this.#question()),
      answers: this.#list(count, () => this.#record()),
      authorities: this.#list(3, () => this.#record()),
      additionals: this.#list(3, () => this.#record()),
      edns: this.#random.int(2) === 0 ? undefined : this.#edns(),
    };
  }

  /** The bytes with some changed, cut off or repeated. */
  damaged(bytes: Uint8Array): Uint8Array {
    const damaged = Uint8Array.from(bytes);
    for (let times = 1 + this.#random.int(4); times > 0; times--)
      damaged[this.#random.int(damaged.length)] = this.#random.int(4) === 0 ? 0xc0 : this.#random.int(256);
    return this.#random.int(3) === 0 ? damaged.subarray(0, this.#random.int(damaged.length)) : damaged;
  }

  #list<T>(max: number, make: () => T): T[] {
    return Array.from({ length: this.#random.int(max + 1) }, make);
  }

  #name(): string {
    const labels = this.#list(5, () => this.#pick(this.#random.int(12) === 0 ? STRANGE : LABELS));
    return labels.length === 0 ? '.' : `${labels.slice(0, 4).join('.')}.`;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#random.int(from.length)] as T;
  }

  #question(): Question {
    return { name: this.#name(), type: this.#pick(TYPES), class: this.#pick([1, 3, 255]) };
  }

  #record(): ResourceRecord {
    const type = this.#pick(TYPES);
    return { name: this.#name(), type, class: RecordClass.IN, ttl: this.#random.int(2 ** 31), data: this.#data(type) };
  }

  #data(type: number): RecordData {
    const word = (): number => this.#random.int(0x1_0000);
    const long = (): number => this.#random.int(2 ** 32);
    switch (type) {
      case RecordType.A:
        return this.#random.bytes(4);
      case RecordType.AAAA:
        return this.#random.bytes(16);
      case RecordType.CNAME:
      case RecordType.NS:
      case RecordType.PTR:
        return { kind: 'name', target: this.#name() };
      case RecordType.SRV:
        return { kind: 'srv', priority: word(), weight: word(), port: word(), target: this.#name() };
      case RecordType.MX:
        return { kind: 'mx', preference: word(), exchange: this.#name() };
      case RecordType.SOA: {
        const times = { serial: long(), refresh: long(), retry: long(), expire: long(), minimum: long() };
        return { kind: 'soa', primary: this.#name(), mailbox: this.#name(), ...times };
      }
      case RecordType.TXT:
        return textData(this.#list(3, () => 'text'.repeat(this.#random.int(20))).concat('end'));
      default:
        return this.#random.bytes(this.#random.int(30));
    }
  }

  #edns(): Edns {
    return {
      udpBytes: this.#random.int(0x1_0000),
      extendedRcode: this.#random.int(256),
      version: this.#random.int(2),
      flags: this.#pick([0, 0x8000]),
      options: this.#list(2, () => ({
        code: 65_001 + this.#random.int(100),
        data: this.#random.bytes(this.#random.int(20)),
      })),
    };
  }
}
