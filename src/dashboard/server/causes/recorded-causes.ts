import { hasReason } from '../../../api/client.ts';
import type { Client } from '../../../client/index.ts';
import type { CauseGraph, Change, HistoryPage, RequestTrace, WriteNode } from '../../protocol.ts';
import { type ClusterPath, readClusterPath } from '../cluster-path.ts';
import { CauseGraphBuilder } from './cause-graph.ts';
import type { CauseQuery } from './cause-query.ts';
import { addEvents } from './event-nodes.ts';
import { familyAround, ownersOf } from './family.ts';

/** A request of the API server's list, with what only Keelson's says. */
interface KeptRequest extends RequestTrace {
  readonly wrote?: { readonly name: string; readonly resourceVersion?: string };
  readonly run?: number;
}

/** A run of a controller, as `/keelson/runs` lists it. */
interface KeptRun {
  readonly id: number;
  readonly controller: string;
  readonly key: string;
  readonly why: readonly string[];
  readonly causes: readonly (
    | { readonly type: 'change'; readonly kind: string; readonly key: string; readonly resourceVersion: string }
    | { readonly type: 'run'; readonly id: number }
  )[];
  readonly time: string;
  /** Absent while it is under way. */
  readonly durationMs?: number;
  readonly outcome?: 'done' | 'again' | 'conflict' | 'failed' | 'stopped';
  readonly message?: string;
}

interface RunList {
  readonly items: readonly KeptRun[];
  readonly underWay?: readonly Omit<KeptRun, 'time'>[];
}

interface Records {
  readonly requests: readonly KeptRequest[];
  readonly runs: readonly KeptRun[];
  readonly changes: readonly Change[];
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Only show the machinery; Events are shown as such. */
const NOISE: ReadonlySet<string> = new Set(['events', 'leases']);
const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
/** `Pod default/web-1 changed` */
const REASON = /^(\S+) (\S+) (?:added|changed|deleted)$/;

/** The graph around what was asked, from requests and runs as they were noted; undefined where the server notes none, or not for this viewer. */
export async function recordedCauses(
  client: Client,
  asked: CauseQuery,
  signal: AbortSignal,
): Promise<CauseGraph | undefined> {
  const records = await readRecords(client, signal);
  if (records === undefined) return undefined;
  const graph = new CauseGraphBuilder();
  const writes = new Writes(records);
  for (const write of writes.all) graph.add(write);
  addRuns(graph, records, writes);
  linkOthers(graph, records, writes);
  const found = writes.asked(asked);
  const [first] = found;
  const recordedSince = records.runs[0]?.time ?? '~';
  if (first !== undefined && first.time < recordedSince) await linkOwners(graph, writes, { client, first, signal });
  await addEvents(graph, { client, namespace: first?.object.namespace ?? asked.namespace, signal });
  return graph.around(
    found.map(({ id }) => id),
    { depth: asked.depth, source: 'recorded' },
  );
}

/** Turns the recording of runs on, if it was not. */
async function readRecords(client: Client, signal: AbortSignal): Promise<Records | undefined> {
  const get = (path: string, query = {}) => client.request({ method: 'GET', path, query, signal });
  try {
    const [requests, runs, history] = await Promise.all([
      get('/keelson/requests'),
      get('/keelson/runs'),
      get('/keelson/history', { limit: '1000' }),
    ]);
    const { items } = requests as { readonly items: readonly KeptRequest[] };
    return {
      requests: items,
      runs: withUnderWay(runs as RunList, items),
      changes: (history as HistoryPage).items,
    };
  } catch (error) {
    if (hasReason(error, 'NotFound') || hasReason(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** Runs under way have begun, as far as is known, with the first request that they sent; those that have sent none are left out. */
function withUnderWay({ items, underWay = [] }: RunList, requests: readonly KeptRequest[]): readonly KeptRun[] {
  const begun = underWay.flatMap((run) => {
    const first = requests.find((request) => request.run === run.id);
    return first === undefined ? [] : [{ ...run, time: first.time }];
  });
  return [...items, ...begun];
}

/** The writes among the requests. */
class Writes {
  readonly all: readonly WriteNode[];
  readonly #byRevision = new Map<string, WriteNode>();
  readonly #byObject = new Map<string, WriteNode[]>();
  /** The resource of a kind, such as `deployments` of `Deployment`. */
  readonly #resources = new Map<string, string>();

  constructor({ requests, changes }: Records) {
    const revisions = new Map<string, number>();
    for (const { request, revision, kind, resource } of changes) {
      this.#resources.set(kind, resource);
      if (request !== undefined) revisions.set(request, revision);
    }
    this.all = requests.flatMap((request) => {
      const node = writeNode(request, revisions.get(request.id));
      return node === undefined ? [] : [node];
    });
    for (const node of this.all) {
      if (node.revision !== undefined && !this.#byRevision.has(String(node.revision)))
        this.#byRevision.set(String(node.revision), node);
      const key = objectKey(node.object.resource, node.object.namespace, node.object.name);
      this.#byObject.set(key, [...(this.#byObject.get(key) ?? []), node]);
    }
  }

  of(revision: string): WriteNode | undefined {
    return this.#byRevision.get(revision);
  }

  /** The last write to an object until then. */
  lastUntil(key: string, time: string): WriteNode | undefined {
    return this.#byObject.get(key)?.findLast((node) => node.time <= time);
  }

  /** The last write to an object until then that said what should be: reports of what is lead to no children. */
  lastWishUntil(key: string, time: string): WriteNode | undefined {
    return this.#byObject.get(key)?.findLast((node) => node.time <= time && node.subresource !== 'status');
  }

  creationOf(key: string): WriteNode | undefined {
    return this.#byObject.get(key)?.findLast(({ verb, subresource }) => verb === 'create' && subresource === undefined);
  }

  /** The last write to the same object before this one, by others. */
  lastBefore({ id, user, object }: WriteNode): WriteNode | undefined {
    const own = this.#byObject.get(objectKey(object.resource, object.namespace, object.name)) ?? [];
    const at = own.findIndex((node) => node.id === id);
    return own.slice(0, at).findLast((node) => node.user !== user);
  }

  /** The key of an object that a reason names: `Pod default/web-1 changed`. */
  keyIn(why: string): string | undefined {
    const [, kind = '', key = ''] = REASON.exec(why) ?? [];
    const resource = this.#resources.get(kind);
    if (resource === undefined) return undefined;
    const slash = key.indexOf('/');
    return slash < 0
      ? objectKey(resource, undefined, key)
      : objectKey(resource, key.slice(0, slash), key.slice(slash + 1));
  }

  /** The writes that a question is about, the one to focus on first: of an object, its creation. */
  asked({ request, revision, resource, namespace, name }: CauseQuery): readonly WriteNode[] {
    if (request !== '') return this.all.filter((node) => node.request === request);
    if (revision !== '') return this.all.filter((node) => String(node.revision) === revision);
    const [plural = ''] = resource.split('.', 1);
    return this.#byObject.get(objectKey(plural, namespace === '' ? undefined : namespace, name)) ?? [];
  }
}

function writeNode(request: KeptRequest, changed: number | undefined): WriteNode | undefined {
  if (READS.has(request.method)) return undefined;
  let place: ClusterPath;
  try {
    place = readClusterPath(request.path);
  } catch {
    return undefined; // cut, or refused as it should be
  }
  const { group, version, resource, namespace, subresource, query } = place;
  if (query.has('dryRun')) return undefined;
  const name = request.wrote?.name ?? place.name;
  if (resource === '' || name === '' || NOISE.has(resource) || resource.endsWith('reviews')) return undefined;
  const verb = VERBS[request.method] ?? request.method.toLowerCase();
  const revision = request.wrote?.resourceVersion === undefined ? changed : Number(request.wrote.resourceVersion);
  const shown = `${resource}${subresource === '' ? '' : `/${subresource}`}`;
  return {
    type: 'write',
    id: `r:${request.id}`,
    time: request.time,
    durationMs: request.durationMs,
    title: `${verb} ${shown} ${namespace === '' ? '' : `${namespace}/`}${name}`,
    ...(request.message === undefined ? {} : { message: request.message }),
    verb,
    object: { group, version, resource, ...(namespace === '' ? {} : { namespace }), name },
    ...(subresource === '' ? {} : { subresource }),
    user: request.user,
    program: request.userAgent.split(/[ /]/, 1)[0] ?? '',
    code: request.code,
    request: request.id,
    ...(revision === undefined ? {} : { revision }),
  };
}

/** Runs that wrote something or failed; those that only looked are left out. */
function addRuns(graph: CauseGraphBuilder, { requests, runs }: Records, writes: Writes): void {
  const writers = new Set(requests.flatMap(({ run }) => run ?? []));
  const kept = new Set(runs.filter(({ id, outcome }) => writers.has(id) || outcome === 'failed').map(({ id }) => id));
  const shown = new Map(runs.map((run) => [run.id, run]));
  for (const run of runs) {
    if (!kept.has(run.id)) continue;
    const { id, controller, key, why, time, durationMs, outcome, message } = run;
    graph.add({
      type: 'reconcile',
      id: `c:${id}`,
      time,
      ...(durationMs === undefined ? {} : { durationMs }),
      title: `${controller} ${key}`,
      ...(message === undefined ? {} : { message }),
      controller,
      key,
      why:
        why.length > 0
          ? why
          : run.causes.flatMap((cause) => (cause.type === 'change' ? [`${cause.kind} ${cause.key}`] : [])),
      ...(outcome === undefined ? {} : { outcome }),
    });
    for (const cause of causesOf(run, { shown, kept, writes })) graph.link(cause, `c:${id}`, 'saw');
  }
  for (const { id, run } of requests)
    if (run !== undefined && kept.has(run)) graph.link(`c:${run}`, `r:${id}`, 'wrote');
}

interface KnownRuns {
  readonly shown: ReadonlyMap<number, KeptRun>;
  readonly kept: ReadonlySet<number>;
  readonly writes: Writes;
}

/** The nodes that led to a run: writes that it saw; for one that an earlier run led to, that run, or what led to it. */
function causesOf(run: KeptRun, known: KnownRuns, isFirst = true): readonly string[] {
  const { shown, kept, writes } = known;
  const seen = run.causes.flatMap((cause) =>
    cause.type === 'change' ? (writes.of(cause.resourceVersion)?.id ?? []) : [],
  );
  if (seen.length > 0) return seen;
  const earlier = run.causes.flatMap((cause) => {
    if (cause.type !== 'run') return [];
    if (kept.has(cause.id)) return [`c:${cause.id}`];
    const before = shown.get(cause.id);
    return before === undefined || !isFirst ? [] : causesOf(before, known, false);
  });
  if (earlier.length > 0) return earlier;
  return run.why.flatMap((why) => {
    const key = writes.keyIn(why);
    return key === undefined ? [] : (writes.lastUntil(key, run.time)?.id ?? []);
  });
}

/** Programs that work without runs, such as a scheduler, react to the last write of the same object by others. */
function linkOthers(graph: CauseGraphBuilder, { requests }: Records, writes: Writes): void {
  const sentByRun = new Set(requests.flatMap(({ id, run }) => (run === undefined ? [] : [`r:${id}`])));
  for (const node of writes.all) {
    const isCreation = node.verb === 'create' && node.subresource === undefined;
    if (sentByRun.has(node.id) || isCreation || node.user?.startsWith('system:') !== true) continue;
    const cause = writes.lastBefore(node);
    if (cause !== undefined) graph.link(cause.id, node.id, 'saw');
  }
}

/** Runs are recorded from the first look at the dashboard on. What was created before is linked to the last write of its owner. */
async function linkOwners(
  graph: CauseGraphBuilder,
  writes: Writes,
  { client, first, signal }: { readonly client: Client; readonly first: WriteNode; readonly signal: AbortSignal },
): Promise<void> {
  const { group, resource, namespace = '', name } = first.object;
  const asked = { resource: group === '' ? resource : `${resource}.${group}`, namespace, name };
  const family = await familyAround(client, asked, signal);
  const keys = new Map(
    family.map(({ kind, object: { metadata } }) => [
      metadata?.uid ?? '',
      objectKey(kind.plural, metadata?.namespace, metadata?.name ?? ''),
    ]),
  );
  for (const { object } of family) {
    const created = writes.creationOf(keys.get(object.metadata?.uid ?? '') ?? '');
    if (created === undefined || graph.hasCauses(created.id)) continue;
    for (const { uid } of ownersOf(object)) {
      const owner = keys.get(uid);
      const cause = owner === undefined ? undefined : writes.lastWishUntil(owner, created.time);
      if (cause !== undefined) graph.link(cause.id, created.id, 'owns');
    }
  }
}

function objectKey(resource: string, namespace: string | undefined, name: string): string {
  return `${resource} ${namespace ?? ''}/${name}`;
}
