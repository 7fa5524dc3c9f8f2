import { expect, test } from 'vitest';
import { SeededRandom } from '../../src/base/index.ts';
import { send } from '../support/request.ts';
import { startTestCluster } from '../support/test-cluster.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 2);

const seeds = [
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"x":"y"}},"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}]}}',
  '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"},"binaryData":{"b":"AAEC"}}',
  'metadata:\n  name: a\ndata:\n  k: |\n    text\n',
];
const targets = [
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/configmaps',
  '/apis/apps/v1/namespaces/default/deployments',
];
const types = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Flips, drops, repeats and inserts bytes. */
function mutate(text: string, random: SeededRandom): Buffer {
  let bytes = Buffer.from(text);
  for (let edits = 1 + random.int(8); edits > 0; edits--) {
    const at = random.int(bytes.length + 1);
    const kind = random.int(4);
    if (kind === 0 && at < bytes.length) bytes[at] = random.int(256);
    else if (kind === 1)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + random.int(10)))]);
    else if (kind === 2)
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(random.bytes(1 + random.int(4))), bytes.subarray(at)]);
    else bytes = Buffer.concat([bytes, bytes.subarray(at)]);
  }
  return bytes;
}

test(`bodies mutated at random for ${SECONDS} s each get an answer, and the server is well afterwards`, async () => {
  await using cluster = await startTestCluster();
  const random = new SeededRandom(SEED);
  const until = performance.now() + SECONDS * 1000;
  const codes = new Set<number>();
  while (performance.now() < until) {
    const batch = Array.from({ length: 16 }, async () => {
      const body = mutate(seeds[random.int(seeds.length)] ?? '', random);
      const answer = await send(cluster, `${targets[random.int(targets.length)] ?? ''}?dryRun=All`, {
        method: 'POST',
        headers: { 'content-type': types[random.int(types.length)] ?? '' },
        body,
      });
      expect(answer.json, answer.text).toBeDefined();
      expect(
        [200, 201, 400, 404, 409, 413, 415, 422],
        `seed ${SEED}: ${body.toString('base64')} → ${answer.text}`,
      ).toContain(answer.code);
      codes.add(answer.code);
    });
    await Promise.all(batch);
  }
  expect(codes.has(400)).toBe(true);
  expect((await send(cluster, '/readyz')).text).toBe('ok');
  expect((await send(cluster, '/api/v1/namespaces/default/configmaps')).json).toMatchObject({ items: [] });
  expect(cluster.problems).toEqual([]);
});
