import type { DeepReadonly } from '../../base/index.ts';
import { compileTerm, type NodeTest, requiredNodes } from '../../api/meaning/index.ts';
import type { NodeAffinity, NodeSelectorTerm } from '../../api/types/core/v1.d.ts';
import type { Node, Observed, Pod } from '../../client/index.ts';
import type { Change } from '../framework/cluster-event.ts';
import type { CycleKey } from '../framework/cycle.ts';
import type { Plugin } from '../framework/plugin.ts';
import type { PluginContext } from '../framework/plugin-context.ts';
import { unresolvable } from '../framework/rejection.ts';
import { readNodeAffinityArgs } from './node-affinity-args.ts';
import { normalizeScores } from './normalize-scores.ts';

const NAME = 'NodeAffinity';
const NO_MATCH = unresolvable(NAME, "node(s) didn't match Pod's node affinity/selector");
const NOT_ENFORCED = unresolvable(NAME, "node(s) didn't match scheduler-enforced node affinity");
const ANY: NodeTest = () => true;
const CONFLICT = unresolvable(NAME, 'pod affinity terms conflict');

interface Preference {
  readonly weight: number;
  readonly test: NodeTest;
}

const required: CycleKey<NodeTest> = { name: `PreFilter${NAME}` };
const preferred: CycleKey<readonly Preference[]> = { name: `PreScore${NAME}` };

/** Filter: `nodeSelector` and required node affinity. Score: preferred node affinity, by the weights of its terms. */
export function nodeAffinity({ args }: Pick<PluginContext, 'args'>): Plugin {
  const addedAffinity = readNodeAffinityArgs(args);
  const enforced = requiredNodes({ spec: { containers: [], affinity: { nodeAffinity: addedAffinity } } });
  const added = preferencesOf(addedAffinity);
  return {
    name: NAME,
    events: [
      {
        resource: 'Node',
        actions: ['Add', 'UpdateNodeLabel'],
        isWorthRetry: ({ pod }, { old, now }: Change<Node>) => {
          if (now !== undefined && enforced?.(now) === false) return false;
          const test = requiredNodes(pod);
          if (test === undefined || now === undefined) return true;
          return test(now) && (old === undefined || !test(old));
        },
      },
    ],
    preFilter(cycle) {
      const { pod } = cycle.pod;
      const test = requiredNodes(pod);
      if (test === undefined && enforced === undefined) return 'skip';
      cycle.write(required, test ?? ANY);
      const nodes = namedNodes(pod);
      if (nodes === undefined) return undefined;
      return nodes.size === 0 ? CONFLICT : { nodes };
    },
    filter(cycle, { node }) {
      if (node === undefined) return NO_MATCH;
      if (enforced?.(node) === false) return NOT_ENFORCED;
      return cycle.read(required)(node) ? undefined : NO_MATCH;
    },
    preScore(cycle) {
      const own = preferencesOf(cycle.pod.pod.spec?.affinity?.nodeAffinity);
      if (own === undefined && added === undefined) return 'skip';
      cycle.write(preferred, [...(added ?? []), ...(own ?? [])]);
      return undefined;
    },
    score(cycle, { node }) {
      let sum = 0;
      for (const { weight, test } of cycle.read(preferred)) {
        if (node !== undefined && test(node)) sum += weight;
      }
      return sum;
    },
    normalizeScore: (_cycle, scores) => normalizeScores(scores),
  };
}

/** The candidate nodes when every term selects nodes by name; undefined when one does not. */
function namedNodes(pod: Observed<Pod>): Set<string> | undefined {
  const terms =
    pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of terms) {
    const ofTerm = namesOf(term);
    if (ofTerm === undefined) return undefined;
    for (const name of ofTerm) names.add(name);
  }
  return names;
}

/** The node names that all requirements of a term allow. */
function namesOf({ matchFields = [] }: DeepReadonly<NodeSelectorTerm>): string[] | undefined {
  let names: readonly string[] | undefined;
  for (const { key, operator, values = [] } of matchFields) {
    if (key !== 'metadata.name' || operator !== 'In') continue;
    names = names === undefined ? values : names.filter((name) => values.includes(name));
  }
  return names as string[] | undefined;
}

function preferencesOf(affinity: DeepReadonly<NodeAffinity> | undefined): Preference[] | undefined {
  return affinity?.preferredDuringSchedulingIgnoredDuringExecution?.flatMap(({ weight, preference }) => {
    const test = weight === 0 ? undefined : compileTerm(preference);
    return test === undefined ? [] : [{ weight, test }];
  });
}
