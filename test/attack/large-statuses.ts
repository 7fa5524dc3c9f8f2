import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { bearer, send, session } from './wire.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SECONDS = 12;
const COUNT = 6;
const CONTAINERS = 3_000;

export const attack: Attack = {
  name: 'large-statuses',
  what: 'six pods of 3,000 containers, whose status would be larger than what can be stored',
  isByEditor: true,
  isForOursOnly: true,
  async run(target, signal) {
    const over = session(target);
    const headers = { ...bearer(target), 'content-type': 'application/json', ':method': 'POST', ':path': PODS };
    const containers = Array.from({ length: CONTAINERS }, (_unused, index) => ({ name: `c${index}`, image: 'i' }));
    const codes: number[] = [];
    for (let index = 0; index < COUNT && !signal.aborted; index++)
      codes.push(
        await send(over, headers, JSON.stringify({ metadata: { name: `many-${index}` }, spec: { containers } })),
      );
    await sleep(SECONDS * 1_000, undefined, { signal }).catch(() => undefined);
    over.destroy();
    return codes.join(', ');
  },
};
