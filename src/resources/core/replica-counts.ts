import { type FieldError, invalidValue } from '../../api/index.ts';

interface Counts {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly observedGeneration?: number;
}

const NEGATIVE = 'must be greater than or equal to 0';

type Part = Exclude<keyof Counts, 'replicas' | 'observedGeneration'>;

const PARTS: readonly Part[] = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

/** Counts of pods, of which some (`parts`) are parts of all. */
export function checkReplicaCounts(status: Counts, parts: readonly Part[] = PARTS): FieldError[] {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const errors: FieldError[] = [];
  for (const name of [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'observedGeneration',
  ] as const) {
    const value = status[name] ?? 0;
    if (value < 0) errors.push(invalidValue(`status.${name}`, value, NEGATIVE));
  }
  for (const name of parts) {
    const value = status[name] ?? 0;
    if (value > replicas) errors.push(invalidValue(`status.${name}`, value, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    errors.push(invalidValue('status.availableReplicas', availableReplicas, 'cannot be greater than readyReplicas'));
  }
  return errors;
}
