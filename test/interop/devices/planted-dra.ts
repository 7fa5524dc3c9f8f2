// A DRA driver that keeps all rules, or breaks one: `planted-dra ROOT [FAULT]`. The device `card-0` is broken while the file ROOT/broken exists. It shares no
// code with the kit's driver but gRPC and the client.
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aborted, keepAlive, RealClock } from '../../../src/base/index.ts';
import { connect, type Observed, type ResourceClaim } from '../../../src/client/index.ts';
import { draProtocols } from '../../../src/devices/index.ts';
import { servePluginSocket } from '../../../src/plugins/index.ts';
import {
  GrpcServer,
  removeStaleSocket,
  type ServedMethod,
  streamMethod,
  unaryMethod,
} from '../../../src/wire/grpc/index.ts';
import type { MessageOf } from '../../../src/wire/protobuf/index.ts';

const [root = '', fault = ''] = process.argv.slice(2);
const node = process.env['NODE_NAME'] ?? '';
const driver = 'planted.example.com';
const clock = new RealClock();
const folder = join(root, 'plugins', driver);
const cdi = join(root, 'cdi');
const book = join(folder, 'prepared.json');
for (const path of [folder, cdi]) mkdirSync(path, { recursive: true });
const suffix = fault === 'new-ids' ? `-${process.pid}` : '';
const names = Array.from({ length: 8 }, (_, index) => `card-${index}${suffix}`);

const stop = new AbortController();
using _alive = keepAlive();
process.on('SIGTERM', () => {
  if (fault !== 'ignores-signal') stop.abort();
});

const client = await connect();
const slices = client.resource.v1.resourceslices;

async function publish(): Promise<void> {
  const { metadata } = await client.core.v1.nodes.get(node);
  const owner = { apiVersion: 'v1', kind: 'Node', name: node, uid: metadata.uid };
  const { items } = await slices.list({ fieldSelector: `spec.driver=${driver}` });
  const wanted = [names.slice(0, 4), names.slice(4)].map((part) => part.map((name) => ({ name })));
  if (fault === 'same-device-twice') wanted[1] = [{ name: names[0] ?? '' }];
  const count = fault === 'too-few-slices' ? wanted.length + 1 : wanted.length;
  const own = items.filter(({ spec }) => spec.pool.name === node);
  const isRight =
    own.length === wanted.length &&
    wanted.every((devices) => own.some(({ spec }) => JSON.stringify(spec.devices) === JSON.stringify(devices)));
  if (isRight && (own.length === items.length || fault === 'keeps-stale')) return;
  const generation = Math.max(0, ...own.map(({ spec }) => spec.pool.generation)) + 1;
  for (const { metadata: old, spec } of items)
    if (fault !== 'keeps-stale' || spec.pool.name === node) await slices.delete(old.name).catch(() => undefined);
  for (const devices of wanted)
    await slices.create({
      metadata: { generateName: 'planted-', ...(fault === 'no-owner' ? {} : { ownerReferences: [owner] }) },
      spec: { driver, nodeName: node, pool: { name: node, generation, resourceSliceCount: count }, devices },
    });
}

interface Prepared {
  readonly claim: string;
  readonly names: readonly string[];
  readonly isAdmin: boolean;
}

const prepared = new Map<string, Prepared>(
  existsSync(book) && fault !== 'forgets-prepared'
    ? (JSON.parse(readFileSync(book, 'utf8')) as readonly [string, Prepared][])
    : [],
);
const freed = new Set<string>();
const running = new Set<string>();
let current: readonly string[] = [];
let calls = 0;

const note = (): void => {
  writeFileSync(`${book}.new`, JSON.stringify([...prepared])); // a kill may come in the middle
  renameSync(`${book}.new`, book);
};
const fileOf = (uid: string): string => join(cdi, `planted-${uid}.json`);

interface Reference {
  readonly uid?: string;
  readonly name?: string;
  readonly namespace?: string;
}

async function claimOf({ uid = '', name = '', namespace = '' }: Reference): Promise<Observed<ResourceClaim>> {
  const claim = await client.resource.v1.resourceclaims.namespace(namespace).get(name);
  if (claim.metadata.uid !== uid && fault !== 'ignores-uid') throw new Error('the claim was replaced');
  return claim;
}

async function prepare(reference: Reference): Promise<{ devices: object[] }> {
  const { uid = '', name: claimName = '' } = reference;
  if (fault === 'prepares-once' && prepared.has(uid)) throw new Error('it is prepared already');
  if (fault === 'lost-half-way' && existsSync(`${fileOf(uid)}.begun`)) throw new Error('it was begun already');
  if (fault === 'refuses-overlap' && running.has(uid)) throw new Error('it is being prepared');
  running.add(uid);
  try {
    const claim = await claimOf(reference);
    const results = claim.status?.allocation?.devices?.results ?? [];
    if (results.length === 0 && fault !== 'takes-unallocated') throw new Error('it is not allocated');
    const isAdmin = results.some(({ adminAccess }) => adminAccess === true);
    if (isAdmin && fault === 'refuses-admin') throw new Error('supervision is not supported');
    const own = results.map(({ device }) => device);
    const isTaken = [...prepared].some(
      ([other, held]) => other !== uid && !held.isAdmin && held.names.some((name) => own.includes(name)),
    );
    if (isTaken && !isAdmin && fault !== 'gives-twice') throw new Error('the device is in use');
    if (fault === 'never-frees' && own.some((name) => freed.has(name))) throw new Error('the device was used');
    writeFileSync(`${fileOf(uid)}.begun`, '');
    current = own;
    await clock.sleep(fault === 'lost-half-way' ? 300 : 20); // other calls come in between, and crashes
    const given = fault === 'mixes-answers' ? current : fault === 'first-device-only' ? own.slice(0, 1) : own;
    calls += 1;
    const number = fault === 'new-names' ? `-${calls}` : '';
    const cdiName = (name: string): string => `${uid}-${name}${number}`;
    const containerEdits = { env: [`CARD=${claimName}`] };
    const kind = 'planted.example.com/card';
    const spec = {
      ...{ cdiVersion: '0.5.0', kind },
      devices: given.map((name) => ({ name: cdiName(name), ...(fault === 'invalid-cdi' ? {} : { containerEdits }) })),
    };
    if (fault !== 'unwritten-cdi') writeFileSync(fileOf(uid), JSON.stringify(spec));
    prepared.set(uid, { claim: claimName, names: own, isAdmin });
    note();
    rmSync(`${fileOf(uid)}.begun`, { force: true });
    return {
      devices: given.map((name) => ({
        requestNames: [fault === 'invented-request' ? 'other' : 'devices'],
        poolName: node,
        deviceName: fault === 'other-device' ? 'card-99' : name,
        cdiDeviceIds: [fault === 'cdi-without-vendor' ? name : `${kind}=${cdiName(name)}`],
      })),
    };
  } finally {
    running.delete(uid);
  }
}

async function unprepare(reference: Reference): Promise<void> {
  const { uid = '' } = reference;
  const known = prepared.get(uid);
  const wasUnprepared = freed.has(uid);
  if (fault === 'unprepares-once' && wasUnprepared) throw new Error('it is not prepared');
  if (fault === 'knows-only-prepared' && known === undefined && !wasUnprepared)
    throw new Error('it was never prepared');
  if (fault === 'needs-claim' && known !== undefined) await claimOf(reference);
  freed.add(uid);
  if (known === undefined) return;
  for (const name of known.names) freed.add(name);
  if (fault !== 'leaves-files') rmSync(fileOf(uid), { force: true });
  prepared.delete(uid);
  note();
}

async function each<R extends object>(
  claims: readonly Reference[],
  work: (claim: Reference) => Promise<R>,
): Promise<ReadonlyMap<string, R | { readonly error: string }>> {
  const answers = claims.map(async (claim): Promise<[string, R | { readonly error: string }]> => {
    try {
      return [claim.uid ?? '', await work(claim)];
    } catch (error) {
      if (fault === 'fails-all') throw error;
      return [claim.uid ?? '', { error: (error as Error).message }];
    }
  });
  return new Map(await Promise.all(answers));
}

function nodeMethods(version: 'v1' | 'v1beta1'): readonly ServedMethod[] {
  const { nodePrepareResources, nodeUnprepareResources } = draProtocols[version].DRAPlugin;
  return [
    unaryMethod(nodePrepareResources, async ({ claims = [] }) => {
      if (fault === 'forgets-v1beta1' && version === 'v1beta1')
        return { claims: new Map(claims.map(({ uid = '' }) => [uid, { devices: [] }])) };
      return { claims: await each(fault === 'first-claim-only' ? claims.slice(0, 1) : claims, prepare) };
    }),
    unaryMethod(nodeUnprepareResources, async ({ claims = [] }) => {
      const results = await each(claims, async (claim) => {
        await unprepare(claim);
        return {};
      });
      return { claims: fault === 'no-unprepare-answer' ? new Map<string, object>() : results };
    }),
  ];
}

const { DRAResourceHealth } = draProtocols.health;
const methods = [
  ...nodeMethods('v1'),
  ...(fault === 'announces-unserved' ? [] : nodeMethods('v1beta1')),
  streamMethod(DRAResourceHealth.nodeWatchResources, async function* (_requests, { signal }): AsyncGenerator<
    MessageOf<typeof draProtocols.health.nodeWatchResourcesResponse>
  > {
    let before: boolean | undefined;
    while (!signal.aborted && !stop.signal.aborted) {
      const isBroken = existsSync(join(root, 'broken')) && fault !== 'hides-health';
      if (isBroken !== before)
        yield {
          devices: names.map((deviceName, index) => ({
            device: { poolName: fault === 'unpublished-health' ? 'cards' : node, deviceName },
            health: isBroken && index === 0 ? 2 : 1,
          })),
        };
      before = isBroken;
      await clock.sleep(20, AbortSignal.any([signal, stop.signal]));
    }
  }),
];

const endpoint = join(folder, 'dra.sock');
const socket = join(root, 'plugins_registry', 'planted-reg.sock');
if (fault === 'fails-on-old-socket' && existsSync(endpoint)) process.exit(1);
await removeStaleSocket(endpoint);
rmSync(`${socket}.kept`, { force: true });
{
  await using _server = await GrpcServer.listen({ address: `unix:${endpoint}`, methods, clock });
  let hasGivenUp = false;
  await using _registration = await servePluginSocket({
    socket,
    type: fault === 'wrong-type' ? 'CSIPlugin' : 'DRAPlugin',
    name: driver,
    endpoint: fault === 'relative-endpoint' ? 'dra.sock' : endpoint,
    versions:
      fault === 'numbers-as-versions' ? ['1.0.0'] : ['v1.DRAPlugin', 'v1beta1.DRAPlugin', 'v1alpha1.DRAResourceHealth'],
    clock,
    notified: ({ isRegistered }) => {
      if (!isRegistered && fault === 'gives-up') hasGivenUp = true;
    },
  });
  let isPublished = false;
  while (!stop.signal.aborted) {
    if (fault !== 'publishes-once' || !isPublished)
      await publish().then(
        () => (isPublished = true),
        () => undefined,
      );
    if (hasGivenUp) rmSync(socket, { force: true });
    await clock.sleep(100, stop.signal);
  }
  if (fault === 'leaves-socket') linkSync(socket, join(root, 'plugins_registry', 'planted-kept.sock'));
}
await client[Symbol.asyncDispose]();
if (fault === 'ignores-signal') await aborted(new AbortController().signal);
