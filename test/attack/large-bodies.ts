import type { Attack } from './attack.ts';
import { CONFIG_MAPS, empty, fill } from './objects.ts';
import { bearer, send, session } from './wire.ts';

const SECONDS = 8;
const CONNECTIONS = 4;

const keys = Array.from({ length: 60_000 }, (_unused, index) => `key${index}`);
const labels = Array.from({ length: 30_000 }, (_unused, index) => [`label${index}`, 'v']);

/** As many members as fit, so that there is as much to do as can be. */
const BODIES: readonly { readonly type: string; readonly text: string }[] = [
  {
    type: 'application/json',
    text: JSON.stringify({
      metadata: { generateName: 'large-' },
      data: Object.fromEntries(keys.map((key) => [key, 'v'])),
    }),
  },
  {
    type: 'application/yaml',
    text: `metadata:\n  generateName: large-\ndata:\n${keys.map((key) => `  ${key}: "v"\n`).join('')}`,
  },
  {
    type: 'application/json',
    text: JSON.stringify({ metadata: { generateName: 'large-', labels: Object.fromEntries(labels) } }),
  },
];

export const attack: Attack = {
  name: 'large-bodies',
  what: 'objects of 60,000 keys in JSON and YAML, and of 30,000 labels, over 4 connections, one after the other each',
  async prepare(target) {
    const one = session(target);
    await fill(one, target, { count: 1, bytes: 1_000 });
    one.destroy();
  },
  async run(target, signal) {
    const end = Date.now() + SECONDS * 1_000;
    const codes = new Map<number, number>();
    const postAll = async (start: number): Promise<void> => {
      const over = session(target);
      for (let index = start; Date.now() < end && !signal.aborted; index++) {
        const { type, text } = BODIES[index % BODIES.length] as (typeof BODIES)[number];
        const headers = { ...bearer(target), 'content-type': type, ':method': 'POST', ':path': CONFIG_MAPS };
        const code = await send(over, headers, text);
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
      over.destroy();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, (_unused, index) => postAll(index)));
    const cleaner = session(target);
    await empty(cleaner, target);
    cleaner.destroy();
    return [...codes].map(([code, count]) => `${count} × ${code}`).join(', ');
  },
};
