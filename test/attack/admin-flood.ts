import type { Attack } from './attack.ts';
import { CONFIG_MAPS, empty, fill } from './objects.ts';
import { bearer, send, session } from './wire.ts';

const CONNECTIONS = 10;
const POSTS_EACH = 50;
const ROUNDS = 10;

export const attack: Attack = {
  name: 'admin-flood',
  what: '500 POSTs of 100 KB at once by an administrator, ten times',
  async run(target, signal) {
    const sessions = Array.from({ length: CONNECTIONS }, () => session(target));
    const [first] = sessions;
    if (first === undefined) return 'nothing';
    await fill(first, target, { count: 1, bytes: 1_000 });
    const headers = { ...bearer(target), 'content-type': 'application/json', ':method': 'POST', ':path': CONFIG_MAPS };
    const body = JSON.stringify({ metadata: { generateName: 'flood-' }, data: { text: 'x'.repeat(100_000) } });
    const codes = new Map<number, number>();
    for (let round = 0; round < ROUNDS && !signal.aborted; round++) {
      const posts = sessions.flatMap((one) => Array.from({ length: POSTS_EACH }, () => send(one, headers, body)));
      for (const code of await Promise.all(posts)) codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    await empty(first, target);
    for (const one of sessions) one.destroy();
    return [...codes].map(([code, count]) => `${count} × ${code}`).join(', ');
  },
};
