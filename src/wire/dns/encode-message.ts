import type { Edns, Message, ResourceRecord } from './message.ts';
import { MessageWriter } from './message-writer.ts';
import { Flag, MAX_MESSAGE_BYTES, RecordType } from './protocol-numbers.ts';
import { encodeData } from './record-data.ts';

export interface EncodeOptions {
  /** The largest message that the receiver takes; default 65,535. Records that do not fit are left out, and the message says so. */
  readonly maxBytes?: number;
}

/** Name, type, class, ttl and length of an OPT record. */
const EMPTY_OPT_BYTES = 11;

/**
 * Writes messages, one after the other.
 *
 * Guarantees: a message that is longer than `maxBytes` keeps its first records, in order, and its OPT record, and has the truncated
 * flag. Its question and its OPT record are never left out.
 */
export class MessageEncoder {
  readonly #writer = new MessageWriter();

  /** Throws MalformedMessageError for names and data that no message can have. */
  encode(message: Message, { maxBytes = MAX_MESSAGE_BYTES }: EncodeOptions = {}): Buffer {
    const writer = this.#writer;
    const { questions, edns } = message;
    writer.reset();
    writer.uint16(message.id);
    writer.uint16(message.flags);
    writer.uint16(questions.length);
    writer.offset += 6; // the other counts are known in the end
    for (const question of questions) {
      writer.name(question.name);
      writer.uint16(question.type);
      writer.uint16(question.class);
    }
    const limit = maxBytes - (edns === undefined ? 0 : bytesOf(edns));
    const answers = this.#section(message.answers, limit);
    let isWhole = answers === message.answers.length;
    const authorities = isWhole ? this.#section(message.authorities, limit) : 0;
    isWhole &&= authorities === message.authorities.length;
    const additionals = isWhole ? this.#section(message.additionals, limit) : 0;
    isWhole &&= additionals === message.additionals.length;
    if (!isWhole) writer.uint16At(2, message.flags | Flag.TRUNCATED);
    writer.uint16At(6, answers);
    writer.uint16At(8, authorities);
    writer.uint16At(10, edns === undefined ? additionals : additionals + 1);
    if (edns !== undefined) this.#edns(edns);
    return writer.take();
  }

  /** Writes records as long as they fit; returns how many. */
  #section(records: readonly ResourceRecord[], limit: number): number {
    const writer = this.#writer;
    for (let index = 0; index < records.length; index++) {
      const record = records[index] as ResourceRecord;
      const start = writer.offset;
      writer.name(record.name);
      writer.uint16(record.type);
      writer.uint16(record.class);
      writer.uint32(record.ttl);
      encodeData(writer, record.data);
      if (writer.offset > limit) {
        writer.offset = start;
        return index;
      }
    }
    return records.length;
  }

  #edns({ udpBytes, extendedRcode, version, flags, options }: Edns): void {
    const writer = this.#writer;
    writer.name('.');
    writer.uint16(RecordType.OPT);
    writer.uint16(udpBytes);
    writer.uint16((extendedRcode << 8) | version);
    writer.uint16(flags);
    const lengthAt = writer.offset;
    writer.uint16(0);
    for (const { code, data } of options) {
      writer.uint16(code);
      writer.uint16(data.length);
      writer.bytes(data);
    }
    writer.uint16At(lengthAt, writer.offset - lengthAt - 2);
  }
}

function bytesOf({ options }: Edns): number {
  return options.reduce((sum, { data }) => sum + 4 + data.length, EMPTY_OPT_BYTES);
}
