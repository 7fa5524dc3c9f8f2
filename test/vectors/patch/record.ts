// Sends random patches to a real kube-apiserver, as dry runs, and records what it makes of them.
//   npm run vectors:patch -- --kubeconfig FILE [--objects N] [--patches N] [--seed TEXT] [--out FILE]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtInTypes } from '../../../src/api/index.ts';
import { clone, deepEqual, SeededRandom } from '../../../src/base/index.ts';
import { Chance } from '../apply/chance.ts';
import { vectorKinds } from '../apply/kinds.ts';
import type { VectorKind } from '../apply/vector-kind.ts';
import { KubeClient, type Reply } from '../apply/kube-client.ts';
import { normalize, writeVectors } from '../apply/vector.ts';
import { MEDIA_TYPES, withEmptyManagedFields } from './compare.ts';
import { describeResult, errorText, type PatchedObject, type PatchVector } from './patch-vector.ts';
import { DirectiveSprinkler, randomJsonPatch } from './random-patch.ts';

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    objects: { type: 'string', default: '60' },
    patches: { type: 'string', default: '25' },
    seed: { type: 'string', default: 'patch' },
    out: { type: 'string', default: join(import.meta.dirname, 'patch.jsonl.gz') },
  },
});
if (values.kubeconfig === undefined || !existsSync(values.kubeconfig)) {
  console.error('Cannot record: give the kubeconfig of a running kube-apiserver 1.36 with --kubeconfig FILE');
  process.exit(1);
}
const client = new KubeClient(values.kubeconfig);
const version = await client
  .send('GET', '/version')
  .catch((error: unknown) => ({ code: 0, body: { message: String(error) } }));
if (version.code !== 200) {
  console.error(`Cannot record: the server does not answer (${JSON.stringify(version.body)})`);
  process.exit(1);
}
/** How often a patch is sent: Go goes through maps at random, so that what it finds wrong first, or does first, varies. */
const ATTEMPTS = 6;
const NAMESPACE = 'keelson-patch-vectors';
const NAME = 'keelson-patched';
const types = builtInTypes();
await client.send('POST', '/api/v1/namespaces', {
  body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
});
const objects: PatchedObject[] = [];
for (let index = 0; index < Number(values.objects); index++) {
  const kind = vectorKinds[index % vectorKinds.length] as VectorKind;
  objects.push(await record(kind, new Chance(new SeededRandom(`${values.seed} ${index}`))));
}
await client.send('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
await client.send('PUT', `/api/v1/namespaces/${NAMESPACE}/finalize`, {
  body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE }, spec: { finalizers: [] } },
});
client.close();
writeVectors(values.out, objects);
const codes: Record<string, number> = {};
for (const { type, code } of objects.flatMap((object) => object.patches))
  codes[`${type} ${code}`] = (codes[`${type} ${code}`] ?? 0) + 1;
console.log(`${objects.length} objects, patches ${JSON.stringify(codes)}`);

async function record(kind: VectorKind, chance: Chance): Promise<PatchedObject> {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  const collection = `${root}${kind.namespaced ? `/namespaces/${NAMESPACE}` : ''}/${kind.plural}`;
  const path = `${collection}/${NAME}`;
  const { apiVersion, kind: kindName } = kind;
  await remove(path);
  const metadata = {
    name: NAME,
    labels: { a: '1', b: '2' },
    annotations: { 'x.io/a': '1' },
    ownerReferences: ['u1', 'u2'].map((uid) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid })),
  };
  const created = await client.send('POST', collection, {
    body: { apiVersion, kind: kindName, metadata, ...kind.config(chance) },
  });
  if (created.code !== 201) throw new Error(`Cannot create ${kindName}: ${JSON.stringify(created.body)}`);
  const object = withEmptyManagedFields(normalize(created.body, 0));
  const patches: PatchVector[] = [];
  for (let left = Number(values.patches); left > 0; left--) {
    const { type, body } = patchFor(kind, chance, created.body);
    const vector = await patchVector(object, { type, body, path });
    if (vector !== undefined) patches.push(vector);
  }
  await remove(path);
  const group = kind.apiVersion.includes('/') ? (kind.apiVersion.split('/')[0] ?? '') : '';
  return { resource: `${kind.plural}.${group}`, object: neutral(object), patches };
}

interface SentPatch {
  readonly type: PatchVector['type'];
  readonly body: unknown;
  readonly path: string;
}

/** What a patch does, or undefined if that is left to chance. */
async function patchVector(object: unknown, { type, body, path }: SentPatch): Promise<PatchVector | undefined> {
  const replies: Reply[] = [];
  for (let left = ATTEMPTS; left > 0; left--) replies.push(await send(`${path}?dryRun=All&fieldManager=p`, type, body));
  const { code, body: answer, warnings } = replies[0] as Reply;
  const codes = new Set(replies.map((reply) => reply.code));
  if (codes.size > 1) return undefined;
  if (code === 0) return { type, body, code };
  if (code >= 400)
    return neutral({ type, body, code, errors: [...new Set(replies.map((reply) => errorText(reply.body)))].sort() });
  const results = replies.map((reply) => withEmptyManagedFields(normalize(reply.body, 0)));
  if (!results.every((result) => deepEqual(result, results[0]))) return undefined;
  const result = describeResult(object, withEmptyManagedFields(normalize(answer, 0)));
  return neutral({ type, body, code, ...result, ...(warnings.length === 0 ? {} : { warnings }) });
}

async function remove(path: string): Promise<void> {
  await client.send('PATCH', path, { body: { metadata: { finalizers: null } }, type: MEDIA_TYPES.merge });
  await client.send('DELETE', path, { body: { gracePeriodSeconds: 0 } });
}

/** A patch that makes the server panic ends the connection: code 0. */
async function send(path: string, type: PatchVector['type'], body: unknown): Promise<Reply> {
  try {
    return await client.send('PATCH', path, { body, type: MEDIA_TYPES[type] });
  } catch {
    return { code: 0, body: { code: 0, message: 'panic' }, warnings: [] };
  }
}

function patchFor(
  kind: VectorKind,
  chance: Chance,
  live: Record<string, unknown>,
): { readonly type: PatchVector['type']; readonly body: unknown } {
  const draw = chance.random.int(100);
  if (draw < 25) return { type: 'json', body: randomJsonPatch(chance, live) };
  const config = kind.config(chance);
  const metadata = chance.members(
    {
      labels: () => chance.members({ a: () => '3', b: () => null, c: () => '4' }, 60),
      ownerReferences: () =>
        chance.some(['u1', 'u2', 'u3'], 1).map((uid) => ({ uid, name: 'n', kind: 'K', apiVersion: 'v1' })),
      finalizers: () => chance.some(['x.io/a', 'x.io/b'], 1),
    },
    45,
  );
  const body = { ...(chance.percent(80) ? config : {}), ...(Object.keys(metadata).length > 0 ? { metadata } : {}) };
  if (draw < 35) return { type: 'merge', body };
  const [group = '', version = ''] = kind.apiVersion.includes('/') ? kind.apiVersion.split('/') : ['', kind.apiVersion];
  const struct = types.kind({ group, version, kind: kind.kind });
  if (struct === undefined) throw new Error(`No type for ${kind.kind}`);
  const sprinkled = clone(body);
  new DirectiveSprinkler(chance).sprinkle(sprinkled, live, struct);
  return { type: 'strategic', body: sprinkled };
}

function neutral<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(NAME, 'x').replaceAll(NAMESPACE, 'ns')) as T;
}
