/** What the Container Device Interface lets a device, or all devices of a file, change in a container. */
export interface CdiEdits {
  /** `NAME=VALUE` */
  readonly env?: readonly string[];
  readonly deviceNodes?: readonly {
    readonly path: string;
    readonly hostPath?: string;
    readonly type?: string;
    readonly major?: number;
    readonly minor?: number;
    readonly fileMode?: number;
    readonly permissions?: string;
    readonly uid?: number;
    readonly gid?: number;
  }[];
  readonly mounts?: readonly {
    readonly hostPath: string;
    readonly containerPath: string;
    readonly options?: readonly string[];
    readonly type?: string;
  }[];
  readonly hooks?: readonly {
    readonly hookName: string;
    readonly path: string;
    readonly args?: readonly string[];
    readonly env?: readonly string[];
    readonly timeout?: number;
  }[];
  readonly netDevices?: readonly { readonly hostInterfaceName: string; readonly name: string }[];
  readonly intelRdt?: Readonly<Record<string, unknown>>;
  readonly additionalGids?: readonly number[];
}

/** A file of the Container Device Interface: devices of one kind, and what they change in containers. */
export interface CdiSpec {
  readonly cdiVersion: string;
  /** `vendor.com/class` */
  readonly kind: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly devices: readonly {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly containerEdits: CdiEdits;
  }[];
  /** For each container that has one of the devices. */
  readonly containerEdits?: CdiEdits;
}

const VERSIONS = ['0.1.0', '0.2.0', '0.3.0', '0.4.0', '0.5.0', '0.6.0', '0.7.0', '0.8.0', '1.0.0', '1.1.0'];
const VENDOR = /^[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/;
const CLASS = /^[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$/;
const DEVICE = /^[A-Za-z0-9](?:[A-Za-z0-9_.:-]*[A-Za-z0-9])?$/;
const HOOKS = ['prestart', 'createRuntime', 'createContainer', 'startContainer', 'poststart', 'poststop'];

const SPEC_FIELDS = ['cdiVersion', 'kind', 'annotations', 'devices', 'containerEdits'];
const DEVICE_FIELDS = ['name', 'annotations', 'containerEdits'];
const EDIT_FIELDS = ['env', 'deviceNodes', 'mounts', 'hooks', 'netDevices', 'intelRdt', 'additionalGids'];

/** The kind and the device of a name such as `vendor.com/class=device`; undefined for what is none. */
export function parseCdiName(name: string): { readonly kind: string; readonly device: string } | undefined {
  const [, vendor = '', type = '', device = ''] = /^([^/=]+)\/([^/=]+)=([^=]+)$/.exec(name) ?? [];
  return VENDOR.test(vendor) && CLASS.test(type) && DEVICE.test(device)
    ? { kind: `${vendor}/${type}`, device }
    : undefined;
}

/** What is wrong with the content of a file, as runtimes check it; empty when they would take it. */
export function cdiProblems(content: unknown): readonly string[] {
  if (!isRecord(content)) return ['it is no object'];
  const { cdiVersion, kind, devices, containerEdits } = content;
  const problems = unknownFields(content, SPEC_FIELDS, 'the file');
  if (typeof cdiVersion !== 'string' || !VERSIONS.includes(cdiVersion.replace(/^v/, '')))
    problems.push(`cdiVersion is ${text(cdiVersion)}, and known versions are ${VERSIONS.join(', ')}`);
  const [vendor = '', type = '', ...more] = typeof kind === 'string' ? kind.split('/') : [];
  if (!VENDOR.test(vendor) || !CLASS.test(type) || more.length > 0)
    problems.push(`kind is ${text(kind)}, and must be like vendor.com/class`);
  if (containerEdits !== undefined) problems.push(...editProblems(containerEdits, 'containerEdits'));
  if (!Array.isArray(devices) || devices.length === 0) return [...problems, 'there are no devices'];
  const names = new Set<unknown>();
  for (const [index, device] of devices.entries() as Iterable<[number, unknown]>) {
    const where = `devices[${index}]`;
    if (!isRecord(device)) {
      problems.push(`${where} is no object`);
      continue;
    }
    problems.push(...unknownFields(device, DEVICE_FIELDS, where));
    if (typeof device['name'] !== 'string' || !DEVICE.test(device['name']))
      problems.push(`the name of ${where} is ${text(device['name'])}, which is no name of a device`);
    if (names.has(device['name'])) problems.push(`the name ${text(device['name'])} is there twice`);
    names.add(device['name']);
    const edits = device['containerEdits'];
    problems.push(...editProblems(edits, `${where}.containerEdits`));
    if (isRecord(edits) && Object.keys(edits).length === 0)
      problems.push(`${where} changes nothing in containers, which runtimes refuse`);
  }
  return problems;
}

function editProblems(edits: unknown, where: string): readonly string[] {
  if (!isRecord(edits)) return [`${where} is ${text(edits)}`];
  const problems = unknownFields(edits, EDIT_FIELDS, where);
  const each = (field: string, check: (item: unknown) => string | undefined): void => {
    const list = edits[field];
    if (list === undefined) return;
    if (!Array.isArray(list)) return void problems.push(`${where}.${field} is no list`);
    for (const [index, item] of list.entries() as Iterable<[number, unknown]>) {
      const problem = check(item);
      if (problem !== undefined) problems.push(`${where}.${field}[${index}] ${problem}`);
    }
  };
  each('env', (item) =>
    typeof item === 'string' && item.indexOf('=') > 0 ? undefined : `is ${text(item)}, and must be NAME=VALUE`,
  );
  each('deviceNodes', (item) => {
    if (!isRecord(item) || !isText(item['path'])) return 'has no path';
    const { type = '', permissions = '' } = item;
    if (!['', 'b', 'c', 'u', 'p'].includes(String(type))) return `has the type ${text(type)}`;
    return /^[rwm]*$/.test(String(permissions)) ? undefined : `has the permissions ${text(permissions)}`;
  });
  each('mounts', (item) =>
    isRecord(item) && isText(item['hostPath']) && isText(item['containerPath']) ? undefined : 'needs both of its paths',
  );
  each('hooks', (item) => {
    if (!isRecord(item) || !HOOKS.includes(String(item['hookName']))) return 'has an unknown hookName';
    return isText(item['path']) ? undefined : 'has no path';
  });
  return problems;
}

function unknownFields(object: Readonly<Record<string, unknown>>, known: readonly string[], where: string): string[] {
  return Object.keys(object)
    .filter((field) => !known.includes(field))
    .map((field) => `${where} has the unknown field "${field}"`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? 'missing';
}
