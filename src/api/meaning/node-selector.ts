import type { DeepReadonly } from '../../base/index.ts';
import { checkRequirement, type LabelOperator, type LabelRequirement } from '../values/label-requirement.ts';
import { LabelMatcher, matchLabels } from '../values/label-selector.ts';
import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '../types/core/v1.d.ts';

/** Whether a node matches. */
export type NodeTest = (node: DeepReadonly<Node>) => boolean;

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
};

/** The nodes that a pod allows, by `nodeSelector` and node affinity; undefined if it allows all. */
export function requiredNodes(pod: DeepReadonly<Pod>): NodeTest | undefined {
  const { nodeSelector, affinity } = pod.spec ?? {};
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required === undefined ? undefined : anyTerm(required);
  if (Object.keys(nodeSelector ?? {}).length === 0) return terms;
  const matcher = matchLabels(nodeSelector);
  const hasLabels: NodeTest = (node) => matcher.matches(node.metadata?.labels);
  return terms === undefined ? hasLabels : (node) => hasLabels(node) && terms(node);
}

/** Matches if one of the terms does. */
export function anyTerm({ nodeSelectorTerms }: DeepReadonly<NodeSelector>): NodeTest {
  const tests = (nodeSelectorTerms ?? []).map(compileTerm).filter((test) => test !== undefined);
  return (node) => tests.some((test) => test(node));
}

/** Matches if all requirements of the term do. Undefined for an empty or invalid term, which matches no node. */
export function compileTerm(term: DeepReadonly<NodeSelectorTerm>): NodeTest | undefined {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return undefined;
  const requirements = matchExpressions.map(labelRequirement);
  const fields = matchFields.map(compileField);
  if (requirements.includes(undefined) || fields.includes(undefined)) return undefined;
  const matcher = new LabelMatcher(requirements as LabelRequirement[]);
  const fieldTests = fields as NodeTest[];
  if (fieldTests.length === 0) return (node) => matcher.matches(node.metadata?.labels);
  return (node) => matcher.matches(node.metadata?.labels) && fieldTests.every((test) => test(node));
}

function labelRequirement(expression: DeepReadonly<NodeSelectorRequirement>): LabelRequirement | undefined {
  const operator = OPERATORS[expression.operator];
  if (operator === undefined) return undefined;
  const requirement = { key: expression.key, operator, values: [...(expression.values ?? [])] };
  return checkRequirement(requirement) === undefined ? requirement : undefined;
}

/** The only field of nodes that terms support is their name. */
function compileField({ key, operator, values = [] }: DeepReadonly<NodeSelectorRequirement>): NodeTest | undefined {
  if (values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return undefined;
  const valueOf: (node: DeepReadonly<Node>) => string =
    key === 'metadata.name' ? ({ metadata }) => metadata?.name ?? '' : () => '';
  const isWanted = operator === 'In';
  return (node) => (valueOf(node) === values[0]) === isWanted;
}
