import {
  badRequest,
  forbidden,
  forbiddenField,
  invalid,
  invalidValue,
  notFound,
  quoteGo,
  StatusError,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Call, ConnectionAnswer } from '../../apiserver/index.ts';
import type { ConnectionTarget, KindEnvironment } from '../kind-environment.ts';
import type { SubresourceMaker, Whole } from '../kind.ts';

const NODES = { group: '', resource: 'nodes' };

/** `exec`, `attach`, `portforward` and `log` of a pod: streams from its node. */
export function podStream(
  environment: KindEnvironment,
  type: 'exec' | 'attach' | 'log' | 'portforward',
): SubresourceMaker {
  const logOptions = environment.types.struct('io.k8s.api.core.v1.PodLogOptions');
  const nodes = environment.objects.of('', 'nodes');
  return (info) => ({
    type: 'connection',
    verbs: info.verbs,
    struct: info.type,
    style:
      type === 'log'
        ? { kind: 'text', options: logOptions }
        : { kind: 'connect', methods: ['get', 'post'], options: info.type, takesPath: false },
    isRead: type === 'log',
    async open(call, objects) {
      if (type === 'log') checkLogOptions(call);
      else await checkMayCreate(environment, call);
      const pod = (await objects.get()) as unknown as Whole<Pod>;
      const container = type === 'portforward' ? '' : containerFor(pod, call.request.query.get('container'));
      const { name = '' } = pod.metadata;
      const { nodeName: node = '' } = pod.spec;
      if (node === '') {
        if (type === 'log') return NO_LOG_YET;
        throw badRequest(`pod ${name} does not have a host assigned`);
      }
      if ((await nodes.newest('', node)) === undefined) throw notFound(NODES, node);
      const target = type === 'portforward' ? { type, node, pod } : { type, node, pod, container };
      return connect(environment, target, call);
    },
  });
}

/**
 * A WebSocket starts with GET, and permission to get must not suffice for running commands: `create` is required whatever
 * the method.
 */
async function checkMayCreate(
  { accessReviewer }: KindEnvironment,
  { info, principal: { user }, request: { signal } }: Call,
): Promise<void> {
  if (info.verb === 'create' || accessReviewer === undefined) return;
  const { verdict, reason } = await accessReviewer.authorizer.authorize({
    user,
    info: { ...info, verb: 'create' },
    signal,
  });
  if (verdict !== 'allow') throw forbidden({ group: info.group, resource: info.resource }, info.name, reason);
}

const NO_LOG_YET: ConnectionAnswer = { type: 'bytes', code: 204, contentType: '', body: '' };

const EVERY_METHOD = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

/** `proxy` of pods, services and nodes: forwards a request to their server. */
export function proxied(
  environment: KindEnvironment,
  type: 'podproxy' | 'nodeproxy' | 'serviceproxy',
): SubresourceMaker {
  return (info) => ({
    type: 'connection',
    verbs: info.verbs,
    struct: info.type,
    style: { kind: 'connect', methods: EVERY_METHOD, options: info.type, takesPath: true },
    open: (call) => connect(environment, { type, namespace: call.info.namespace, name: call.info.name }, call),
  });
}

async function connect(
  { nodeConnector }: KindEnvironment,
  target: ConnectionTarget,
  call: Call,
): Promise<ConnectionAnswer> {
  if (nodeConnector !== undefined) return nodeConnector.connect(target, call);
  throw new StatusError({
    code: 501,
    message: `Cannot open "${call.info.resource}/${call.info.subresource}": this server has no connection to nodes`,
  });
}

/** The requested container, or the only one. */
function containerFor({ metadata, spec }: Whole<Pod>, asked: string): string {
  const { name = '' } = metadata;
  const all = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  if (asked !== '') {
    if (all.some((container) => container.name === asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const [only, ...others] = spec.containers ?? [];
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`);
  if (others.length === 0) return only.name;
  const names = all.map((container) => container.name).join(' ');
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names}]`);
}

/** Refuses invalid log options, before anything is looked up. */
function checkLogOptions({ request: { query }, info }: Call): void {
  const number = (name: string): number | undefined => readNumber(query.get(name));
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map(number);
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalidValue('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(invalidValue('limitBytes', limitBytes, 'must be greater than 0'));
  }
  if (sinceSeconds !== undefined && query.get('sinceTime') !== '') {
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalidValue('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (errors.length > 0) throw invalid({ group: '', resource: 'PodLogOptions' }, info.name, errors);
}

function readNumber(text: string): number | undefined {
  if (text === '') return undefined;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${quoteGo(text)}: invalid syntax`);
}
