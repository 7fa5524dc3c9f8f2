import {
  duplicate,
  forbiddenField,
  invalidValue,
  isIpv4,
  notSupported,
  parseCidr,
  qualifiedNameProblems,
  labelValueProblems,
  legacyCidrProblems,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Node, Taint } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { unversioned } from '../unversioned.ts';
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

const TAINT = { Key: '', Value: '', Effect: '', TimeAdded: null };
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function checkTaints(taints: readonly Taint[]): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const key = `${taint.key}/${taint.effect}`;
    const value = labelValueProblems(taint.value ?? '');
    const errors = [
      ...qualifiedNameProblems(taint.key).map((problem) => invalidValue(`${field}.key`, taint.key, problem)),
      ...(value.length === 0 ? [] : [invalidValue(`${field}.value`, taint.value, value.join(';'))]),
      ...checkEffect(taint.effect, `${field}.effect`),
    ];
    if (seen.has(key)) {
      const detail = 'taints must be unique by key and effect pair';
      errors.push({ ...duplicate(field, unversioned(taint, TAINT)), detail });
    }
    seen.add(key);
    return errors;
  });
}

function checkEffect(effect: string | undefined, field: string): FieldError[] {
  if ((effect ?? '') === '') return [required(field)];
  return EFFECTS.includes(effect ?? '') ? [] : [notSupported(field, effect, EFFECTS)];
}

/** A node has at most one range of pod addresses of each family. */
function checkPodCidrs(cidrs: readonly string[]): FieldError[] {
  const errors = cidrs.flatMap((cidr, index) =>
    legacyCidrProblems(cidr).map((problem) => invalidValue(`spec.podCIDRs[${index}]`, cidr, problem)),
  );
  if (cidrs.length < 2) return errors;
  const families = cidrs.map((cidr) => parseCidr(cidr)?.address).map((address) => address && isIpv4(address));
  if (cidrs.length === 2 && families.includes(true) && families.includes(false)) return errors;
  return [...errors, invalidValue('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family')];
}

/** What is written once about where a node is stays. */
export function checkNodeUpdate(node: Whole<Node>, old: Whole<Node>): FieldError[] {
  const errors = checkNode(node);
  const was = old.spec;
  const { podCIDRs = [], providerID = '', externalID = '' } = node.spec;
  const oldCidrs = was.podCIDRs ?? [];
  if (oldCidrs.some((cidr, index) => cidr !== podCIDRs[index])) {
    errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if ((was.providerID ?? '') !== '' && was.providerID !== providerID) {
    errors.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  if ((was.externalID ?? '') !== externalID) errors.push(forbiddenField('spec.externalID', 'may not be updated'));
  return errors;
}
