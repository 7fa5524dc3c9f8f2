import { type FieldError, invalidValue } from '../../../api/index.ts';
import type { UtilizationPoint } from '../fit-args.ts';
import { childPath, refuseArguments } from '../plugin-arguments.ts';

/** The arguments of VolumeBinding, as in VolumeBindingArgs. */
export interface VolumeBindingArgs {
  /** Time limit for binding a pod's volumes; default 600. */
  readonly bindTimeoutSeconds?: number;
  /** Rejected: kube-scheduler accepts it only with the feature gate StorageCapacityScoring. */
  readonly shape?: readonly Partial<UtilizationPoint>[];
}

const DEFAULT_SECONDS = 600;
const UNEXPECTED = 'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring';

/** Reads the time limit for binding a pod's volumes. */
export function readBindTimeoutMs(args: unknown): number {
  const given = (args ?? {}) as VolumeBindingArgs;
  refuseArguments('VolumeBinding', volumeBindingArgsErrors(given));
  return (given.bindTimeoutSeconds ?? DEFAULT_SECONDS) * 1000;
}

/** Validates the arguments, in kube-scheduler's words. */
export function volumeBindingArgsErrors(args: VolumeBindingArgs, path = ''): FieldError[] {
  const { bindTimeoutSeconds: seconds = DEFAULT_SECONDS, shape } = args;
  const errors: FieldError[] = [];
  if (!Number.isInteger(seconds) || seconds < 0) {
    const detail = 'invalid BindTimeoutSeconds, should not be a negative value';
    errors.push(invalidValue(childPath(path, 'bindTimeoutSeconds'), seconds, detail));
  }
  if (shape !== undefined) {
    const shown = shape.map(({ utilization = 0, score = 0 }) => ({ Utilization: utilization, Score: score }));
    errors.push(invalidValue(childPath(path, 'shape'), shown, UNEXPECTED));
  }
  return errors;
}
