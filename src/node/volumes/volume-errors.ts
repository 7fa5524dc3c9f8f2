// Why volumes are not mounted.
import { messageOf } from '../../base/index.ts';

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

/** A step of mounting, by its name in messages. */
type MountStep = 'WaitForAttach' | 'MountDevice' | 'SetUp';

/** What a plugin throws when a step before the last one has failed. */
export class MountStepError extends Error {
  readonly step: MountStep;

  constructor(step: MountStep, cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = 'MountStepError';
    this.step = step;
  }
}

/** A plugin could not mount a volume. */
export class VolumeMountError extends Error {
  /** The name of the volume in messages: that of the PersistentVolume if there is one. */
  readonly specName: string;
  readonly step: MountStep;

  constructor(specName: string, cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = 'VolumeMountError';
    this.specName = specName;
    this.step = cause instanceof MountStepError ? cause.step : 'SetUp';
  }
}

/** The message of an event about a volume that could not be mounted. */
export function setUpProblem(name: string, error: unknown): string {
  const { specName, step } =
    error instanceof VolumeMountError ? error : { specName: name, step: 'SetUp' satisfies MountStep };
  return `MountVolume.${step} failed for volume ${JSON.stringify(specName)} : ${messageOf(error)}`;
}
