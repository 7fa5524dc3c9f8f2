import {
  type ConfigurationKind,
  type FieldError,
  fieldErrorText,
  INTEGER,
  invalidValue,
  listOf,
  notSupported,
  objectOf,
  readConfiguration,
  TEXT,
} from '../../../api/index.ts';
import { together } from '../refusal.ts';

/** One of the limits of EventRateLimit. */
export interface EventLimit {
  readonly type: (typeof TYPES)[number];
  /** Requests a second, once `burst` of them are used up. */
  readonly qps: number;
  readonly burst: number;
  /** How many buckets are kept; 0 means 4096. */
  readonly cacheSize: number;
}

const TYPES = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;

const CONFIGURATION: ConfigurationKind = {
  group: 'eventratelimit.admission.k8s.io',
  kind: 'Configuration',
  versions: ['v1alpha1'],
  fields: (version) => ({
    limits: listOf(objectOf(`${version}.Limit`, { type: TEXT, qps: INTEGER, burst: INTEGER, cacheSize: INTEGER })),
  }),
};

/** The limits in a configuration; at least one is required. */
export function readEventLimits(text: string | undefined): readonly EventLimit[] {
  const { limits }: { readonly limits?: readonly Partial<EventLimit>[] } =
    text === undefined ? {} : readConfiguration(text, [CONFIGURATION], { isStrict: false });
  const read = (limits ?? []).map(({ type, qps = 0, burst = 0, cacheSize = 0 }) => ({
    type: type as EventLimit['type'],
    qps,
    burst,
    cacheSize,
  }));
  const problems = read.length === 0 ? [invalidValue('limits', limits ?? null, 'must not be empty')] : [];
  const all = [...problems, ...read.flatMap((limit, index) => problemsOf(limit, `limits[${index}]`))];
  if (all.length > 0) throw new Error(together(all.map(fieldErrorText)));
  return read;
}

function problemsOf({ type, qps, burst, cacheSize }: EventLimit, field: string): FieldError[] {
  return [
    ...(TYPES.includes(type) ? [] : [notSupported(`${field}.type`, type ?? '', TYPES)]),
    ...(burst > 0 ? [] : [invalidValue(`${field}.burst`, burst, 'must be positive')]),
    ...(qps > 0 ? [] : [invalidValue(`${field}.qps`, qps, 'must be positive')]),
    ...(type === 'Server' || cacheSize >= 0
      ? []
      : [invalidValue(`${field}.cacheSize`, cacheSize, 'must not be negative')]),
  ];
}
