// Extenders, good and hostile, that are asked which pods are to go.
import type { Answer, ExtenderCase, SentVictims } from './cases.ts';

/** By node, what an extender answers with. */
type Chosen = Record<string, { Pods: { UID: string }[] | null; NumPDBViolations?: number }>;

const PREEMPT = { preemptVerb: 'preempt' };
/** The pods on each node; the first one has to go, the second is small and more important. */
export const PODS_ON_NODES: Readonly<Record<string, readonly { name: string; cpu: string; priority: number }[]>> = {
  n1: [
    { name: 'large-1', cpu: '3', priority: 30 },
    { name: 'small-1', cpu: '500m', priority: 40 },
  ],
  n2: [
    { name: 'large-2', cpu: '3', priority: 20 },
    { name: 'small-2', cpu: '500m', priority: 40 },
  ],
  n3: [
    { name: 'large-3', cpu: '3', priority: 10 },
    { name: 'small-3', cpu: '500m', priority: 40 },
  ],
};
export const PREEMPTOR = { cpu: '3', priority: 1000 };

const answered = (choose: (offered: Chosen) => unknown): Answer => {
  return (response, { NodeNameToVictims, NodeNameToMetaVictims }) => {
    const offered = Object.entries(NodeNameToVictims ?? NodeNameToMetaVictims ?? {}).map(
      ([node, { Pods, NumPDBViolations }]) => [node, { Pods: Pods.map(uidOf), NumPDBViolations }],
    );
    const chosen = choose(Object.fromEntries(offered) as Chosen);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(chosen));
  };
};

function uidOf({ UID, metadata }: SentVictims['Pods'][number]): { UID: string } {
  return { UID: UID ?? metadata?.uid ?? '' };
}

function asked(name: string, answer: Answer, configuration: object = PREEMPT): ExtenderCase {
  return { name, configuration, answers: { preempt: answer } };
}

function chosen(name: string, choose: (offered: Chosen) => Chosen | null): ExtenderCase {
  return asked(
    name,
    answered((offered) => ({ NodeNameToMetaVictims: choose(offered) })),
  );
}

const fail: Answer = (response) => void response.writeHead(500).end('oops');
const unknown = { UID: '00000000-0000-0000-0000-000000000000' };

export const preemptionCases: readonly ExtenderCase[] = [
  chosen('all that it was offered', (offered) => offered),
  chosen('one node', ({ n1 }) => ({ n1: n1! })),
  chosen('no node', () => ({})),
  chosen('null', () => null),
  asked(
    'nothing',
    answered(() => ({})),
  ),
  chosen('a node that is not there', ({ n1 }) => ({ n9: n1! })),
  chosen('a pod that is not there', () => ({ n1: { Pods: [unknown] } })),
  chosen('a pod of another node', ({ n1 }) => ({ n2: n1! })),
  chosen('no pods on a node', ({ n1 }) => ({ n1: n1!, n2: { Pods: [] } })),
  chosen('null for pods', () => ({ n2: { Pods: null } })),
  chosen('violations of budgets', ({ n1, n3 }) => ({ n1: n1!, n3: { ...n3!, NumPDBViolations: 5 } })),
  chosen('a pod twice', ({ n1 }) => ({ n1: { Pods: [...n1!.Pods!, ...n1!.Pods!] } })),
  asked(
    'names in lower case',
    answered(({ n2 }) => ({ nodenametometavictims: { n2: { pods: n2!.Pods } } })),
  ),
  asked(
    'whole victims',
    answered(({ n2 }) => ({ NodeNameToVictims: { n2 } })),
  ),
  asked(
    'a list',
    answered(() => []),
  ),
  asked(
    'text for the nodes',
    answered(() => ({ NodeNameToMetaVictims: 'n1' })),
  ),
  asked('a refusal', fail),
  asked('a refusal, ignorable', fail, { ...PREEMPT, ignorable: true }),
  asked(
    'no pods on a node, ignorable',
    answered(({ n1 }) => ({ NodeNameToMetaVictims: { n1, n3: { Pods: [] } } })),
    {
      ...PREEMPT,
      ignorable: true,
    },
  ),
  asked(
    'nodes of its own',
    answered(({ n2 }) => ({ NodeNameToMetaVictims: { n2 } })),
    {
      ...PREEMPT,
      nodeCacheCapable: true,
    },
  ),
];
