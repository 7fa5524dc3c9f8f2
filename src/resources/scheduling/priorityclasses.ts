import { asJson, type FieldError, forbidden, forbiddenField, invalidValue } from '../../api/index.ts';
import type { PriorityClass } from '../../api/types/scheduling/v1.d.ts';
import { ageColumn, boolean, column, integer, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';

/** The maximum value of user-defined classes. */
const MAX_USER_PRIORITY = 1_000_000_000;
const RESERVED = 'system-';
const RESOURCE = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };

/** The classes of system components, with fixed names, priorities and descriptions. */
export const systemPriorityClasses: Readonly<Record<string, { readonly value: number; readonly description: string }>> =
  {
    'system-node-critical': {
      value: 2_000_001_000,
      description: 'Used for system critical pods that must not be moved from their current node.',
    },
    'system-cluster-critical': {
      value: 2_000_000_000,
      description:
        'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    },
  };

export const priorityClasses = defineKind<PriorityClass>({
  changeSteps: ['metadataChange', 'change'],
  group: 'scheduling.k8s.io',
  plural: 'priorityclasses',
  columns: [
    nameColumn,
    integer('Value', 'Priority of its pods; more goes first', ({ value }) => value),
    boolean('Global-Default', 'Whether pods get it that ask for none', ({ globalDefault = false }) => globalDefault),
    ageColumn,
    column('PreemptionPolicy', 'Whether its pods push others out', ({ preemptionPolicy = '' }) => preemptionPolicy),
  ],
  raisesGeneration: () => false,
  validate: checkPriorityClass,

  beforeDelete({ metadata: { name = '' } }) {
    if (systemPriorityClasses[name] === undefined) return 'delete';
    throw forbidden(RESOURCE, name, 'this is a system priority class and cannot be deleted');
  },

  validateChange(object, old) {
    const errors: FieldError[] = [];
    if ((object.value ?? 0) !== (old.value ?? 0))
      errors.push(forbiddenField('value', 'may not be changed in an update.'));
    if ((object.preemptionPolicy ?? '') !== (old.preemptionPolicy ?? '')) {
      errors.push(invalidValue('preemptionPolicy', asJson(object.preemptionPolicy ?? ''), 'field is immutable'));
    }
    return errors;
  },
});

function checkPriorityClass(object: Whole<PriorityClass>): FieldError[] {
  const { name = '' } = object.metadata;
  if (name.startsWith(RESERVED)) return checkSystemClass(object, name);
  if ((object.value ?? 0) <= MAX_USER_PRIORITY) return [];
  return [forbiddenField('value', `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`)];
}

function checkSystemClass(object: Whole<PriorityClass>, name: string): FieldError[] {
  const known = systemPriorityClasses[name];
  const refuse = (why: string): FieldError[] => {
    const detail = `priority class names with '${RESERVED}' prefix are reserved for system use only. error: ${why}`;
    return [forbiddenField('metadata.name', detail)];
  };
  if (known === undefined) return refuse(`${name} is not a known system priority class`);
  if (object.value !== known.value) {
    return refuse(`value of ${name} PriorityClass must be ${known.value}`);
  }
  if (object.globalDefault === true) return refuse(`globalDefault of ${name} PriorityClass must be false`);
  return [];
}
