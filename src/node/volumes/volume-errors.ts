// Why volumes are not mounted.
import { messageOf } from '../../base/index.ts';
import { VolumeStepError } from '../backend/index.ts';

/** A volume cannot be mounted yet: its claim is not bound, no plugin supports it, or it is not attached to the node. */
export class VolumeNotReady extends Error {
  /** By its name in the pod. */
  readonly volume: string;
  readonly reason: 'processing' | 'attachment';

  constructor(volume: string, reason: 'processing' | 'attachment', message: string) {
    super(message);
    this.name = 'VolumeNotReady';
    this.volume = volume;
    this.reason = reason;
  }
}

/** A plugin could not mount a volume. */
export class VolumeMountError extends Error {
  /** The name of the volume in messages: that of the PersistentVolume if there is one. */
  readonly specName: string;

  constructor(specName: string, cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = 'VolumeMountError';
    this.specName = specName;
  }
}

/** The message of an event about a volume that could not be mounted. */
export function setUpProblem(name: string, error: unknown): string {
  const specName = error instanceof VolumeMountError ? error.specName : name;
  const { cause } = error instanceof Error ? error : {};
  const step = cause instanceof VolumeStepError ? cause.step : 'MountVolume.SetUp';
  return `${step} failed for volume ${JSON.stringify(specName)} : ${messageOf(error)}`;
}
