import { forbiddenField, invalidValue, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Container, LifecycleHandler, Probe } from '../../api/types/core/v1.d.ts';

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

type Handler = LifecycleHandler & Pick<Probe, 'grpc'>;

/** Probes and hooks of a container that runs along; `grace` is how long the pod has for ending. */
export function checkRunning(container: Container, field: string, grace: number): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const { postStart, preStop } = lifecycle ?? {};
  return [
    ...(postStart === undefined ? [] : checkHandler(postStart, `${field}.lifecycle.postStart`, grace)),
    ...(preStop === undefined ? [] : checkHandler(preStop, `${field}.lifecycle.preStop`, grace)),
    ...checkProbe(livenessProbe, `${field}.livenessProbe`, { oneSuccess: true }),
    ...checkProbe(readinessProbe, `${field}.readinessProbe`, { oneSuccess: false }),
    ...(readinessProbe?.terminationGracePeriodSeconds === undefined
      ? []
      : [
          invalidValue(
            `${field}.readinessProbe.terminationGracePeriodSeconds`,
            readinessProbe.terminationGracePeriodSeconds,
            'must not be set for readinessProbes',
          ),
        ]),
    ...checkProbe(startupProbe, `${field}.startupProbe`, { oneSuccess: true }),
  ];
}

function checkProbe(
  probe: Probe | undefined,
  field: string,
  { oneSuccess }: { readonly oneSuccess: boolean },
): FieldError[] {
  if (probe === undefined) return [];
  const errors = checkHandler(probe, field, undefined);
  if (oneSuccess && probe.successThreshold !== 1) {
    errors.push(invalidValue(`${field}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'));
  }
  return errors;
}

function checkHandler(handler: Handler, field: string, grace: number | undefined): FieldError[] {
  const given = HANDLERS.filter((name) => handler[name] !== undefined);
  if (given.length === 0) return [required(field, 'must specify a handler type')];
  const errors: FieldError[] = [];
  if (given[0] === 'exec' && (handler.exec?.command ?? []).length === 0) errors.push(required(`${field}.exec.command`));
  const seconds = handler.sleep?.seconds ?? 0;
  if (given[0] === 'sleep' && grace !== undefined && (seconds < 0 || seconds > grace)) {
    const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
    errors.push(invalidValue(`${field}.sleep`, seconds, detail));
  }
  const more = given
    .slice(1)
    .map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type'));
  return [...errors, ...more];
}
