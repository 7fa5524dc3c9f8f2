import { type DeviceObjects, QuotaEvaluators } from '../../../api/meaning/index.ts';
import type { Pod } from '../../../api/types/core/v1.d.ts';
import type { DeviceClass, ResourceClaim } from '../../../api/types/resource/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionTarget, ServerObjects } from '../../../apiserver/index.ts';
import type { AdmissionParts } from '../admission-parts.ts';
import { checkRequest, type Quota } from './check-request.ts';
import { QuotaLedger } from './quota-ledger.ts';
import type { ResourceQuotaConfiguration } from './resource-quota-configuration.ts';

type Parts = Pick<AdmissionParts, 'objects' | 'clock' | 'update'>;

/** Refuses writes that would exceed the quotas of the namespace. */
export function resourceQuota(parts: Parts, configuration?: ResourceQuotaConfiguration): AdmissionPlugin {
  const { objects, clock, update } = parts;
  const limited = configuration?.limitedResources ?? [];
  const evaluators = new QuotaEvaluators(deviceObjects(objects));
  const evaluatorOf = ({ resource }: Pick<AdmissionTarget, 'resource'>) =>
    evaluators.of(resource.group, resource.plural);
  const quotas = objects.of<Quota>('', 'resourcequotas');
  const ledger = new QuotaLedger({
    quotas,
    clock,
    isAlwaysChecked: limited.length > 0,
    check(before, request) {
      const evaluator = evaluatorOf(request);
      if (evaluator === undefined) return before;
      return checkRequest(before, request, { evaluator, limited, nowMs: clock.now() });
    },
    write: (quota) => update(statusPath(quota), { apiVersion: 'v1', kind: 'ResourceQuota', ...quota }),
  });

  const byNamespace = () => quotas.index('namespace', ({ metadata }) => [metadata.namespace ?? '']);

  /** Whether the request is one that quotas may count. Most namespaces have no quota, and only pay for this check. */
  function isConcerned(request: AdmissionAttributes): boolean {
    const { object, old, namespace } = request;
    if (object === undefined) return false;
    if (limited.length === 0 && atHand(() => byNamespace().get(namespace))?.length === 0) return false;
    if (old === undefined) return true;
    return evaluatorOf(request)?.concerns?.(request, object, old) ?? true;
  }

  return {
    name: 'ResourceQuota',
    handles: (target) => target.resource.namespaced && evaluatorOf(target)?.handles(target) === true,
    validate(request) {
      if (isConcerned(request)) return ledger.charge(request);
    },
  };
}

function statusPath({ metadata }: Quota): string {
  return `/api/v1/namespaces/${metadata.namespace ?? ''}/resourcequotas/${metadata.name ?? ''}/status`;
}

/** Lookups of device objects; missing or unserved ones are undefined. */
function deviceObjects(objects: ServerObjects): DeviceObjects {
  const classes = objects.of<DeviceClass>('resource.k8s.io', 'deviceclasses');
  const claims = objects.of<ResourceClaim>('resource.k8s.io', 'resourceclaims');
  const pods = objects.of<Pod>('', 'pods');
  const resources = ({ spec }: DeviceClass): readonly string[] => [spec.extendedResourceName ?? []].flat();
  return {
    deviceClass: (name) => atHand(() => classes.getNow('', name)),
    hasDeviceClassFor: (resource) =>
      (atHand(() => classes.index('extended resource', resources).get(resource))?.length ?? 0) > 0,
    pod: (namespace, name) => atHand(() => pods.getNow(namespace, name)),
    claims: (namespace) => atHand(() => claims.listNow(namespace)) ?? [],
  };
}

function atHand<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // the kind is not served, or its store is being loaded
  }
}
