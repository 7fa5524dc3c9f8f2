import { Buffer } from 'node:buffer';
import { type Clock, messageOf } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { Family, NodeBackend, NodeSettings } from '../backend/index.ts';
import {
  type NodeUsage,
  type OpenPort,
  RuntimeError,
  type StreamEndpoint,
  type VolumeUsage,
} from '../runtime/index.ts';
import type { NodeCounts } from '../node-counts.ts';
import type { ProbeRecord } from '../probes/index.ts';
import type { PodLogOptions, PodStreams } from '../streams/index.ts';
import { type NodeAnswer, type NodeRequest, refusal } from './node-request.ts';
import { cadvisorMetrics } from './cadvisor-metrics.ts';
import { kubeletMetrics, probeMetrics, startTime } from './kubelet-metrics.ts';
import { metricLines } from './metric-lines.ts';
import { alive, healthAnswer } from './health-checks.ts';
import { kubeletConfiguration } from './kubelet-configuration.ts';
import { resourceMetrics } from './node-stats.ts';
import { passOn } from './pass-on.ts';
import { runningPods } from './running-pods.ts';
import type { ServingOptions } from './serving-options.ts';
import { serveCommand, wantedStreams } from './serve-command.ts';
import { askedPorts, servePorts } from './serve-ports.ts';
import { checkpoint } from './serve-checkpoint.ts';
import { statsSummary } from './stats-summary.ts';
import { systemLog } from './system-logs.ts';
import { flagPage, type ProcessStatus, statusPage } from './zpages.ts';

/** What the server of a node serves. */
export interface ServedNode {
  readonly settings: NodeSettings;
  readonly streams: PodStreams;
  readonly clock: Clock;
  readonly backend: NodeBackend;
  readonly startedAtMs: number;
  pod(key: string): Observed<Pod> | undefined;
  pods(): readonly Observed<Pod>[];
  usage(): Promise<NodeUsage>;
  /** How full the volumes of a pod are. */
  volumes(pod: Observed<Pod>): Promise<readonly VolumeUsage[]>;
  readonly counts: NodeCounts;
  /** Durations of the agent's work. */
  timings(): readonly Family[];
  /** What came of the probes of running containers. */
  probes(): Iterable<ProbeRecord>;
}

const CHECKS = ['ping', 'log', 'syncloop'].map(alive);
/** The first segments of the paths, as `/statusz` lists them. */
const PATHS =
  'attach checkpoint configz containerLogs exec flagz healthz logs metrics pods portForward run runningpods stats'.split(
    ' ',
  );

/** The paths of a kubelet. */
export async function answerNodeRequest(
  node: ServedNode,
  request: NodeRequest,
  options: ServingOptions = {},
): Promise<NodeAnswer> {
  const [, root = '', namespace = '', name = '', ...rest] = request.path.split('/').map(decodeURIComponent);
  const key = `${namespace}/${name}`;
  const isRead = request.method === 'GET';
  const takesStream = isRead || request.method === 'POST';
  switch (root) {
    case 'healthz': {
      const checks = [...CHECKS, ...(node.backend.healthChecks ?? [])];
      options.health?.checked(namespace === '' ? checks : checks.filter((each) => each.name === namespace));
      return healthAnswer(request, checks);
    }
    case 'statusz':
      return isRead ? statusPage(request, statusOf(node)) : NOT_ALLOWED;
    case 'flagz':
      return isRead ? flagPage(request, options.flags ?? {}) : NOT_ALLOWED;
    case 'logs':
      if (options.systemLogs === undefined) return refusal(405, 'logs endpoint is disabled.\n');
      return isRead ? systemLog(request, options.systemLogs) : NOT_ALLOWED;
    case 'checkpoint':
      return request.method === 'POST' ? checkpoint(node, request, { key, container: rest[0] ?? '' }) : NOT_ALLOWED;
    case 'pods':
      return isRead ? podList(node) : NOT_ALLOWED;
    case 'runningpods':
      return isRead ? json(await runningPods(node.backend.runtime)) : NOT_ALLOWED;
    case 'configz':
      return isRead ? json({ kubeletconfig: options.configuration ?? kubeletConfiguration(node) }) : NOT_ALLOWED;
    case 'stats':
      if (namespace !== 'summary') return NOT_FOUND;
      return isRead
        ? json(await statsSummary(node, { isShort: request.query.get('only_cpu_and_memory') === 'true' }))
        : NOT_ALLOWED;
    case 'metrics':
      return isRead ? metricsAt(node, request.path, options) : NOT_ALLOWED;
    case 'containerLogs':
      return isRead && rest.length === 1 ? containerLog(node, request, { key, container: rest[0] ?? '' }) : NOT_FOUND;
    case 'exec':
    case 'attach':
      if (rest.length !== 1 && rest.length !== 2) return NOT_FOUND;
      if (!takesStream) return NOT_ALLOWED;
      if (rest.length === 2 && node.pod(key)?.metadata.uid !== rest[0]) return NO_POD;
      return command(node, request, { key, container: rest.at(-1) ?? '', isAttach: root === 'attach' });
    case 'run':
      if (rest.length !== 1 && rest.length !== 2) return NOT_FOUND;
      return request.method === 'POST' ? run(node, request, { key, container: rest.at(-1) ?? '' }) : NOT_ALLOWED;
    case 'portForward':
      if (rest.length > 1) return NOT_FOUND;
      if (rest.length === 1 && node.pod(key)?.metadata.uid !== rest[0]) return NO_POD;
      return takesStream ? ports(node, request, key) : NOT_ALLOWED;
    default:
      return NOT_FOUND;
  }
}

const NOT_FOUND = refusal(404, '404: Page Not Found');
const NOT_ALLOWED = refusal(405, '405: Method Not Allowed');
const NO_POD = refusal(404, 'pod does not exist');

interface ContainerPlace {
  /** Of its pod. */
  readonly key: string;
  readonly container: string;
}

function statusOf({ startedAtMs, clock, backend }: ServedNode): ProcessStatus {
  const [version = ''] = backend.machine.kubeletVersion.replace(/^v/, '').split('+');
  return { startedAtMs, nowMs: clock.now(), version, paths: PATHS };
}

function podList(node: ServedNode): NodeAnswer {
  return json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: node.pods() });
}

function json(document: object): NodeAnswer {
  return { type: 'text', code: 200, text: JSON.stringify(document), contentType: 'application/json' };
}

async function metricsAt(
  node: ServedNode,
  path: string,
  { http, health, metrics: others }: ServingOptions,
): Promise<NodeAnswer> {
  switch (path) {
    case '/metrics':
      return metrics(await kubeletMetrics(node, [...(http?.families() ?? []), ...(others?.() ?? [])]));
    case '/metrics/cadvisor':
      return metrics(await cadvisorMetrics(node, node.clock.now()));
    case '/metrics/probes':
      return metrics(probeMetrics(node));
    case '/metrics/slis':
      return metrics(metricLines([...(health?.families() ?? []), startTime(node)]));
    case '/metrics/resource':
      return metrics(await resourceMetrics(node));
    default:
      return NOT_FOUND;
  }
}

function metrics(text: string): NodeAnswer {
  return { type: 'text', code: 200, text, contentType: 'text/plain; version=0.0.4; charset=utf-8' };
}

async function containerLog(
  node: ServedNode,
  request: NodeRequest,
  { key, container }: ContainerPlace,
): Promise<NodeAnswer> {
  const options = logOptions(request, node.clock);
  if (options === undefined) return refusal(400, '{"message": "Unable to decode query."}');
  const pod = node.pod(key);
  const name = JSON.stringify(key.slice(key.indexOf('/') + 1));
  if (pod === undefined) return refusal(404, `pod ${name} does not exist`);
  if (!containersOf(pod).includes(container)) {
    return refusal(404, `container ${JSON.stringify(container)} not found in pod ${name}`);
  }
  const entries = node.streams.logs(key, container, options);
  try {
    const first = await entries.next(); // errors surface before the first line
    return { type: 'stream', body: withFirst(first, entries) };
  } catch (error) {
    return refusal(error instanceof RuntimeError ? 400 : 500, messageOf(error));
  }
}

async function* withFirst(
  first: IteratorResult<Uint8Array, unknown>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

function containersOf({ spec }: Observed<Pod>): readonly string[] {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  return [...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name);
}

/** Undefined when the query is invalid. */
function logOptions({ query, signal }: NodeRequest, clock: Clock): PodLogOptions | undefined {
  const isTrue = (name: string): boolean => ['true', '1', 't', 'T', 'TRUE', 'True'].includes(query.get(name) ?? '');
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map((name) => {
    const text = query.get(name) ?? '';
    return text === '' ? undefined : Number(text);
  });
  const sinceTime = query.get('sinceTime') ?? '';
  const since = sinceSeconds === undefined ? Date.parse(sinceTime) : clock.now() - 1000 * sinceSeconds;
  const stream = { Stdout: 'stdout', Stderr: 'stderr' }[query.get('stream') ?? ''];
  if ([tailLines, limitBytes, sinceSeconds].some((number) => Number.isNaN(number))) return undefined;
  if (sinceTime !== '' && Number.isNaN(since)) return undefined;
  return {
    previous: isTrue('previous'),
    follow: isTrue('follow'),
    timestamps: isTrue('timestamps'),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(Number.isNaN(since) ? {} : { sinceMs: since }),
    ...(stream === 'stdout' || stream === 'stderr' ? { stream } : {}),
    signal,
  };
}

async function command(
  node: ServedNode,
  request: NodeRequest,
  { key, container, isAttach }: ContainerPlace & { readonly isAttach: boolean },
): Promise<NodeAnswer> {
  const wanted = wantedStreams(request.query);
  if ('type' in wanted) return wanted;
  if (node.pod(key) === undefined) return NO_POD;
  const { streams, clock } = node;
  const options = { ...wanted, signal: request.signal };
  const exec = { container, command: request.query.getAll('command') };
  return connected(
    () => (isAttach ? streams.attach(key, container, options) : streams.exec(key, exec, options)),
    (endpoint) =>
      endpoint.type === 'url'
        ? passOn(request, endpoint.url, clock)
        : serveCommand(request, wanted, { open: endpoint.open, clock, isAttach }),
  );
}

/** Runs a command to its end and answers with what it printed, all at once. */
async function run(
  node: ServedNode,
  { query, signal }: NodeRequest,
  { key, container }: ContainerPlace,
): Promise<NodeAnswer> {
  if (node.pod(key) === undefined) return NO_POD;
  const command = (query.get('cmd') ?? '').split(' ');
  try {
    const { stdout, stderr, exitCode } = await node.streams.run(key, { container, command }, { signal });
    if (exitCode === 0) return refusal(200, Buffer.concat([stdout, stderr]).toString());
    const words = `command '${command.join(' ')}' exited with ${exitCode}: ${Buffer.from(stderr).toString()}`;
    return refusal(500, words);
  } catch (error) {
    return refusal(500, messageOf(error));
  }
}

async function ports(node: ServedNode, request: NodeRequest, key: string): Promise<NodeAnswer> {
  const asked = askedPorts(request);
  if ('type' in asked) return asked;
  const pod = node.pod(key);
  if (pod === undefined) return NO_POD;
  const named = `${pod.metadata.namespace}/${pod.metadata.name}, uid ${pod.metadata.uid}`;
  return connected(
    () => node.streams.portForward(key, asked, { signal: request.signal }),
    (endpoint: StreamEndpoint<OpenPort>) =>
      endpoint.type === 'url'
        ? passOn(request, endpoint.url, node.clock)
        : servePorts(request, asked, {
            connect: endpoint.open,
            ended: endpoint.ended,
            pod: named,
            clock: node.clock,
          }),
  );
}

/** Serves the stream that the runtime opens; answers with a kubelet's error when the runtime refuses. */
async function connected<Endpoint>(
  open: () => Promise<Endpoint>,
  serve: (endpoint: Endpoint) => NodeAnswer | Promise<NodeAnswer>,
): Promise<NodeAnswer> {
  let endpoint: Endpoint;
  try {
    endpoint = await open();
  } catch (error) {
    return refusal(500, messageOf(error));
  }
  return serve(endpoint);
}
