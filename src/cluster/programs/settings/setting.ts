import { DURATION, FLAG, INTEGER, listOf, LONG, mapOf, objectOf, type Shape, TEXT } from '../../../api/index.ts';
import type { Verdict } from '../upstream-flag.ts';

/** What becomes of a field of a configuration file: it has its effect, it cannot matter here, or only its default may be asked for. */
export interface FieldVerdict {
  readonly verdict: Verdict;
  /** The reason, as in `FlagGroup`. */
  readonly why: string;
}

/** How the text of a flag becomes a value. */
export type FlagForm =
  | 'text'
  | 'boolean'
  | 'number'
  | 'fraction'
  | 'duration'
  | 'list'
  | 'map'
  /** `memory.available<100Mi,…` */
  | 'thresholds'
  /** `name:value,…` */
  | 'headers'
  | 'gates'
  | 'taints'
  /** `0:memory=1Gi,hugepages-2Mi=1Gi` */
  | 'memory';

/** One field: what may be written, its default, and what becomes of it. Durations are milliseconds once read. */
export interface Setting<T = unknown> extends FieldVerdict {
  readonly kind: 'setting';
  readonly shape: (version: string) => Shape;
  readonly form: FlagForm;
  readonly default: T;
  /** Whether a written zero, empty text or empty list means the default, as for fields that are no pointers upstream. */
  readonly isZeroDefault: boolean;
  /** The flag that sets it. */
  readonly flag?: string;
}

/** An object of fields. */
export interface SettingGroup<Fields extends SettingTable = SettingTable> {
  readonly kind: 'group';
  /** The Go type, as messages name it. */
  readonly type: string;
  /** Whether the group is left out where nothing in it is set. */
  readonly isOptional: boolean;
  readonly fields: Fields;
}

export type SettingTable = Readonly<Record<string, Setting | SettingGroup>>;

/** The values of a table once read, with all defaults. */
export type SettingsOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value>
    ? Value
    : Table[Name] extends SettingGroup<infer Fields>
      ? SettingsOf<Fields>
      : never;
};

export const OBEYED: FieldVerdict = { verdict: 'obeyed', why: 'as upstream' };

export function accepted(why: string): FieldVerdict {
  return { verdict: 'accepted', why };
}

/** Only the default may be asked for, for this reason. */
export function refused(why: string): FieldVerdict {
  return { verdict: 'refused', why };
}

interface Written {
  readonly shape: Shape | ((version: string) => Shape);
  readonly form: FlagForm;
  readonly isPointer?: boolean;
}

function setting<T>({ shape, form, isPointer = false }: Written, value: T, rest: FieldVerdict & FlagName): Setting<T> {
  const shapeOf = typeof shape === 'function' ? shape : (): Shape => shape;
  return { kind: 'setting', shape: shapeOf, form, default: value, isZeroDefault: !isPointer, ...rest };
}

type FlagName = { readonly flag?: string };
type Make<T> = <Value extends T | undefined>(
  value: Value,
  verdict: FieldVerdict,
  flag?: string,
) => Setting<Value extends undefined ? T | undefined : T>;

function maker<T>(written: Written): Make<T> {
  return <Value extends T | undefined>(value: Value, verdict: FieldVerdict, flag?: string) =>
    setting(written, value, { ...verdict, ...(flag === undefined ? {} : { flag }) }) as Setting<
      Value extends undefined ? T | undefined : T
    >;
}

export type Texts = Readonly<Record<string, string>>;

/** A taint as it is registered. */
export interface RegisteredTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** Memory of a NUMA node that is set aside. */
export interface MemoryReservation {
  readonly numaNode: number;
  readonly limits: Texts;
}

/** How long pods from a priority on may take to end when the machine shuts down. */
export interface ShutdownPeriod {
  readonly priority: number;
  readonly shutdownGracePeriodSeconds: number;
}

const NUMBER: Shape = { kind: 'scalar', scalar: 'double' };
const ANY: Shape = { kind: 'scalar', scalar: 'JSON' };
const QUANTITY: Shape = { kind: 'scalar', scalar: 'Quantity' };

export const text = maker<string>({ shape: TEXT, form: 'text' });
export const pointedText = maker<string>({ shape: TEXT, form: 'text', isPointer: true });
/** False unless written, and not shown while it is false. */
export const plainFlag = maker<boolean>({ shape: FLAG, form: 'boolean' });
export const flag = maker<boolean>({ shape: FLAG, form: 'boolean', isPointer: true });
export const integer = maker<number>({ shape: INTEGER, form: 'number' });
export const pointedInteger = maker<number>({ shape: INTEGER, form: 'number', isPointer: true });
export const long = maker<number>({ shape: LONG, form: 'number' });
export const pointedLong = maker<number>({ shape: LONG, form: 'number', isPointer: true });
/** A number with a fraction. */
export const plainNumber = maker<number>({ shape: NUMBER, form: 'fraction' });
export const pointedNumber = maker<number>({ shape: NUMBER, form: 'number', isPointer: true });
/** Milliseconds. */
export const duration = maker<number>({ shape: DURATION, form: 'duration' });
/** Milliseconds, of which a file gives a text (`5s`) or a number of nanoseconds. */
export const durationOrNanoseconds = maker<number>({ shape: ANY, form: 'duration' });
export const pointedDuration = maker<number>({ shape: DURATION, form: 'duration', isPointer: true });
export const texts = maker<readonly string[]>({ shape: listOf(TEXT), form: 'list', isPointer: true });
export const integers = maker<readonly number[]>({ shape: listOf(INTEGER), form: 'list', isPointer: true });
export const map = maker<Texts>({ shape: mapOf(TEXT), form: 'map', isPointer: true });
export const thresholds = maker<Texts>({ shape: mapOf(TEXT), form: 'thresholds', isPointer: true });
export const quantity = maker<string>({ shape: QUANTITY, form: 'text' });
export const headers = maker<Readonly<Record<string, readonly string[]>>>({
  shape: mapOf(listOf(TEXT)),
  form: 'headers',
  isPointer: true,
});
export const gates = maker<Readonly<Record<string, boolean>>>({ shape: mapOf(FLAG), form: 'gates', isPointer: true });
export const taints = maker<readonly RegisteredTaint[]>({
  shape: listOf(
    objectOf('v1.Taint', {
      key: TEXT,
      value: TEXT,
      effect: TEXT,
      timeAdded: { kind: 'scalar', scalar: 'Time' },
    }),
  ),
  form: 'taints',
  isPointer: true,
});
/** Levels of the log for files whose names match a pattern. */
export interface FileVerbosity {
  readonly filePattern: string;
  readonly verbosity: number;
}

export const fileVerbosities = maker<readonly FileVerbosity[]>({
  shape: listOf(objectOf('v1.VModuleItem', { filePattern: TEXT, verbosity: LONG })),
  form: 'list',
  isPointer: true,
});
export const reservations = maker<readonly MemoryReservation[]>({
  shape: (version) => listOf(objectOf(`${version}.MemoryReservation`, { numaNode: INTEGER, limits: mapOf(QUANTITY) })),
  form: 'memory',
  isPointer: true,
});
export const shutdownPeriods = maker<readonly ShutdownPeriod[]>({
  shape: (version) =>
    listOf(
      objectOf(`${version}.ShutdownGracePeriodByPodPriority`, { priority: INTEGER, shutdownGracePeriodSeconds: LONG }),
    ),
  form: 'list',
  isPointer: true,
});

/** An object in the configuration, of a type of its own version. */
export function group<const Fields extends SettingTable>(type: string, fields: Fields): SettingGroup<Fields> {
  return { kind: 'group', type, fields, isOptional: false };
}

/** An object that is left out where nothing in it is set. */
export function optionalGroup<const Fields extends SettingTable>(type: string, fields: Fields): SettingGroup<Fields> {
  return { kind: 'group', type, fields, isOptional: true };
}
