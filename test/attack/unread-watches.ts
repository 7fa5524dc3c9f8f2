import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { CONFIG_MAPS, empty, fill } from './objects.ts';
import { bearer, session } from './wire.ts';

const CONNECTIONS = 10;
const WATCHES_EACH = 100;

export const attack: Attack = {
  name: 'unread-watches',
  what: '1,000 watches over 10 connections that are not read, while 80 MB of events pass',
  async run(target, signal) {
    const writer = session(target);
    await fill(writer, target, { count: 1, bytes: 1_000 });
    const sessions = Array.from({ length: CONNECTIONS }, () => session(target, 1));
    let cut = 0;
    for (const one of sessions) {
      await once(one, 'connect');
      for (let index = 0; index < WATCHES_EACH; index++) {
        const stream = one.request({ ...bearer(target), ':path': `${CONFIG_MAPS}?watch=1` });
        stream.on('error', () => undefined).on('close', () => (cut += 1));
      }
    }
    for (let round = 0; round < 8 && !signal.aborted; round++)
      await fill(writer, target, { count: 20, bytes: 500_000, text: String(round) });
    await sleep(2_000, undefined, { signal }).catch(() => undefined);
    const cutByServer = cut;
    for (const one of sessions) one.destroy();
    await empty(writer, target);
    writer.destroy();
    return `${cutByServer} of ${CONNECTIONS * WATCHES_EACH} watches cut`;
  },
};
