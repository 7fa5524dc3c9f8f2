import type { AdmissionAttributes } from '../../../apiserver/index.ts';
import type { MetricRegistry } from '../../../base/index.ts';
import type { LevelVersion, Mode } from './policy.ts';

/** The minor version of Kubernetes that this server implements; policies of later versions count as future. */
const OWN_MINOR = 36;

/** The plugin's decisions, under upstream's metric names. */
export class PodSecurityMetrics {
  readonly #evaluations;
  readonly #exemptions;
  readonly #errors;

  constructor(metrics: MetricRegistry) {
    this.#evaluations = metrics.counter({
      name: 'pod_security_evaluations_total',
      help: 'How often pods were held against a policy; requests that are exempt or of no interest do not count.',
      labels: ['decision', 'policy_level', 'policy_version', 'mode', 'request_operation', 'resource', 'subresource'],
    });
    this.#exemptions = metrics.counter({
      name: 'pod_security_exemptions_total',
      help: 'Requests that were exempt.',
      labels: ['request_operation', 'resource', 'subresource'],
    });
    this.#errors = metrics.counter({
      name: 'pod_security_errors_total',
      help: 'Failures to find out what is demanded of a pod; where they are not fatal, the strictest policy was used.',
      labels: ['fatal', 'request_operation', 'resource', 'subresource'],
    });
    const subresource = '';
    for (const request_operation of ['create', 'update']) {
      this.#exemptions.with({ request_operation, resource: 'controller', subresource });
      this.#exemptions.with({ request_operation, resource: 'pod', subresource });
      this.#evaluations.with({
        decision: 'allow',
        policy_level: 'privileged',
        policy_version: 'latest',
        mode: 'enforce',
        ...{ request_operation, resource: 'pod', subresource },
      });
    }
  }

  evaluated(
    decision: 'allow' | 'deny',
    against: LevelVersion & { readonly mode: Mode },
    on: AdmissionAttributes,
  ): void {
    const { level, version, mode } = against;
    const isLatest = version === 'latest' || level === 'privileged';
    const policy_version = isLatest ? 'latest' : version > OWN_MINOR ? 'future' : `v1.${version}`;
    this.#evaluations.with({ decision, policy_level: level, policy_version, mode, ...labelsOf(on) }).add();
  }

  exempted(request: AdmissionAttributes): void {
    this.#exemptions.with(labelsOf(request)).add();
  }

  failed(request: AdmissionAttributes, { isFatal }: { readonly isFatal: boolean }): void {
    this.#errors.with({ fatal: String(isFatal), ...labelsOf(request) }).add();
  }
}

function labelsOf({ operation, resource, subresource }: AdmissionAttributes) {
  const isPod = resource.group === '' && resource.plural === 'pods';
  return { request_operation: operation.toLowerCase(), resource: isPod ? 'pod' : 'controller', subresource };
}
