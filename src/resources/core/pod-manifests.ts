import { builtInTypes, checkObjectMeta, collectErrors, fieldErrorText, YamlBody } from '../../api/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { checkTyped } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';
import { subdomainName } from '../name-rules.ts';
import { defaultPod } from './pod-defaults.ts';
import { qosClass } from '../../api/meaning/index.ts';
import { checkPod } from './pod-rules.ts';

const POD = 'io.k8s.api.core.v1.Pod';
const LIST = 'io.k8s.api.core.v1.PodList';

/**
 * The pods of a manifest in JSON or YAML, a Pod or a PodList, with defaults and checked as if they were created: for programs that run
 * pods without an API server. `change` is applied after defaults were filled in and before the pod is checked. Throws when a pod is invalid.
 */
export function podsOfManifest(bytes: Uint8Array, change: (pod: Pod) => Pod): readonly Pod[] {
  const types = builtInTypes();
  const body = new YamlBody(bytes);
  const { apiVersion = '', kind = '' } = body.typeMeta;
  if (apiVersion !== 'v1' || (kind !== 'Pod' && kind !== 'PodList'))
    throw new Error(`couldn't parse as pod: it is "${kind}" of "${apiVersion}"`);
  const { value } = body.decode(types.struct(kind === 'Pod' ? POD : LIST), {
    fieldValidation: 'Ignore',
    defaults: true,
  });
  const sent = (kind === 'Pod' ? [value] : ((value as { readonly items?: unknown }).items ?? [])) as Whole<Pod>[];
  return sent.map((pod) => {
    if ((pod.metadata?.name ?? '') === '') throw new Error('invalid pod: name is needed for the pod');
    pod.spec ??= { containers: [] };
    pod.status ??= {};
    defaultPod(pod);
    const changed = change(pod) as Whole<Pod>;
    const meta = { namespaced: true, checkName: subdomainName };
    const errors = collectErrors(() => [
      ...checkObjectMeta(changed.metadata, meta),
      ...checkTyped({ ...changed }, types.struct(POD)),
      ...checkPod(changed),
    ]);
    if (errors.length > 0) throw new Error(`invalid pod: ${errors.map(fieldErrorText).join(', ')}`);
    return {
      ...changed,
      kind: 'Pod',
      apiVersion: 'v1',
      status: { phase: 'Pending', qosClass: qosClass(changed.spec) },
    };
  });
}
