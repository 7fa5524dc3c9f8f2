import {
  dns1123SubdomainProblems,
  duplicate,
  forbiddenField,
  invalidValue,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { CSIDriver, CSINode, CSIStorageCapacity, VolumeAttachment } from '../../api/types/storage/v1.d.ts';
import { amount } from '../core/resource-list.ts';
import type { Whole } from '../kind.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';

const MIN_EXPIRATION = 600;
const MAX_EXPIRATION = 2 ** 32;

/** A driver asks for one token an audience. */
export function checkDriver({ spec }: Whole<CSIDriver>): FieldError[] {
  const audiences = new Set<string>();
  return (spec.tokenRequests ?? []).flatMap(({ audience, expirationSeconds }, index) => {
    const field = `spec.tokenRequests[${index}]`;
    if (audiences.has(audience)) return [duplicate(`${field}.audience`, audience)];
    audiences.add(audience);
    if (expirationSeconds === undefined) return [];
    const say = (which: string): FieldError[] => [
      invalidValue(`${field}.expirationSeconds`, expirationSeconds, `may not specify a duration ${which}`),
    ];
    if (expirationSeconds < MIN_EXPIRATION) return say('less than 10 minutes');
    return expirationSeconds > MAX_EXPIRATION ? say('larger than 2^32 seconds') : [];
  });
}

/** The drivers of a node, each once, with the labels that tell where the node is. */
export function checkCsiNode({ spec }: Whole<CSINode>): FieldError[] {
  const names = new Set<string>();
  return (spec.drivers ?? []).flatMap(({ name, topologyKeys }, index) => {
    const field = `spec.drivers[${index}]`;
    const errors = names.has(name) ? [duplicate(`${field}.name`, name)] : [];
    names.add(name);
    const keys = new Set<string>();
    for (const key of topologyKeys ?? []) {
      if (key === '') errors.push(required(field));
      if (keys.has(key)) errors.push(duplicate(field, key));
      keys.add(key);
      for (const problem of qualifiedNameProblems(key)) errors.push(invalidValue(field, key, problem));
    }
    return errors;
  });
}

export function checkCapacity({ nodeTopology, storageClassName, capacity }: CSIStorageCapacity): FieldError[] {
  const errors = checkLabelSelector(nodeTopology, 'nodeTopology');
  for (const problem of dns1123SubdomainProblems(storageClassName)) {
    errors.push(invalidValue('storageClassName', storageClassName, problem));
  }
  if (capacity !== undefined && amount(capacity).sign < 0) {
    errors.push(invalidValue('capacity', capacity, 'must be greater than or equal to 0'));
  }
  return errors;
}

/** What is attached: a volume by its name, or one that has none, but not both. */
export function checkAttachment({ spec }: Whole<VolumeAttachment>): FieldError[] {
  const { inlineVolumeSpec, persistentVolumeName } = spec.source;
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  const errors: FieldError[] = [];
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) {
    errors.push(required('spec.source', detail));
  } else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) {
    errors.push(forbiddenField('spec.source', detail));
  } else if (persistentVolumeName === '') {
    errors.push(required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName'));
  }
  for (const problem of dns1123SubdomainProblems(spec.nodeName)) {
    errors.push(invalidValue('spec.nodeName', spec.nodeName, problem));
  }
  return errors;
}
