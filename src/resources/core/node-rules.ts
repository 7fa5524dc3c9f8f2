import {
  duplicate,
  forbiddenField,
  invalidValue,
  isIpv4,
  parseCidr,
  qualifiedNameProblems,
  labelValueProblems,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Node, Taint } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkResourceAmount } from './resource-rules.ts';

export function checkNode({ spec, status }: Whole<Node>): FieldError[] {
  return [
    ...checkTaints(spec.taints ?? []),
    ...Object.entries(status.capacity ?? {}).flatMap(([name, text]) =>
      checkResourceAmount(name, text, `status.capacity[${name}]`),
    ),
    ...Object.entries(status.allocatable ?? {}).flatMap(([name, text]) =>
      checkResourceAmount(name, text, `status.allocatable[${name}]`),
    ),
    ...checkPodCidrs(spec.podCIDRs ?? []),
  ];
}

function checkTaints(taints: readonly Taint[]): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const key = `${taint.key}/${taint.effect}`;
    const value = labelValueProblems(taint.value ?? '');
    const errors = [
      ...qualifiedNameProblems(taint.key).map((problem) => invalidValue(`${field}.key`, taint.key, problem)),
      ...(value.length === 0 ? [] : [invalidValue(`${field}.value`, taint.value, value.join(';'))]),
    ];
    if (seen.has(key)) {
      const detail = 'taints must be unique by key and effect pair';
      errors.push({ ...duplicate(field, taint), detail });
    }
    seen.add(key);
    return errors;
  });
}

/** A node has at most one range of pod addresses of each family. */
function checkPodCidrs(cidrs: readonly string[]): FieldError[] {
  const families = cidrs.flatMap((cidr) => {
    const prefix = parseCidr(cidr);
    return prefix === undefined ? [] : [isIpv4(prefix.address)];
  });
  if (new Set(families).size === families.length && cidrs.length <= 2) return [];
  return [invalidValue('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family')];
}

/** What is written once about where a node is stays. */
export function checkNodeUpdate(node: Whole<Node>, old: Whole<Node>): FieldError[] {
  const errors = checkNode(node);
  const was = old.spec;
  const { podCIDRs = [], providerID = '', externalID = '' } = node.spec;
  const oldCidrs = was.podCIDRs ?? [];
  if (oldCidrs.length > 0 && oldCidrs.some((cidr, index) => cidr !== podCIDRs[index])) {
    errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if ((was.providerID ?? '') !== '' && was.providerID !== providerID) {
    errors.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  if ((was.externalID ?? '') !== externalID) errors.push(forbiddenField('spec.externalID', 'may not be updated'));
  return errors;
}
