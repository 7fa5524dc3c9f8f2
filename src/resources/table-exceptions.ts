import { notSupported, required } from '../api/index.ts';
import type { FieldError } from '../api/index.ts';

/**
 * Where upstream says the same as a rule of the type tables, in other words or at another place. By the end of the
 * field's path, without indexes.
 */
interface Exception {
  readonly at: RegExp;
  /** Which finding it is about; absent: any. */
  readonly reason?: FieldError['reason'];
  say(error: FieldError): FieldError | undefined;
}

/** Other words about a number, which may depend on which bound it breaks. */
function bounds(at: RegExp, low: string, high = low, limit = 1): Exception {
  return {
    at,
    reason: 'FieldValueInvalid',
    say: (error) => (typeof error.value === 'number' ? { ...error, detail: error.value < limit ? low : high } : error),
  };
}

/** The values in upstream's order. */
function values(at: RegExp, supported: readonly string[]): Exception {
  return { at, reason: 'FieldValueNotSupported', say: ({ field, value }) => notSupported(field, value, supported) };
}

/** Errors of list items that upstream reports at the list. */
function withoutLastIndex(at: RegExp): Exception {
  return { at, say: (error) => ({ ...error, field: error.field.replace(/\[\d+\]$/, '') }) };
}

/** What upstream does not ask for. */
function never(at: RegExp, reason: FieldError['reason']): Exception {
  return { at, reason, say: () => undefined };
}

/** Other words about what is missing. */
function missingSays(at: RegExp, detail: string): Exception {
  return { at, reason: 'FieldValueRequired', say: ({ field }) => required(field, detail) };
}

/** A number that is zero because it was left out. */
function zeroIsMissing(at: RegExp, detail = ''): Exception {
  return {
    at,
    reason: 'FieldValueInvalid',
    say: (error) => (error.value === 0 ? required(error.field, detail) : error),
  };
}

const POSITIVE = 'must be greater than zero';
const PORT = 'port is not valid: must be between 1 and 65535, inclusive';

const exceptions: readonly Exception[] = [
  bounds(/volumes\.(secret|configMap|downwardAPI|projected)(\.items)?\.(defaultMode|mode)$/, octal()),
  bounds(
    /serviceAccountToken\.expirationSeconds$/,
    lifetime('less than 10 minutes'),
    lifetime('larger than 2^32 seconds'),
    600,
  ),
  bounds(/Probe\.terminationGracePeriodSeconds$/, 'must be greater than 0'),
  bounds(/topologySpreadConstraints\.(maxSkew|minDomains)$/, POSITIVE),
  bounds(/preferredDuringSchedulingIgnoredDuringExecution\.weight$/, 'must be in the range 1-100'),
  bounds(/clientIP\.timeoutSeconds$/, 'must be greater than 0 and less than 86400'),
  zeroIsMissing(/ports\.containerPort$/),
  { at: /ports\.hostPort$/, say: (error) => (error.value === 0 ? undefined : error) },
  never(/schedulingGates\.name$/, 'FieldValueRequired'),
  never(/metadata\.ownerReferences\.\w+$/, 'FieldValueRequired'),
  never(/match(Expressions|Fields)\.(key|operator)$/, 'FieldValueRequired'),
  { at: /\.os\.name$/, reason: 'FieldValueNotSupported', say: (error) => ({ ...error, field: parentOf(error.field) }) },
  { at: /\.resizePolicy\.\w+$/, say: (error) => ({ ...error, field: parentOf(error.field).replace(/\[\d+\]$/, '') }) },
  never(/sysctls\.value$/, 'FieldValueRequired'),
  never(/(podFailurePolicy|successPolicy)\.rules$/, 'FieldValueRequired'),
  never(/onExitCodes\.values$/, 'FieldValueRequired'),
  never(/webhooks\.clientConfig\.service\.(name|namespace)$/, 'FieldValueRequired'),
  never(/target\.averageUtilization$/, 'FieldValueInvalid'),
  missingSays(/metric\.name$/, 'must specify a metric name'),
  missingSays(/metrics\.(resource|containerResource)\.name$/, 'must specify a resource name'),
  missingSays(/metrics\.containerResource\.container$/, 'must specify a container'),
  never(/dnsConfig\.options\.name$/, 'FieldValueRequired'),
  never(/volumeMounts\.subPath(Expr)?$/, 'FieldValueInvalid'),
  missingSays(/priorityLevelConfiguration\.name$/, 'must reference a priority level'),
  values(/\.restartPolicy$/, ['Always', 'OnFailure', 'Never']),
  values(/\.dnsPolicy$/, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
  values(/preemptionPolicy$/, ['PreemptLowerPriority', 'Never']),
  never(/tolerations\.operator$/, 'FieldValueNotSupported'),
  values(/(tolerations|taints|taint)\.effect$/, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
  values(/terminationMessagePolicy$/, ['File', 'FallbackToLogsOnError']),
  values(/spec\.completionMode$/, ['NonIndexed', 'Indexed']),
  values(/gress\.ports\.protocol$/, ['TCP', 'UDP', 'SCTP']),
  values(/spec\.policyTypes$/, ['Ingress', 'Egress']),
  withoutLastIndex(/\.accessModes$/),
  withoutLastIndex(/^spec\.volumeLifecycleModes$/),

  zeroIsMissing(/^spec\.maxReplicas$/, 'must be set and greater than 0'),
  bounds(/policies\.value$/, POSITIVE),
  bounds(/policies\.periodSeconds$/, POSITIVE, 'must be less than or equal to 1800'),
  bounds(
    /stabilizationWindowSeconds$/,
    'must be greater than or equal to zero',
    'must be less than or equal to 3600',
    0,
  ),

  bounds(/webhooks\.timeoutSeconds$/, 'the timeout value must be between 1 and 30 seconds'),
  bounds(/clientConfig\.service\.port$/, PORT),
  bounds(/^spec\.service\.port$/, PORT),
  bounds(/^spec\.groupPriorityMinimum$/, 'must be positive and less than 20000'),
  bounds(/^spec\.versionPriority$/, 'must be positive and less than 1000'),
  bounds(/^spec\.expirationSeconds$/, 'may not specify a duration less than 600 seconds (10 minutes)'),
  bounds(/nodeAllocatableUpdatePeriodSeconds$/, 'must be greater than or equal to 10 seconds'),
  bounds(/^spec\.leaseDurationSeconds$/, 'must be greater than 0'),
  bounds(/matchingPrecedence$/, 'must be a positive value', 'must not be greater than 10000'),
  bounds(/nominalConcurrencyShares$/, 'must be a non-negative integer'),
  bounds(/borrowingLimitPercent$/, 'if specified, must be a non-negative integer'),
  bounds(/queuing\.(handSize|queueLengthLimit)$/, 'must be positive'),
  bounds(/queuing\.queues$/, 'must be positive', 'must not be greater than 10000000'),
  bounds(/pool\.resourceSliceCount$/, POSITIVE),
  bounds(/pool\.generation$/, 'must be greater than or equal to zero'),
];

function parentOf(field: string): string {
  return field.slice(0, field.lastIndexOf('.'));
}

function octal(): string {
  return 'must be a number between 0 and 0777 (octal), both inclusive';
}

function lifetime(which: string): string {
  return `may not specify a duration ${which}`;
}

/** The table's findings as upstream has them; `own` names the fields that a kind judges by itself. */
export function adjusted(errors: readonly FieldError[], own: ReadonlySet<string>): readonly FieldError[] {
  if (errors.length === 0) return errors;
  return errors.flatMap((error) => {
    const path = error.field.replace(/\[[^\]]*\]/g, '');
    if (own.has(path)) return [];
    const found = exceptions.find(
      ({ at, reason }) => (reason === undefined || reason === error.reason) && at.test(path),
    );
    const said = found === undefined ? error : found.say(error);
    return said === undefined ? [] : [said];
  });
}
