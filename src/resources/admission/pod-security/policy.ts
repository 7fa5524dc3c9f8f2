import { type FieldError, invalidValue } from '../../../api/index.ts';

const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof LEVELS)[number];
/** `latest`, or the minor version of Kubernetes 1. */
export type PolicyVersion = 'latest' | number;

export interface LevelVersion {
  readonly level: Level;
  readonly version: PolicyVersion;
}

export const MODES = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof MODES)[number];
/** The required level in each mode. */
export type Policy = Readonly<Record<Mode, LevelVersion>>;

type Labels = Readonly<Record<string, string>>;

export const LABEL_PREFIX = 'pod-security.kubernetes.io/';
export const LEVEL_PROBLEM = `must be one of ${LEVELS.join(', ')}`;
export const VERSION_PROBLEM = 'must be "latest" or "v1.x"';
/** The maximum of Go's integers, which limits versions. */
const MAX_MINOR = 9_223_372_036_854_775_807n;

export function parseLevel(text: string): Level | undefined {
  return LEVELS.find((level) => level === text);
}

export function parseVersion(text: string): PolicyVersion | undefined {
  if (text === 'latest') return 'latest';
  const [, minor] = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(text) ?? [];
  return minor === undefined || BigInt(minor) > MAX_MINOR ? undefined : Number(minor);
}

/** `baseline:v1.30`. */
export function describeLevel({ level, version }: LevelVersion): string {
  return `${level}:${version === 'latest' ? 'latest' : `v1.${version}`}`;
}

export function isPrivileged(policy: Policy): boolean {
  return MODES.every((mode) => policy[mode].level === 'privileged');
}

export function areSame(left: LevelVersion, right: LevelVersion): boolean {
  return left.level === right.level && left.version === right.version;
}

/** Whether two policies forbid the same; versions of `privileged` do not differ. */
export function areEquivalent(left: Policy, right: Policy): boolean {
  return MODES.every(
    (mode) =>
      areSame(left[mode], right[mode]) || (left[mode].level === 'privileged' && right[mode].level === 'privileged'),
  );
}

/** Negative, 0 or positive if the left level is less strict than, as strict as or stricter than the right one. */
export function compareLevels(left: Level, right: Level): number {
  return LEVELS.indexOf(left) - LEVELS.indexOf(right);
}

export interface PolicyOfLabels {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

/**
 * The policy in a namespace's labels, and the problems in them. An invalid level enforces `restricted`, without warnings or
 * audit. If only a level to enforce is set, it is also warned about.
 */
export function policyOf(labels: Labels, defaults: Policy): PolicyOfLabels {
  const errors: FieldError[] = [];
  const [enforce, audit, warn] = MODES.map((mode) => labelled(mode, { labels, defaults, errors }));
  if (enforce === undefined || audit === undefined || warn === undefined) return { policy: defaults, errors };
  const isStated = parseLevel(labels[`${LABEL_PREFIX}enforce`] ?? '') !== undefined;
  const isInherited =
    isStated && labels[`${LABEL_PREFIX}warn`] === undefined && compareLevels(enforce.level, warn.level) > 0;
  if (!isInherited) return { policy: { enforce, audit, warn }, errors };
  const hasVersion = labels[`${LABEL_PREFIX}warn-version`] !== undefined;
  const inherited = { level: enforce.level, version: hasVersion ? warn.version : enforce.version };
  return { policy: { enforce, audit, warn: inherited }, errors };
}

interface LabelledFrom {
  readonly labels: Labels;
  readonly defaults: Policy;
  readonly errors: FieldError[];
}

function labelled(mode: Mode, { labels, defaults, errors }: LabelledFrom): LevelVersion {
  const read = <T>(
    label: string,
    parse: (text: string) => T | undefined,
    problem: string,
  ): T | undefined | 'absent' => {
    const text = labels[label];
    if (text === undefined) return 'absent';
    const value = parse(text);
    if (value === undefined) errors.push(invalidValue(`metadata.labels[${label}]`, text, problem));
    return value;
  };
  const level = read(LABEL_PREFIX + mode, parseLevel, LEVEL_PROBLEM);
  const version = read(`${LABEL_PREFIX}${mode}-version`, parseVersion, VERSION_PROBLEM);
  const unreadable: Level = mode === 'enforce' ? 'restricted' : 'privileged';
  return {
    level: level === 'absent' ? defaults[mode].level : (level ?? unreadable),
    version: version === 'absent' ? defaults[mode].version : (version ?? 'latest'),
  };
}
