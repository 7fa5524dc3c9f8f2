import type { Logger } from '../base/index.ts';
import type { Mounts } from './mounts.ts';
import type { SmallShell } from './small-shell.ts';

export interface DeviceMountOptions {
  /** Empty for ext4. */
  readonly fsType: string;
  readonly isReadOnly: boolean;
  /** Further options of the mount; default none. */
  readonly options?: readonly string[];
}

export interface DeviceMounterParts {
  readonly mounts: Mounts;
  readonly shell: Pick<SmallShell, 'run'>;
  readonly log: Logger;
}

const DEFAULT_FORMAT = 'ext4';
/** Exit code of blkid for a device without a known format. */
const NO_FORMAT = 2;
/** Exit code of fsck for errors that are left. */
const ERRORS_LEFT = 4;
/** A device with partitions is never formatted. */
const PARTITIONED = 'unknown data, probably partitions';

/** Mounts devices with file systems: formatted if they are empty, and checked if they are not. */
export class DeviceMounter {
  readonly #parts: DeviceMounterParts;

  constructor(parts: DeviceMounterParts) {
    this.#parts = parts;
  }

  async mount(device: string, target: string, { fsType, isReadOnly, options = [] }: DeviceMountOptions): Promise<void> {
    const format = fsType === '' ? DEFAULT_FORMAT : fsType;
    const present = await this.#formatOf(device);
    if (present === '') await this.#format(device, format, isReadOnly);
    else if (!isReadOnly) await this.#repair(device);
    await this.#parts.mounts.mount(device, target, {
      type: format,
      options: [isReadOnly ? 'ro' : 'rw', 'defaults', ...options],
    });
  }

  /** Makes the file system as large as its device. */
  async grow(device: string, target: string): Promise<void> {
    const format = await this.#formatOf(device);
    if (format === '') return;
    const [program, ...args] = growCommand(format, device, target) ?? [];
    if (program === undefined)
      throw new Error(`resize of format ${format} is not supported for device ${device} mounted at ${target}`);
    const { code, output } = await this.#parts.shell.run(program, args);
    if (code !== 0)
      throw new Error(`resize of device ${device} failed: exit status ${code}. ${program} output: ${output}`);
  }

  async #formatOf(device: string): Promise<string> {
    const { code, output } = await this.#parts.shell.run('blkid', [
      ...['-p', '-s', 'TYPE', '-s', 'PTTYPE', '-o', 'export'],
      device,
    ]);
    if (code === NO_FORMAT) return '';
    if (code !== 0) throw new Error(`failed to get disk format of disk ${device}: exit status ${code}`);
    const facts = new Map(output.split('\n').map((line) => [line.split('=')[0], line.split('=')[1] ?? ''] as const));
    return (facts.get('PTTYPE') ?? '') === '' ? (facts.get('TYPE') ?? '') : PARTITIONED;
  }

  async #format(device: string, format: string, isReadOnly: boolean): Promise<void> {
    if (isReadOnly)
      throw new Error(`cannot mount unformatted disk ${device} as we are manipulating it in read-only mode`);
    const force = format === 'ext3' || format === 'ext4' ? ['-F', '-m0'] : format === 'xfs' ? ['-f'] : [];
    const { code, output } = await this.#parts.shell.run(`mkfs.${format}`, [...force, device]);
    if (code !== 0)
      throw new Error(
        `format of disk "${device}" failed: type:("${format}") errcode:(exit status ${code}) output:(${output})`,
      );
    this.#parts.log.info('device is formatted', { device, format });
  }

  async #repair(device: string): Promise<void> {
    const { code, output } = await this.#parts.shell.run('fsck', ['-a', device]);
    if (code === ERRORS_LEFT)
      throw new Error(`'fsck' found errors on device ${device} but could not correct them: ${output}`);
    if (code !== 0) this.#parts.log.warn('device is mounted although fsck has failed', { device, code, output });
  }
}

function growCommand(format: string, device: string, target: string): readonly [string, ...string[]] | undefined {
  switch (format) {
    case 'ext3':
    case 'ext4':
      return ['resize2fs', device];
    case 'xfs':
      return ['xfs_growfs', '-d', target];
    case 'btrfs':
      return ['btrfs', 'filesystem', 'resize', 'max', target];
    default:
      return undefined;
  }
}
