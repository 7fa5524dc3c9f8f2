import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

export interface NodeIdentity {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

type Requirement = DeepReadonly<core.NodeSelectorRequirement>;

/** Whether the node has the labels and the name that the pod insists on. */
export function matchesNode({ spec }: Observed<Pod>, node: NodeIdentity): boolean {
  const wanted = Object.entries(spec?.nodeSelector ?? {});
  if (!wanted.every(([key, value]) => node.labels[key] === value)) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return required.nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length === 0 && matchFields.length === 0) return false; // an empty term selects nothing
    const fields: Readonly<Record<string, string>> = { 'metadata.name': node.name };
    return (
      matchExpressions.every((each) => holds(each, node.labels[each.key])) &&
      matchFields.every((each) => holds(each, fields[each.key]))
    );
  });
}

function holds({ operator, values = [] }: Requirement, actual: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return actual !== undefined && values.includes(actual);
    case 'NotIn':
      return actual === undefined || !values.includes(actual);
    case 'Exists':
      return actual !== undefined;
    case 'DoesNotExist':
      return actual === undefined;
    case 'Gt':
      return compares(actual, values[0], (left, right) => left > right);
    case 'Lt':
      return compares(actual, values[0], (left, right) => left < right);
    default:
      return false; // the server stores no other
  }
}

function compares(
  actual: string | undefined,
  bound: string | undefined,
  test: (left: bigint, right: bigint) => boolean,
): boolean {
  const isNumber = (text: string | undefined): text is string => text !== undefined && /^[-+]?\d+$/.test(text);
  return isNumber(actual) && isNumber(bound) && test(BigInt(actual), BigInt(bound));
}
