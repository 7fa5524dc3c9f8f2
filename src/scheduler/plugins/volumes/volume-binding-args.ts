import { type FieldError, invalidValue } from '../../../api/index.ts';
import type { UtilizationPoint } from '../fit-args.ts';
import { childPath, refuseArguments } from '../plugin-arguments.ts';

/** The settings of VolumeBinding, as in VolumeBindingArgs. */
export interface VolumeBindingArgs {
  /** How long a pod waits for its volumes; 600 unless given. */
  readonly bindTimeoutSeconds?: number;
  /** Refused, as by kube-scheduler unless its gate StorageCapacityScoring is on. */
  readonly shape?: readonly Partial<UtilizationPoint>[];
}

const DEFAULT_SECONDS = 600;
const UNEXPECTED = 'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring';

/** Reads how long a pod waits for its volumes. */
export function readBindTimeoutMs(args: unknown): number {
  const given = (args ?? {}) as VolumeBindingArgs;
  refuseArguments('VolumeBinding', volumeBindingArgsErrors(given));
  return (given.bindTimeoutSeconds ?? DEFAULT_SECONDS) * 1000;
}

/** What is wrong with the settings, in kube-scheduler's words. */
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
