import {
  asJson,
  builtInTypes,
  type FieldError,
  forbiddenField,
  httpHeaderNameProblems,
  invalidValue,
  notSupported,
  portNameProblems,
  portNumberProblems,
  required,
} from '../../api/index.ts';
import type { Container, HTTPGetAction, Lifecycle, LifecycleHandler, PodOS, Probe } from '../../api/types/core/v1.d.ts';

type Handler = LifecycleHandler & Pick<Probe, 'grpc'>;

/** What probes and hooks depend on. */
export interface RunningFacts {
  /** The pod's grace period. */
  readonly grace: number | undefined;
  readonly os: PodOS | undefined;
}

/** Hooks and probes of a container that keeps running. */
export function checkRunning(container: Container, field: string, facts: RunningFacts): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const grace = readinessProbe?.terminationGracePeriodSeconds;
  const at = `${field}.readinessProbe`;
  return [
    ...(lifecycle === undefined ? [] : checkLifecycle(lifecycle, `${field}.lifecycle`, facts)),
    ...checkProbe(livenessProbe, `${field}.livenessProbe`, { oneSuccess: true }),
    ...checkProbe(readinessProbe, at, { oneSuccess: false }),
    ...(grace === undefined
      ? []
      : [invalidValue(`${at}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes')]),
    ...checkProbe(startupProbe, `${field}.startupProbe`, { oneSuccess: true }),
  ];
}

const NEGATIVE = 'must be greater than or equal to 0';
const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function checkProbe(
  probe: Probe | undefined,
  field: string,
  { oneSuccess }: { readonly oneSuccess: boolean },
): FieldError[] {
  if (probe === undefined) return [];
  const { terminationGracePeriodSeconds: grace, successThreshold = 0 } = probe;
  const errors = checkHandler(probe, field, undefined);
  for (const name of COUNTS) {
    const value = probe[name] ?? 0;
    if (value < 0) errors.push(invalidValue(`${field}.${name}`, value, NEGATIVE));
  }
  if (grace !== undefined && grace <= 0) {
    errors.push(invalidValue(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  }
  if (oneSuccess && successThreshold !== 1) {
    errors.push(invalidValue(`${field}.successThreshold`, successThreshold, 'must be 1'));
  }
  return errors;
}

const WINDOWS_SIGNALS = ['SIGKILL', 'SIGTERM'];

function checkLifecycle(lifecycle: Lifecycle, field: string, { grace, os }: RunningFacts): FieldError[] {
  const { postStart, preStop, stopSignal } = lifecycle;
  return [
    ...(postStart === undefined ? [] : checkHandler(postStart, `${field}.postStart`, grace)),
    ...(preStop === undefined ? [] : checkHandler(preStop, `${field}.preStop`, grace)),
    ...(stopSignal === undefined ? [] : checkStopSignal(stopSignal, `${field}.stopSignal`, os)),
  ];
}

function checkStopSignal(signal: string, field: string, os: PodOS | undefined): FieldError[] {
  if (os === undefined) {
    return [forbiddenField(field, 'may not be set for containers with empty `spec.os.name`')];
  }
  const name: string | undefined = os.name;
  if (name !== 'linux' && name !== 'windows') return [];
  const known = name === 'windows' ? WINDOWS_SIGNALS : linuxSignals();
  return known.includes(signal) ? [] : [notSupported(field, asJson(signal ?? ''), known)];
}

/** The signals as the type lists them. */
function linuxSignals(): readonly string[] {
  const { shape } = builtInTypes().struct('io.k8s.api.core.v1.Lifecycle').field('stopSignal') ?? {};
  return (shape?.constraints?.enum ?? []) as readonly string[];
}

/** The handlers in upstream's order; only the first is checked. */
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function checkHandler(handler: Handler, field: string, grace: number | undefined): FieldError[] {
  const [first, ...others] = HANDLERS.filter((name) => handler[name] !== undefined);
  if (first === undefined) return [required(field, 'must specify a handler type')];
  return [
    ...checkAction(handler, first, { field: `${field}.${first}`, grace }),
    ...others.map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function checkAction(
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  name: (typeof HANDLERS)[number],
  { field, grace }: { readonly field: string; readonly grace: number | undefined },
): FieldError[] {
  switch (name) {
    case 'exec':
      return (exec?.command ?? []).length === 0 ? [required(`${field}.command`)] : [];
    case 'httpGet':
      return checkHttpGet(httpGet, field);
    case 'tcpSocket':
      return checkPort(tcpSocket?.port ?? 0, `${field}.port`);
    case 'grpc':
      return checkPort(grpc?.port ?? 0, `${field}.port`);
    case 'sleep': {
      const seconds = sleep?.seconds ?? 0;
      if (grace === undefined || (seconds >= 0 && seconds <= grace)) return [];
      const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
      return [invalidValue(field, seconds, detail)];
    }
  }
}

const SCHEMES = ['HTTP', 'HTTPS'];

function checkHttpGet(action: HTTPGetAction | undefined, field: string): FieldError[] {
  const { path = '', port = 0, scheme = '', httpHeaders = [] } = action ?? {};
  return [
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...checkPort(port, `${field}.port`),
    ...(SCHEMES.includes(scheme) ? [] : [notSupported(`${field}.scheme`, asJson(scheme ?? ''), SCHEMES)]),
    ...httpHeaders.flatMap(({ name = '' }) =>
      httpHeaderNameProblems(name).map((problem) => invalidValue(`${field}.httpHeaders`, name, problem)),
    ),
  ];
}

/** A port by its number or its name. */
export function checkPort(port: number | string, field: string): FieldError[] {
  const problems = typeof port === 'number' ? portNumberProblems(port) : portNameProblems(port);
  return problems.map((problem) => invalidValue(field, port, problem));
}
