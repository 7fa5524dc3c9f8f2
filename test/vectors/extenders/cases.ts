// Extenders, good and hostile, each for the pods that ask for its own resource.
import type { ServerResponse } from 'node:http';

/** What an extender does with a request. */
export type Answer = (response: ServerResponse, args: SentArgs) => void;

export interface SentArgs {
  readonly Pod?: { readonly metadata: { readonly name: string } };
  readonly Nodes?: { readonly items: readonly { readonly metadata: { readonly name: string } }[] } | null;
  readonly NodeNames?: readonly string[] | null;
  readonly NodeNameToVictims?: Readonly<Record<string, SentVictims>> | null;
  readonly NodeNameToMetaVictims?: Readonly<Record<string, SentVictims>> | null;
}

export interface SentVictims {
  readonly Pods: readonly {
    readonly UID?: string;
    readonly metadata?: { readonly uid: string; readonly name: string };
  }[];
  readonly NumPDBViolations: number;
}

export interface ExtenderCase {
  readonly name: string;
  /** Members of its configuration, beside its URL and resource. */
  readonly configuration: object;
  /** By verb; one that is missing is never answered. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** Another place than the server of all extenders, of which `PORT` is the port. */
  readonly url?: string;
  /** It answers only when it is given up. */
  readonly isLate?: boolean;
  /** All nodes are equally good, and one is chosen at random. */
  readonly isByChance?: boolean;
}

export const NODES = ['n1', 'n2', 'n3'];
export const TIMEOUT_MS = 700;

const json =
  (value: unknown, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const text =
  (body: string, status = 200): Answer =>
  (response) =>
    void response.writeHead(status).end(body);

const FILTER = { filterVerb: 'filter' };
const BY_NAME = { ...FILTER, nodeCacheCapable: true };

function filter(name: string, answer: Answer, more: Partial<ExtenderCase> = {}): ExtenderCase {
  return { name, configuration: FILTER, answers: { filter: answer }, ...more };
}

function byName(name: string, answer: Answer): ExtenderCase {
  return { name, configuration: BY_NAME, answers: { filter: answer } };
}

const nodes = (...names: string[]) => ({ items: names.map((name) => ({ metadata: { name } })) });
const score = (...scores: [string, unknown][]) => json(scores.map(([Host, Score]) => ({ Host, Score })));
const scored = (name: string, answer: Answer): ExtenderCase => ({
  name,
  configuration: { prioritizeVerb: 'prioritize', weight: 100 },
  answers: { prioritize: answer },
});

export const extenderCases: readonly ExtenderCase[] = [
  byName('one name', json({ NodeNames: ['n2'] })),
  byName('names in lower case', json({ nodenames: ['n2'] })),
  byName('names as nodes', json({ Nodes: nodes('n3') })),
  byName('no names', json({ NodeNames: [] })),
  byName('null for names', json({ NodeNames: null })),
  byName('a name it was not given', json({ NodeNames: ['n2', 'n9'] })),
  byName('a number for a name', json({ NodeNames: [1] })),
  byName('text for names', json({ NodeNames: 'n1' })),
  filter('one node', json({ Nodes: nodes('n2') })),
  filter('names where nodes are sent', json({ NodeNames: ['n2'] })),
  filter('nothing', json({})),
  filter('null', json(null)),
  filter('an error', json({ Error: 'the extender has a headache' })),
  filter('an error and a node', json({ Error: 'no', Nodes: nodes('n1') })),
  filter(
    'why not',
    json({
      Nodes: nodes(),
      FailedNodes: { n1: 'no GPU left', n2: 'no GPU left' },
      FailedAndUnresolvableNodes: { n2: 'no GPU', n3: 'no GPU' },
    }),
  ),
  filter('why not a node that is not there', json({ Nodes: nodes(), FailedNodes: { n9: 'who?' } })),
  filter('a list', json([])),
  filter('a number', json(5)),
  filter('a number for the error', json({ Error: 5 })),
  filter('a list for failed nodes', json({ FailedNodes: ['n1'] })),
  filter('no body', text('')),
  filter('blanks', text('  \n')),
  filter('HTML', text('<html>')),
  filter('half an answer', text('{"Nodes": {"items": [')),
  filter('an answer and more', text('{"Nodes":{"items":[{"metadata":{"name":"n1"}}]}} {"Error":"late"} garbage')),
  filter('bad JSON', text('{"Nodes": x}')),
  filter('status 500', text('oops', 500)),
  filter('status 404', text('not here', 404)),
  filter('status 201', json({ Nodes: nodes('n1') }, 201)),
  filter('a refusal, ignorable', text('oops', 500), {
    configuration: { ...FILTER, ignorable: true },
    isByChance: true,
  }),
  filter('a cut connection', (response) => void response.destroy()),
  filter('a body that is cut', (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"Nodes"');
    setTimeout(() => response.destroy(), 50).unref();
  }),
  filter('no answer', () => undefined, { isLate: true }),
  filter('no answer, ignorable', () => undefined, {
    isLate: true,
    isByChance: true,
    configuration: { ...FILTER, ignorable: true },
  }),
  filter(
    'half an answer for ever',
    (response) => {
      response.writeHead(200);
      response.write('{"Nodes":');
    },
    { isLate: true },
  ),
  filter('nobody there', () => undefined, { url: 'http://127.0.0.1:1/x' }),
  filter('TLS where there is none', () => undefined, { url: 'https://127.0.0.1:PORT/x' }),
  {
    name: 'no TLS verified',
    configuration: { ...FILTER, enableHTTPS: true },
    answers: { filter: json({ Nodes: nodes('n1') }) },
  },
  scored('scores', score(['n1', 1], ['n2', 10], ['n3', 5])),
  scored('scores in lower case', json([{ host: 'n3', score: 9 }])),
  scored('scores for others', score(['n9', 10], ['n1', 3])),
  scored('scores twice', score(['n1', 6], ['n2', 4], ['n2', 4])),
  { ...scored('no scores', json(null)), isByChance: true },
  scored('scores above the highest', score(['n1', 1000], ['n2', 10])),
  scored('negative scores', score(['n1', -5], ['n2', -3], ['n3', -4])),
  {
    name: 'filter and scores',
    configuration: { ...BY_NAME, prioritizeVerb: 'prioritize', weight: 1 },
    answers: { filter: json({ NodeNames: ['n1', 'n3'] }), prioritize: score(['n1', 1], ['n2', 10], ['n3', 9]) },
  },
];
