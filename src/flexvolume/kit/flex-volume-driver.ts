import { messageOf } from '../../base/index.ts';
import { type DriverOptions, readOptions } from './driver-options.ts';

type Answer<T> = T | Promise<T>;

/** Where a volume is to be mounted. */
export interface MountCall {
  /** The folder, which exists and is empty. */
  readonly folder: string;
  readonly options: DriverOptions;
}

/** A device that is to be mounted on the node, for all pods there. */
export interface MountDeviceCall extends MountCall {
  /** As `waitForAttach` has returned it. */
  readonly device: string;
}

/** A volume on a node. */
export interface AttachCall {
  readonly node: string;
  readonly options: DriverOptions;
}

/** A volume that has grown. */
export interface ExpandCall {
  readonly options: DriverOptions;
  /** Where the volume is mounted for a pod. */
  readonly folder: string;
  /** Empty for volumes without one. */
  readonly device: string;
  readonly newBytes: number;
  readonly oldBytes: number;
}

/** What a driver does. Which functions there are decides what it can do: `init` tells the caller. */
export interface FlexVolumeDriverDefinition {
  /** `vendor/driver`, as in `flexVolume.driver` of pods. */
  readonly name: string;
  /** Prepares the machine; called when the driver is found, and again when it is replaced. */
  init?(): Answer<void>;
  /** Mounts a volume into a pod. A driver with `attach` may leave it out: the folder of its device is bound. */
  mount?(call: MountCall): Answer<void>;
  /** Undoes `mount`. May be called again, and for a folder that is not mounted. */
  unmount?(folder: string): Answer<void>;
  /** Attaches a volume to a node and returns its device; the controller manager calls it. */
  attach?(call: AttachCall): Answer<string>;
  /** Undoes `attach`. May be called again. */
  detach?(volume: string, node: string): Answer<void>;
  isAttached?(call: AttachCall): Answer<boolean>;
  /** Waits on the node until the device is there, and returns it; default the device of `attach`. */
  waitForAttach?(device: string, options: DriverOptions): Answer<string>;
  /** Mounts a device on the node; default the node formats and mounts it. */
  mountDevice?(call: MountDeviceCall): Answer<void>;
  unmountDevice?(folder: string): Answer<void>;
  /** Grows the file system of a volume; default the node grows ext3, ext4, xfs and btrfs. */
  expandFs?(call: ExpandCall): Answer<void>;
  /** Whether volumes have statistics of the file system; default false. */
  readonly hasMetrics?: boolean;
  /** Whether the node gives files to the pod's fsGroup after the mount; default true. */
  readonly usesFsGroup?: boolean;
  /** Whether files may be relabelled for SELinux; default true. */
  readonly canRelabel?: boolean;
}

/** What a call of a driver prints and exits with. */
export interface FlexVolumeAnswer {
  readonly code: 0 | 1;
  readonly stdout: string;
}

/**
 * A FlexVolume driver from a few functions. A program that calls `main()` is the driver:
 * `flexVolumeDriver({ name: 'example.com/notes', mount: ({ folder }) => fill(folder), unmount: clear }).main()`.
 */
export function flexVolumeDriver(definition: FlexVolumeDriverDefinition): FlexVolumeDriver {
  return new FlexVolumeDriver(definition);
}

type Reply = Readonly<Record<string, unknown>> | void;
type Handler = (words: readonly string[]) => Answer<Reply>;

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(\/[a-zA-Z0-9]([-\w.]*[a-zA-Z0-9])?)?$/;

/** A FlexVolume driver that can answer the calls of its node. */
export class FlexVolumeDriver {
  readonly name: string;
  readonly #handlers: ReadonlyMap<string, Handler>;

  constructor(definition: FlexVolumeDriverDefinition) {
    const { name, mount, unmount, attach, detach, mountDevice, unmountDevice } = definition;
    if (!NAME.test(name)) throw new TypeError(`Not a name of a FlexVolume driver: "${name}" (vendor/driver)`);
    if (mount === undefined && attach === undefined && mountDevice === undefined)
      throw new TypeError(`FlexVolume driver "${name}" mounts nothing: add mount, or attach`);
    for (const [does, undoes, words] of [
      [mount, unmount, 'mounts volumes and cannot unmount them: add unmount'],
      [attach, detach, 'attaches volumes and cannot detach them: add detach'],
      [mountDevice, unmountDevice, 'mounts devices and cannot unmount them: add unmountDevice'],
    ] as const)
      if (does !== undefined && undoes === undefined) throw new TypeError(`FlexVolume driver "${name}" ${words}`);
    this.name = name;
    this.#handlers = handlersOf(definition);
  }

  /** One call, as the program would be called; for tests. The words are those after the program's name. */
  async run(words: readonly string[]): Promise<FlexVolumeAnswer> {
    const [command = '', ...rest] = words;
    const handler = this.#handlers.get(command);
    if (handler === undefined) return answer(1, { status: 'Not supported', message: `${this.name} has no ${command}` });
    try {
      return answer(0, { status: 'Success', ...(await handler(rest)) });
    } catch (error) {
      return answer(1, { status: 'Failure', message: messageOf(error) });
    }
  }

  /** Runs as this process: with its arguments. Sets the exit code. What the functions print is dropped. */
  async main(): Promise<void> {
    const write = process.stdout.write.bind(process.stdout);
    // callers read both outputs together, and anything beside the answer makes it no JSON: what functions print is dropped
    process.stdout.write = () => true;
    process.stderr.write = () => true;
    const { code, stdout } = await this.run(process.argv.slice(2));
    write(stdout);
    process.exitCode = code;
  }
}

function answer(code: 0 | 1, value: object): FlexVolumeAnswer {
  return { code, stdout: `${JSON.stringify(value)}\n` };
}

/** The commands of a driver, and how their words reach its functions. */
function handlersOf(definition: FlexVolumeDriverDefinition): ReadonlyMap<string, Handler> {
  const { mount, unmount, attach, detach, isAttached, waitForAttach, mountDevice, unmountDevice, expandFs } =
    definition;
  const hasDevice = attach !== undefined || mountDevice !== undefined;
  const all: Readonly<Record<string, Handler | undefined>> = {
    init: async () => {
      await definition.init?.();
      const capabilities = {
        attach: hasDevice,
        selinuxRelabel: definition.canRelabel ?? true,
        supportsMetrics: definition.hasMetrics ?? false,
        fsGroup: definition.usesFsGroup ?? true,
        requiresFSResize: true,
      };
      return { capabilities };
    },
    mount: mount && (([folder = '', options]) => mount({ folder, options: readOptions(options) })),
    unmount: unmount && (([folder = '']) => unmount(folder)),
    attach:
      attach && (async ([options, node = '']) => ({ device: await attach({ node, options: readOptions(options) }) })),
    detach: detach && (([volume = '', node = '']) => detach(volume, node)),
    isattached:
      isAttached &&
      (async ([options, node = '']) => ({ attached: await isAttached({ node, options: readOptions(options) }) })),
    waitforattach:
      waitForAttach &&
      (async ([device = '', options]) => ({ device: await waitForAttach(device, readOptions(options)) })),
    mountdevice:
      mountDevice &&
      (([folder = '', device = '', options]) => mountDevice({ folder, device, options: readOptions(options) })),
    unmountdevice: unmountDevice && (([folder = '']) => unmountDevice(folder)),
    expandfs:
      expandFs &&
      (([options, device = '', folder = '', newBytes, oldBytes]) =>
        expandFs({
          options: readOptions(options),
          device,
          folder,
          newBytes: Number(newBytes),
          oldBytes: Number(oldBytes),
        })),
  };
  return new Map(Object.entries(all).filter((entry): entry is [string, Handler] => entry[1] !== undefined));
}
