// Pages that describe a process of Kubernetes: /statusz and /flagz.
import { type NodeRequest, refusal, type TextAnswer } from './node-request.ts';

const COMPONENT = 'kubelet';
const GROUP = 'config.k8s.io';
const VERSIONS = ['v1beta1', 'v1alpha1'] as const;
const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const MS_PER_SECOND = 1000;

type PageKind = 'Statusz' | 'Flagz';

export interface ProcessStatus {
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** `1.36.3` */
  readonly version: string;
  /** The first segments of the paths that are served. */
  readonly paths: readonly string[];
}

/** `/statusz`: since when the process runs, its version and its paths. */
export function statusPage(request: NodeRequest, status: ProcessStatus): TextAnswer {
  const { startedAtMs, nowMs, version, paths } = status;
  const seconds = Math.max(0, Math.trunc((nowMs - startedAtMs) / MS_PER_SECOND));
  const sorted = paths.map((path) => `/${path}`).toSorted();
  const emulated = version.split('.').slice(0, 2).join('.');
  const startTime = `${new Date(startedAtMs).toISOString().slice(0, 19)}Z`;
  return page(request, 'Statusz', {
    members: {
      startTime,
      uptimeSeconds: seconds,
      goVersion: '',
      binaryVersion: version,
      emulationVersion: emulated,
      paths: sorted,
    },
    lines: [
      ['Started', startTime],
      ['Up', `${Math.trunc(seconds / 3600)} hr ${two((seconds / 60) % 60)} min ${two(seconds % 60)} sec`],
      ['Go version', ''],
      ['Binary version', version],
      ['Emulation version', emulated],
      ['Paths', sorted.join(' ')],
    ],
  });
}

/** `/flagz`: the flags of the command line. */
export function flagPage(request: NodeRequest, flags: Readonly<Record<string, string>>): TextAnswer {
  const lines = Object.entries(flags).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return page(request, 'Flagz', { members: { flags }, lines });
}

function two(number: number): string {
  return String(Math.trunc(number)).padStart(2, '0');
}

interface PageContent {
  readonly members: object;
  readonly lines: readonly (readonly [name: string, value: string])[];
}

/** Text, or JSON where the caller names kind and version: `application/json;v=v1beta1;g=config.k8s.io;as=Statusz`. */
function page(request: NodeRequest, kind: PageKind, { members, lines }: PageContent): TextAnswer {
  const accept = request.header('accept')?.trim() ?? '';
  const version = askedVersion(accept, kind);
  if (version !== undefined) {
    const document = { kind, apiVersion: `${GROUP}/${version}`, metadata: { name: COMPONENT }, ...members };
    return { type: 'text', code: 200, text: `${JSON.stringify(document)}\n`, contentType: 'application/json' };
  }
  if (accept !== '' && !/(^|,)\s*(text\/plain|text\/\*|\*\/\*)/.test(accept))
    return refusal(406, 'only the following media types are accepted: text/plain, application/json');
  const text = [
    '',
    `${COMPONENT} ${kind.toLowerCase()}`,
    WARNING,
    '',
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
  ];
  return refusal(200, text.join('\n'));
}

function askedVersion(accept: string, kind: PageKind): string | undefined {
  for (const choice of accept.split(',')) {
    const [type = '', ...parameters] = choice.split(';').map((part) => part.trim());
    const has = (parameter: string): boolean => parameters.includes(parameter);
    if (type !== 'application/json' || !has(`g=${GROUP}`) || !has(`as=${kind}`)) continue;
    const version = VERSIONS.find((each) => has(`v=${each}`));
    if (version !== undefined) return version;
  }
  return undefined;
}
