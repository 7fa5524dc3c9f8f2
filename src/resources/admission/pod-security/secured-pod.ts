import type { EphemeralContainer, PodSpec, PodTemplateSpec } from '../../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionTarget } from '../../../apiserver/index.ts';
import { podOf } from '../written-pod.ts';
import type { SecuredPod } from './check.ts';

/** The path to the pod template in kinds that have one. */
interface Templated {
  readonly template?: PodTemplateSpec;
  readonly spec?: { readonly template?: PodTemplateSpec; readonly jobTemplate?: Templated };
}

const ofSpec = ({ spec }: Templated): PodTemplateSpec | undefined => spec?.template;

/** The pod templates of controllers, by group and plural. */
const TEMPLATES: Readonly<Record<string, (object: Templated) => PodTemplateSpec | undefined>> = {
  '/podtemplates': ({ template }) => template,
  '/replicationcontrollers': ofSpec,
  'apps/replicasets': ofSpec,
  'apps/deployments': ofSpec,
  'apps/statefulsets': ofSpec,
  'apps/daemonsets': ofSpec,
  'batch/jobs': ofSpec,
  'batch/cronjobs': ({ spec }) => ofSpec(spec?.jobTemplate ?? {}),
};

/** Subresources of pods that change nothing that is checked. All others contain a whole pod. */
const IGNORED_VIEWS = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

/** The kind of object that a request writes, if it is checked. */
export function subjectOf(target: AdmissionTarget): 'namespace' | 'pod' | 'controller' | undefined {
  const { operation, resource, subresource } = target;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
  const name = `${resource.group}/${resource.plural}`;
  if (name === '/pods') return IGNORED_VIEWS.has(subresource) ? undefined : 'pod';
  if (subresource !== '') return undefined;
  if (name === '/namespaces') return 'namespace';
  return Object.hasOwn(TEMPLATES, name) ? 'controller' : undefined;
}

/** The pod that a request writes, or the pod template; undefined if nothing that is checked is written. */
export function securedPodOf(request: AdmissionAttributes): SecuredPod | undefined {
  const { resource, object, old } = request;
  const template = TEMPLATES[`${resource.group}/${resource.plural}`];
  if (template === undefined) {
    const { metadata, spec } = podOf(request);
    if (old !== undefined && !hasOtherImages(spec, podOf({ object: old }).spec)) return undefined;
    return { annotations: metadata.annotations ?? {}, spec };
  }
  const found = template((object ?? {}) as Templated);
  return found?.spec === undefined ? undefined : { annotations: found.metadata?.annotations ?? {}, spec: found.spec };
}

/** Of what is checked, only containers and their images can change in an existing pod. */
function hasOtherImages(now: PodSpec, before: PodSpec): boolean {
  return (
    differ(now.containers ?? [], before.containers ?? []) ||
    differ(now.initContainers ?? [], before.initContainers ?? []) ||
    (now.ephemeralContainers ?? []).some((container) => !isKept(container, before.ephemeralContainers ?? []))
  );
}

interface Imaged {
  readonly image?: string;
}

function differ(now: readonly Imaged[], before: readonly Imaged[]): boolean {
  return now.length !== before.length || now.some(({ image }, index) => image !== before[index]?.image);
}

function isKept({ name, image }: EphemeralContainer, before: readonly EphemeralContainer[]): boolean {
  const known = before.find((each) => each.name === name);
  return known !== undefined && known.image === image;
}
