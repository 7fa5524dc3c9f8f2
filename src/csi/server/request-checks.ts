import { GrpcError } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import type { AccessMode, CsiDriverDefinition, VolumeCapability } from '../kit/driver-definition.ts';
import { type capacityRange, type volumeCapability, VolumeCapability_AccessMode_Mode } from '../protocol/csi-v1.ts';

const ACCESS_MODES = new Map(
  Object.entries(VolumeCapability_AccessMode_Mode)
    .filter(([name]) => name !== 'UNKNOWN')
    .map(([name, number]) => [number as number, name as AccessMode]),
);
const DEFAULT_MODES: readonly AccessMode[] = [
  'SINGLE_NODE_WRITER',
  'SINGLE_NODE_READER_ONLY',
  'SINGLE_NODE_SINGLE_WRITER',
  'SINGLE_NODE_MULTI_WRITER',
];

/** A field that the specification requires. */
export function required(value: string | undefined, field: string): string {
  if (value === undefined || value === '') throw new GrpcError('INVALID_ARGUMENT', `${field} is required`);
  return value;
}

export function accessModesOf({ accessModes }: CsiDriverDefinition): readonly AccessMode[] {
  return accessModes ?? DEFAULT_MODES;
}

export function readCapability(message: MessageOf<typeof volumeCapability> | undefined): VolumeCapability {
  if (message === undefined) throw new GrpcError('INVALID_ARGUMENT', 'volume_capability is required');
  const { block, mount, accessMode } = message;
  const mode = ACCESS_MODES.get(accessMode?.mode ?? 0);
  if (mode === undefined)
    throw new GrpcError('INVALID_ARGUMENT', 'volume_capability.access_mode must be one that is known');
  if (block === undefined && mount === undefined)
    throw new GrpcError('INVALID_ARGUMENT', 'volume_capability must be a block or a mount volume');
  return {
    type: block === undefined ? 'mount' : 'block',
    accessMode: mode,
    fsType: mount?.fsType ?? '',
    mountFlags: mount?.mountFlags ?? [],
    mountGroup: mount?.volumeMountGroup ?? '',
  };
}

export function readCapabilities(
  messages: readonly MessageOf<typeof volumeCapability>[] | undefined,
): readonly VolumeCapability[] {
  if (messages === undefined || messages.length === 0)
    throw new GrpcError('INVALID_ARGUMENT', 'volume_capabilities are required');
  return messages.map(readCapability);
}

/** Why the driver does not offer a volume with these capabilities; undefined when it does. */
export function unsupportedCapability(
  driver: CsiDriverDefinition,
  capabilities: readonly VolumeCapability[],
): string | undefined {
  const types = driver.types ?? ['mount'];
  const modes = accessModesOf(driver);
  for (const { type, accessMode } of capabilities) {
    if (!types.includes(type)) return `${driver.name} has no ${type} volumes`;
    if (!modes.includes(accessMode)) return `${driver.name} does not support the access mode ${accessMode}`;
  }
  return undefined;
}

/** The size to create: what is required, or the default within the limit. */
export function sizeOf(range: MessageOf<typeof capacityRange> | undefined, defaultBytes: number): number {
  const { requiredBytes = 0, limitBytes = 0 } = range ?? {};
  if (requiredBytes < 0 || limitBytes < 0)
    throw new GrpcError('INVALID_ARGUMENT', 'capacity_range must not have negative sizes');
  if (limitBytes > 0 && requiredBytes > limitBytes)
    throw new GrpcError('OUT_OF_RANGE', `${requiredBytes} bytes are more than the limit of ${limitBytes}`);
  if (requiredBytes > 0) return requiredBytes;
  return limitBytes > 0 ? Math.min(defaultBytes, limitBytes) : defaultBytes;
}

/** Whether a volume of this size is what was asked for. */
export function isWithin(bytes: number, range: MessageOf<typeof capacityRange> | undefined): boolean {
  const { requiredBytes = 0, limitBytes = 0 } = range ?? {};
  return bytes >= requiredBytes && (limitBytes === 0 || bytes <= limitBytes);
}

export function texts(map: ReadonlyMap<string, string> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(map ?? []);
}

export function asMap(record: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(record));
}

export function sameTexts(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
