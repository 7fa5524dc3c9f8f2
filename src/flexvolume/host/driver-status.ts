/** What a driver can do; a driver says so in its answer to `init`. */
export interface DriverCapabilities {
  /** Volumes are attached to nodes before they are mounted, and have a device. */
  readonly attach: boolean;
  readonly selinuxRelabel: boolean;
  /** Volumes have statistics of use. */
  readonly supportsMetrics: boolean;
  /** Files are given to the pod's fsGroup after the mount. */
  readonly fsGroup: boolean;
  /** The node grows the file system after the volume has grown. */
  readonly requiresFSResize: boolean;
}

/** What a driver answers, with defaults for what it leaves out. */
export interface DriverStatus {
  readonly message: string;
  /** Of attach and waitforattach: the device. */
  readonly device: string;
  /** Of getvolumename. */
  readonly volumeName: string;
  /** Of isattached. */
  readonly attached: boolean;
  /** Of init. */
  readonly capabilities: DriverCapabilities;
}

const DEFAULT_CAPABILITIES: DriverCapabilities = {
  attach: true,
  selinuxRelabel: true,
  supportsMetrics: false,
  fsGroup: true,
  requiresFSResize: true,
};

/** The driver does not have the command. */
export class NotSupported extends Error {
  override readonly name = 'NotSupported';

  constructor() {
    super('Not supported');
  }
}

/** Reads what a driver has printed. Throws `NotSupported`, or an Error with the driver's reason or what is wrong with its answer. */
export function readStatus(command: string, output: string): DriverStatus {
  const answer = new AnswerReader(parsed(output), 'DriverStatus');
  const status = answer.text('status');
  const message = answer.text('message');
  const capabilities = answer.object('Capabilities');
  const read: DriverStatus = {
    message,
    device: answer.text('device'),
    volumeName: answer.text('volumeName'),
    attached: answer.flag('attached', false),
    capabilities: capabilities === undefined ? DEFAULT_CAPABILITIES : capabilitiesOf(capabilities),
  };
  if (status === 'Not supported') throw new NotSupported();
  if (status !== 'Success') throw new Error(`${command} command failed, status: ${status}, reason: ${message}`);
  return read;
}

function capabilitiesOf(members: Members): DriverCapabilities {
  const reader = new AnswerReader(members, 'DriverCapabilities.Capabilities');
  const names = Object.keys(DEFAULT_CAPABILITIES) as (keyof DriverCapabilities)[];
  const entries = names.map((name) => [name, reader.flag(name, DEFAULT_CAPABILITIES[name])] as const);
  return { ...DEFAULT_CAPABILITIES, ...Object.fromEntries(entries) };
}

type Members = Readonly<Record<string, unknown>>;

/** Members of an answer. Case does not count in their names, as with a kubelet, and `null` is as good as nothing. */
class AnswerReader {
  readonly #members = new Map<string, unknown>();
  readonly #type: string;

  constructor(members: Members, type: string) {
    for (const [name, value] of Object.entries(members)) this.#members.set(name.toLowerCase(), value);
    this.#type = type;
  }

  text(name: string): string {
    const value = this.#member(name);
    if (value === undefined) return '';
    if (typeof value !== 'string') throw this.#mismatch(name, value, 'string');
    return value;
  }

  flag(name: string, byDefault: boolean): boolean {
    const value = this.#member(name);
    if (value === undefined) return byDefault;
    if (typeof value !== 'boolean') throw this.#mismatch(name, value, 'bool');
    return value;
  }

  object(name: string): Members | undefined {
    const value = this.#member(name);
    if (value !== undefined && !isObject(value)) throw this.#mismatch(name, value, 'flexvolume.DriverCapabilities');
    return value;
  }

  #member(name: string): unknown {
    return this.#members.get(name.toLowerCase()) ?? undefined;
  }

  #mismatch(name: string, value: unknown, wanted: string): Error {
    const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return new Error(`json: cannot unmarshal ${found} into Go struct field ${this.#type}.${name} of type ${wanted}`);
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON that a driver has printed; failures in the words that a kubelet has for them. */
function parsed(output: string): Members {
  const text = output.trim();
  if (text === '') throw new Error('unexpected end of JSON input');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const [first = ''] = text;
    const isStart = /[{["\-0-9]|^(true|false|null)/.test(text.slice(0, 5)) && /[{["\-0-9tfn]/.test(first);
    const words = isStart ? 'invalid JSON' : `invalid character '${first}' looking for beginning of value`;
    throw new Error(words, { cause });
  }
  if (isObject(value)) return value;
  const found = Array.isArray(value) ? 'array' : typeof value;
  throw new Error(`json: cannot unmarshal ${found} into Go value of type flexvolume.DriverStatus`);
}
