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

/** A volume is mounted, and could not be grown to the size that its claim waits for. */
export class VolumeNotGrown extends Error {
  /** As in `VolumeMountError`. */
  readonly specName: string;
  readonly isBlock: boolean;

  constructor({ specName, isBlock }: Pick<VolumeNotGrown, 'specName' | 'isBlock'>, cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = 'VolumeNotGrown';
    this.specName = specName;
    this.isBlock = isBlock;
  }
}

/** The message of an event about a volume that could not be mounted. */
export function setUpProblem(name: string, error: unknown): string {
  if (error instanceof VolumeNotGrown) {
    const grown = error.isBlock ? 'MapVolume.MarkVolumeAsMounted' : 'MountVolume.Setup';
    return `${grown} failed while expanding volume for volume ${JSON.stringify(error.specName)} : ${error.message}`;
  }
  const specName = error instanceof VolumeMountError ? error.specName : name;
  const { cause } = error instanceof Error ? error : {};
  const step = cause instanceof VolumeStepError ? cause.step : 'MountVolume.SetUp';
  return `${step} failed for volume ${JSON.stringify(specName)} : ${messageOf(error)}`;
}
