import { messageOf } from '../../../base/index.ts';
import { FlagError, type FlagDefinition, type FlagDefinitions, type FlagValues } from '../flag.ts';
import type { ConfigurationTable } from './configuration-table.ts';
import type { UpstreamFlag } from '../upstream-flag.ts';
import type { FlagForm, MemoryReservation, RegisteredTaint, Setting, SettingsOf, SettingTable } from './setting.ts';
import { milliseconds, withValue, type WrittenConfiguration } from './written-values.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
const VALUES: Readonly<Record<FlagForm, string>> = {
  text: 'TEXT',
  boolean: '',
  number: 'N',
  fraction: 'N',
  duration: 'DURATION',
  list: 'A,B,…',
  map: 'KEY=VALUE,…',
  thresholds: 'SIGNAL<QUANTITY,…',
  headers: 'NAME:VALUE,…',
  gates: 'NAME=true|false,…',
  taints: 'KEY=VALUE:EFFECT,…',
  memory: 'NODE:memory=QUANTITY,…',
};
const MULTIPLE: readonly FlagForm[] = ['list', 'map', 'thresholds', 'headers', 'gates', 'taints', 'memory'];

/** The definitions of the flags that set fields. */
export function fieldFlags({ flagged }: ConfigurationTable): FlagDefinitions {
  return Object.fromEntries(
    flagged.map(({ flag, path, setting }): [string, FlagDefinition] => [
      flag,
      {
        type: setting.form === 'boolean' ? 'boolean' : 'string',
        ...(MULTIPLE.includes(setting.form) ? { multiple: true } : {}),
        ...(setting.form === 'boolean' ? {} : { value: VALUES[setting.form] }),
        group: 'Configuration',
        help: `In place of ${path.join('.')} in the configuration`,
      },
    ]),
  );
}

/** The verdicts of the flags that set fields are those of the fields. */
export function fieldVerdicts({ flagged }: ConfigurationTable): readonly UpstreamFlag[] {
  return flagged.map(({ flag, path, setting: { form, verdict, why } }) => ({
    name: flag,
    isBoolean: form === 'boolean',
    verdict,
    why: `${path.join('.')}: ${why}`,
    harmless: verdict === 'refused' ? ['the default'] : [],
  }));
}

/** A command line that sets no field. */
export const NO_FLAGS: FlagValues = {
  has: () => false,
  text: () => undefined,
  isSet: () => false,
  list: () => [],
  integer: () => undefined,
};

/** The settings with what flags say instead. */
export function withFlags<Fields extends SettingTable>(
  { flagged }: ConfigurationTable<Fields>,
  settings: SettingsOf<Fields>,
  flags: FlagValues,
): SettingsOf<Fields> {
  let all: WrittenConfiguration = settings;
  for (const { flag, path, setting } of flagged)
    if (flags.has(flag)) all = withValue(all, path, flagValue(flag, setting, flags));
  return all as SettingsOf<Fields>; // a flag has the form of its field
}

function flagValue(flag: string, { form }: Setting, flags: FlagValues): unknown {
  try {
    return form === 'boolean' ? flags.isSet(flag) : parsed(form, flags, flag);
  } catch (cause) {
    if (cause instanceof FlagError) throw cause;
    throw new FlagError(`--${flag}: ${messageOf(cause)}`, { cause });
  }
}

function parsed(form: Exclude<FlagForm, 'boolean'>, flags: FlagValues, flag: string): unknown {
  switch (form) {
    case 'text':
      return flags.text(flag) ?? '';
    case 'number':
      return numberOf(flags.text(flag) ?? '');
    case 'fraction':
      return fractionOf(flags.text(flag) ?? '');
    case 'duration':
      return milliseconds(flags.text(flag) ?? '');
    case 'list':
      return flags.list(flag);
    case 'map':
      return Object.fromEntries(pairs(flags.list(flag), '='));
    case 'thresholds':
      return Object.fromEntries(pairs(flags.list(flag), '<'));
    case 'gates':
      return Object.fromEntries(pairs(flags.list(flag), '=').map(([name, value]) => [name, booleanOf(value)]));
    case 'headers':
      return headersOf(flags.list(flag));
    case 'taints':
      return flags.list(flag).map(taintOf);
    case 'memory':
      return reservationsOf(flags.list(flag));
  }
}

function numberOf(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new Error(`invalid argument "${text}": not a whole number`);
  return Number(text);
}

function fractionOf(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new Error(`invalid argument "${text}": not a number`);
  return Number(text);
}

function booleanOf(text: string): boolean {
  if (!/^(true|false)$/i.test(text)) throw new Error(`invalid value "${text}": must be true or false`);
  return text.toLowerCase() === 'true';
}

function pairs(words: readonly string[], separator: string): [string, string][] {
  return words
    .filter((word) => word !== '')
    .map((word) => {
      const at = word.indexOf(separator);
      if (at < 0) throw new Error(`malformed pair, expect string${separator}string, got "${word}"`);
      return [word.slice(0, at).trim(), word.slice(at + 1).trim()];
    });
}

function headersOf(words: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const all: Record<string, string[]> = {};
  for (const [name, value] of pairs(words, ':')) (all[name] ??= []).push(value);
  return all;
}

/** `key=value:effect` or `key:effect`. */
function taintOf(text: string): RegisteredTaint {
  const [, key = '', value, word = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  const effect = EFFECTS.find((each) => each === word);
  if (key === '' || effect === undefined) throw new Error(`invalid taint spec: ${text}`);
  return { key, ...(value === undefined || value === '' ? {} : { value }), effect };
}

/** `0:memory=1Gi`, `hugepages-2Mi=1Gi`, …: a word without a node belongs to the node before it. */
function reservationsOf(words: readonly string[]): readonly MemoryReservation[] {
  const limits = new Map<number, Record<string, string>>();
  let node: number | undefined;
  for (const word of words) {
    const [, number, rest = ''] = /^(?:(\d+):)?(.*)$/.exec(word) ?? [];
    if (number !== undefined) node = Number(number);
    if (node === undefined)
      throw new Error(
        `the reserved memory has incorrect format, expected numaNodeID:type=quantity[,type=quantity...], got ${word}`,
      );
    const own = limits.get(node) ?? {};
    for (const [name, value] of pairs([rest], '=')) own[name] = value;
    limits.set(node, own);
  }
  return [...limits].map(([numaNode, own]) => ({ numaNode, limits: own }));
}
