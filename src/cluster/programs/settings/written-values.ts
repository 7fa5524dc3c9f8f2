// Values at places of a configuration, before and after defaults.
import { formatDuration, parseGoDuration } from '../../../base/index.ts';
import { FlagError } from '../flag.ts';
import type { ConfigurationTable, PlacedSetting } from './configuration-table.ts';
import type { Setting, SettingsOf, SettingTable } from './setting.ts';

/** A configuration as a file writes it. */
export type WrittenConfiguration = Readonly<Record<string, unknown>>;

const NANOSECONDS_PER_MS = 1_000_000;

export function valueAt(object: unknown, path: readonly string[]): unknown {
  let found = object;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as WrittenConfiguration)[name];
  }
  return found;
}

/** The object with another value at a place. */
export function withValue(object: WrittenConfiguration, path: readonly string[], value: unknown): WrittenConfiguration {
  const [first = '', ...rest] = path;
  if (rest.length === 0) return { ...object, [first]: value };
  const below = valueAt(object, [first]);
  return { ...object, [first]: withValue(isObject(below) ? below : {}, rest, value) };
}

function isObject(value: unknown): value is WrittenConfiguration {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A configuration with all defaults, and durations as milliseconds. */
export function withDefaults<Fields extends SettingTable>(
  { all }: ConfigurationTable<Fields>,
  written: WrittenConfiguration,
): SettingsOf<Fields> {
  let settings: WrittenConfiguration = {};
  for (const { path, setting } of all) settings = withValue(settings, path, valueOf(setting, valueAt(written, path)));
  return settings as SettingsOf<Fields>; // the loop has set every field
}

function valueOf(setting: Setting, written: unknown): unknown {
  if (written === undefined || written === null) return setting.default;
  const value = setting.form === 'duration' ? durationMs(written) : plainNumber(written);
  return setting.isZeroDefault && (value === 0 || value === '') ? setting.default : value;
}

/** The milliseconds of a text, or of a number of nanoseconds. */
function durationMs(written: unknown): number {
  if (typeof written === 'number' || typeof written === 'bigint') return Number(written) / NANOSECONDS_PER_MS;
  try {
    return milliseconds(String(written));
  } catch (cause) {
    throw new FlagError(`invalid duration ${JSON.stringify(written)}`, { cause });
  }
}

export function milliseconds(duration: string): number {
  return Number(parseGoDuration(duration)) / NANOSECONDS_PER_MS;
}

function plainNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** The value of a setting as a flag would say it. */
export function flagText(value: unknown, { form }: Setting): string {
  if (value === undefined) return '';
  if (form === 'duration' && typeof value === 'number') return formatDuration(value);
  if (Array.isArray(value))
    return `[${value.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}=${String(each)}`)
    .toSorted()
    .join(',');
}

/** The configuration as `configz` shows it: durations as Go prints them, and nothing that is empty by default. */
export function shownConfiguration(table: ConfigurationTable, settings: object): WrittenConfiguration {
  const { group, version, kind, fields, all } = table;
  let shown: WrittenConfiguration = { kind, apiVersion: `${group}/${version}`, ...emptyGroups(fields) };
  for (const place of all) {
    const value = valueAt(settings, place.path);
    if (isShown(place, value)) shown = withValue(shown, place.path, shownValue(place.setting, value));
  }
  return shown;
}

function emptyGroups(table: SettingTable): WrittenConfiguration {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, each]) =>
      each.kind === 'group' && !each.isOptional ? [[name, emptyGroups(each.fields)]] : [],
    ),
  );
}

function isShown({ setting }: PlacedSetting, value: unknown): boolean {
  if (value === undefined) return false;
  if (setting.default !== value || setting.form === 'duration') return true;
  if (setting.isZeroDefault && (value === 0 || value === false)) return false;
  const isEmpty = value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
  return !isEmpty;
}

function shownValue({ form }: Setting, value: unknown): unknown {
  return form === 'duration' && typeof value === 'number' ? formatDuration(value) : value;
}
