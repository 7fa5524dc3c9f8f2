import type { Call } from '../apiserver/index.ts';
import type { WantedStreams } from '../wire/remote-command/index.ts';

/** A container of a pod, as a node's paths name it. */
export interface ContainerPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

type Parameter = [name: string, value: string];

/** Where a node has the log of a container, with what the client wants of it. */
export function logPath(place: ContainerPlace, { query }: Call): string {
  const asked = ['follow', 'previous', 'timestamps'].filter((name) => isTrue(query.get(name)));
  const given = ['sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes', 'stream'].filter(
    (name) => query.get(name) !== '',
  );
  return pathOf('containerLogs', place, [
    ...asked.map((name): Parameter => [name, 'true']),
    ...given.map((name): Parameter => [name, query.get(name)]),
  ]);
}

/** Where a node runs a command in a container, or connects to what it runs. */
export function commandPath(type: 'exec' | 'attach', place: ContainerPlace, { query }: Call): string {
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

/** Where a node connects to ports of a pod. */
export function portsPath({ namespace, pod }: Omit<ContainerPlace, 'container'>, { query }: Call): string {
  const ports = query.all('ports');
  return pathOf('portForward', { namespace, pod }, ports.length === 0 ? [] : [['port', ports.join(',')]]);
}

/** The streams that a client asks for. What the options leave open is as their defaults say. */
export function wantedStreams(query: Call['query']): WantedStreams {
  const asked = (name: string, byDefault: boolean): boolean => (query.has(name) ? isTrue(query.get(name)) : byDefault);
  return {
    stdin: asked('stdin', false),
    stdout: asked('stdout', true),
    stderr: asked('stderr', true),
    tty: asked('tty', false),
  };
}

function isTrue(text: string): boolean {
  return text !== 'false' && text !== '0' && text !== '';
}

function pathOf(root: string, place: Partial<ContainerPlace>, parameters: readonly Parameter[]): string {
  const { namespace = '', pod = '', container } = place;
  const steps = [root, namespace, pod, ...(container === undefined ? [] : [container])].map(encodeURIComponent);
  const query = new URLSearchParams(parameters);
  return `/${steps.join('/')}${query.size === 0 ? '' : `?${query.toString()}`}`;
}
