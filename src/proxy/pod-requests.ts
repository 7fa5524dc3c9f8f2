import type { IncomingRequest } from '../apiserver/index.ts';
import type { WantedStreams } from '../wire/remote-command/index.ts';

/** A container of a pod, as a node's paths name it. */
export interface ContainerPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** The query of the client's request. */
export interface Asked {
  readonly query: Pick<IncomingRequest['query'], 'all' | 'get' | 'has'>;
}

type Parameter = [name: string, value: string];

/** The path of a container's log at its node, with the client's options. */
export function logPath(place: ContainerPlace, { query }: Asked): string {
  const asked = ['follow', 'previous', 'timestamps'].filter((name) => isAsked(query, name));
  const given = ['sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes', 'stream'].filter(
    (name) => query.get(name) !== '',
  );
  return pathOf('containerLogs', place, [
    ...asked.map((name): Parameter => [name, 'true']),
    ...given.map((name): Parameter => [name, query.get(name)]),
  ]);
}

/** The path at which a node executes a command in a container, or attaches to it. */
export function commandPath(type: 'exec' | 'attach', place: ContainerPlace, { query }: Asked): string {
  const wanted = wantedStreams(query);
  const streams = [
    ['input', wanted.stdin],
    ['output', wanted.stdout],
    ['error', wanted.stderr],
    ['tty', wanted.tty],
  ] as const;
  const flags = streams.filter(([, isWanted]) => isWanted).map(([name]): Parameter => [name, '1']);
  const command = type === 'exec' ? query.all('command').map((word): Parameter => ['command', word]) : [];
  return pathOf(type, place, [...flags, ...command]);
}

/** The path at which a node forwards ports of a pod. */
export function portsPath({ namespace, pod }: Omit<ContainerPlace, 'container'>, { query }: Asked): string {
  const ports = query.all('ports');
  return pathOf('portForward', { namespace, pod }, ports.length === 0 ? [] : [['port', ports.join(',')]]);
}

/** The streams that a client asks for. */
export function wantedStreams(query: Asked['query']): WantedStreams {
  const [stdin = false, stdout = false, stderr = false, tty = false] = ['stdin', 'stdout', 'stderr', 'tty'].map(
    (name) => isAsked(query, name),
  );
  return { stdin, stdout, stderr, tty };
}

/** Every value but `0` and `false` means true, in any case: Python's clients write `False`. */
function isAsked(query: Asked['query'], name: string): boolean {
  const text = query.get(name);
  return query.has(name) && text !== '0' && text.toLowerCase() !== 'false';
}

function pathOf(root: string, place: Partial<ContainerPlace>, parameters: readonly Parameter[]): string {
  const { namespace = '', pod = '', container } = place;
  const steps = [root, namespace, pod, ...(container === undefined ? [] : [container])].map(encodeURIComponent);
  const query = new URLSearchParams(parameters);
  return `/${steps.join('/')}${query.size === 0 ? '' : `?${query.toString()}`}`;
}
