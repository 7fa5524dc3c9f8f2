import { messageOf, parseDuration } from '../../../base/index.ts';
import {
  type AuditDelivery,
  type AuditOptions,
  type AccessOptions,
  readAuditPolicy,
  readWebhookKubeconfig,
  type TracingOptions,
} from '../../server-only.ts';
import { FlagError } from '../flag.ts';
import type { FlagDefinitions, FlagValues } from '../flag.ts';
import { readFlagFile } from '../read-flags.ts';

const MODES = ['batch', 'blocking', 'blocking-strict'];
const FORMATS = ['legacy', 'json'];
const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3600 * 1000;

/** The flags that the log and the webhook have in common. */
function sinkFlags(sink: string, defaults: { readonly mode: string; readonly maxSize: string }): FlagDefinitions {
  const isLog = sink === 'log';
  const definitions: FlagDefinitions = {
    [`audit-${sink}-mode`]: {
      type: 'string',
      value: 'MODE',
      default: defaults.mode,
      help: 'Whether requests wait for their events: batch, blocking, or blocking-strict, which refuses them on failure',
    },
    [`audit-${sink}-batch-buffer-size`]: {
      type: 'string',
      value: 'N',
      default: '10000',
      help: 'Events that wait in mode batch; more are lost',
    },
    [`audit-${sink}-batch-max-size`]: {
      type: 'string',
      value: 'N',
      default: defaults.maxSize,
      help: 'Events that are handed on together in mode batch',
    },
    [`audit-${sink}-batch-max-wait`]: {
      type: 'string',
      value: 'DURATION',
      default: isLog ? '0s' : '30s',
      help: 'How long an event waits for others in mode batch',
    },
    [`audit-${sink}-batch-throttle-enable`]: {
      type: 'boolean',
      default: !isLog,
      help: 'Limit how often events are handed on in mode batch',
    },
    [`audit-${sink}-batch-throttle-qps`]: {
      type: 'string',
      value: 'N',
      default: isLog ? '0' : '10',
      help: 'Batches a second',
    },
    [`audit-${sink}-batch-throttle-burst`]: {
      type: 'string',
      value: 'N',
      default: isLog ? '0' : '15',
      help: 'Batches at once after a quiet time',
    },
    [`audit-${sink}-truncate-enabled`]: { type: 'boolean', help: 'Take the objects out of events that are too large' },
    [`audit-${sink}-truncate-max-event-size`]: {
      type: 'string',
      value: 'BYTES',
      default: '102400',
      help: 'From which size on an event is too large',
    },
    [`audit-${sink}-truncate-max-batch-size`]: {
      type: 'string',
      value: 'BYTES',
      default: '10485760',
      help: 'From which size on a batch is split',
    },
    [`audit-${sink}-version`]: {
      type: 'string',
      value: 'VERSION',
      default: 'audit.k8s.io/v1',
      help: 'Version of events; there is one',
    },
  };
  // Upstream's page tells of them; a usage that does would tell of little else.
  return Object.fromEntries(Object.entries(definitions).map(([name, flag]) => [name, { ...flag, isHidden: true }]));
}

/** Flags that say what is audited and where events go, under upstream's names. */
export const auditFlags: FlagDefinitions = {
  'audit-policy-file': {
    type: 'string',
    value: 'FILE',
    help: 'Which requests are audited, as a Policy of audit.k8s.io/v1',
  },
  'audit-log-path': { type: 'string', value: 'FILE', help: 'Write audit events to this file; - prints them' },
  'audit-log-format': {
    type: 'string',
    value: 'json|legacy',
    default: 'json',
    help: 'How lines of the audit log look',
  },
  'audit-log-maxage': { type: 'string', value: 'DAYS', default: '366', help: 'Remove old audit logs then; 0 never' },
  'audit-log-maxbackup': { type: 'string', value: 'N', default: '100', help: 'Old audit logs to keep; 0 keeps all' },
  'audit-log-maxsize': {
    type: 'string',
    value: 'MEGABYTES',
    default: '100',
    help: 'Begin a new audit log at this size; 0 never',
  },
  'audit-log-compress': { type: 'boolean', help: 'Pack old audit logs with gzip' },
  ...sinkFlags('log', { mode: 'blocking', maxSize: '1' }),
  'audit-webhook-config-file': {
    type: 'string',
    value: 'FILE',
    help: 'Post audit events to the webhook that this file in the format of kubeconfigs names',
  },
  'audit-webhook-initial-backoff': {
    type: 'string',
    value: 'DURATION',
    default: '10s',
    help: 'How long to wait before a failed batch is sent again',
  },
  ...sinkFlags('webhook', { mode: 'batch', maxSize: '400' }),
};

interface Printing {
  print(text: string): void;
  printError(text: string): void;
}

/** What the flags say of writing down requests. */
export function auditSettings(
  flags: FlagValues,
  context: Printing,
): Pick<AccessOptions, 'audit'> & Pick<TracingOptions, 'printRequest'> {
  const audit = auditOptions(flags, context);
  return {
    ...(audit === undefined ? {} : { audit }),
    ...(flags.isSet('audit') ? { printRequest: (line: string) => context.print(line) } : {}),
  };
}

/** Undefined when events would go nowhere. */
function auditOptions(flags: FlagValues, context: Printing): AuditOptions | undefined {
  const path = flags.text('audit-policy-file');
  const log = flags.text('audit-log-path');
  const webhook = flags.text('audit-webhook-config-file');
  const options = {
    ...(log === undefined ? {} : { log: logSettings(flags, log, (line) => context.print(line)) }),
    ...(webhook === undefined ? {} : { webhook: webhookSettings(flags, webhook) }),
  };
  if (path === undefined) return undefined;
  const { policy, problems } = readPolicy(path);
  if (problems !== '') context.printError(`audit policy "${path}": ignored: ${problems}`);
  return log === undefined && webhook === undefined ? undefined : { policy, ...options };
}

function readPolicy(path: string): ReturnType<typeof readAuditPolicy> {
  try {
    return readAuditPolicy(readFlagFile('audit-policy-file', path));
  } catch (cause) {
    if (cause instanceof FlagError) throw cause;
    throw new FlagError(`loading audit policy file: ${messageOf(cause)}: from file ${path}`, { cause });
  }
}

function logSettings(flags: FlagValues, path: string, print: (line: string) => void): NonNullable<AuditOptions['log']> {
  const format = flags.text('audit-log-format') ?? '';
  if (format !== 'json' && format !== 'legacy')
    throw new FlagError(`invalid audit log format ${format}, allowed formats are "${FORMATS.join(',')}"`);
  const notNegative = (name: string): number => {
    const value = numberFlag(flags, name);
    if (value < 0) throw new FlagError(`--${name} ${value} can't be a negative number`);
    return value;
  };
  const [maxAge, maxBackups, maxSize] = ['maxage', 'maxbackup', 'maxsize'].map((name) =>
    notNegative(`audit-log-${name}`),
  );
  const file = {
    path,
    maxAge: (maxAge ?? 0) * DAY_MS,
    maxBackups: maxBackups ?? 0,
    maxBytes: (maxSize ?? 0) * MEGABYTE,
    isCompressing: flags.isSet('audit-log-compress'),
  };
  return { format, to: path === '-' ? print : file, ...sinkSettings(flags, 'log') };
}

function webhookSettings(flags: FlagValues, path: string): NonNullable<AuditOptions['webhook']> {
  const initialBackoff = durationFlag(flags, 'audit-webhook-initial-backoff');
  try {
    return { webhook: readWebhookKubeconfig(path), initialBackoff, ...sinkSettings(flags, 'webhook') };
  } catch (cause) {
    if (cause instanceof FlagError) throw cause;
    throw new FlagError(`initializing audit webhook: ${messageOf(cause)}`, { cause });
  }
}

function sinkSettings(
  flags: FlagValues,
  sink: string,
): Pick<NonNullable<AuditOptions['log']>, 'delivery' | 'truncate'> {
  const delivery = deliveryOf(flags, sink);
  const [maxEventBytes, maxBatchBytes] = [
    numberFlag(flags, `audit-${sink}-truncate-max-event-size`),
    numberFlag(flags, `audit-${sink}-truncate-max-batch-size`),
  ];
  if (maxEventBytes <= 0)
    throw new FlagError(`invalid audit truncate ${sink} max event size ${maxEventBytes}, must be a positive number`);
  if (maxBatchBytes < maxEventBytes) {
    const wish = `must be greater than max event size (${maxEventBytes})`;
    throw new FlagError(`invalid audit truncate ${sink} max batch size ${maxBatchBytes}, ${wish}`);
  }
  if (flags.text(`audit-${sink}-version`) !== 'audit.k8s.io/v1')
    throw new FlagError('invalid group version, allowed versions are ["audit.k8s.io/v1"]');
  const isTruncating = flags.isSet(`audit-${sink}-truncate-enabled`);
  return { delivery, ...(isTruncating ? { truncate: { maxEventBytes, maxBatchBytes } } : {}) };
}

function deliveryOf(flags: FlagValues, sink: string): AuditDelivery {
  const mode = flags.text(`audit-${sink}-mode`) ?? '';
  if (mode === 'blocking' || mode === 'blocking-strict') return { mode };
  if (mode !== 'batch')
    throw new FlagError(`invalid audit ${sink} mode ${mode}, allowed modes are "${MODES.join(',')}"`);
  const positive = (flag: string, words: string): number => {
    const value = numberFlag(flags, `audit-${sink}-batch-${flag}`);
    if (value > 0) return value;
    throw new FlagError(`invalid audit batch ${sink} ${words} ${value}, must be a positive number`);
  };
  const isThrottled = flags.isSet(`audit-${sink}-batch-throttle-enable`);
  return {
    mode,
    batch: {
      bufferSize: positive('buffer-size', 'buffer size'),
      maxBatchSize: positive('max-size', 'max batch size'),
      maxBatchWait: durationFlag(flags, `audit-${sink}-batch-max-wait`),
      ...(isThrottled
        ? {
            throttle: {
              qps: positive('throttle-qps', 'throttle QPS'),
              burst: positive('throttle-burst', 'throttle burst'),
            },
          }
        : {}),
    },
  };
}

function numberFlag(flags: FlagValues, name: string): number {
  const text = flags.text(name) ?? '';
  const value = Number(text);
  if (text === '' || !Number.isFinite(value)) throw new FlagError(`--${name} must be a number, got "${text}"`);
  return value;
}

function durationFlag(flags: FlagValues, name: string): number {
  const text = flags.text(name) ?? '';
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new FlagError(`--${name} must be a duration such as 30s or 1h, got "${text}"`, { cause });
  }
}
