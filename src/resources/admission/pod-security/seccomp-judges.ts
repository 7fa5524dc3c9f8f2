import { quoteGo } from '../../../api/index.ts';
import { containersOf, distinct, naming, plural, quoted, type SecuredPod, setters, type Violation } from './check.ts';

const POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_ANNOTATION = 'container.seccomp.security.alpha.kubernetes.io/';
const PROFILE_TYPES: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost']);

/** Before Kubernetes 1.19, annotations set the profile. */
export function judgeSeccompAnnotations({ annotations, spec }: SecuredPod): Violation | undefined {
  const names = [POD_ANNOTATION, ...containersOf(spec).map(({ name }) => CONTAINER_ANNOTATION + name)];
  const bad = names.filter((name) => Object.hasOwn(annotations, name) && !isAllowed(annotations[name] ?? ''));
  if (bad.length === 0) return undefined;
  const texts = distinct(bad.map((name) => `${name}=${quoteGo(annotations[name] ?? '')}`));
  return { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', texts.length)} ${texts.join(', ')}` };
}

function isAllowed(value: string): boolean {
  return value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');
}

/** Since Kubernetes 1.19, fields do; if a profile is required, a container without one uses the pod's. */
export function judgeSeccomp(
  { spec }: SecuredPod,
  { isRequired }: { readonly isRequired: boolean },
): Violation | undefined {
  const isBad = (type = 'RuntimeDefault'): boolean => !PROFILE_TYPES.has(type);
  const ofPod = spec.securityContext?.seccompProfile?.type;
  const containers = containersOf(spec).map((container) => ({
    container,
    type: container.securityContext?.seccompProfile?.type,
  }));
  const bad = containers.filter(({ type }) => isBad(type));
  if (isBad(ofPod) || bad.length > 0) {
    const types = distinct([ofPod, ...bad.map(({ type }) => type)].filter((type) => type !== undefined).filter(isBad));
    const who = setters(
      isBad(ofPod),
      bad.map(({ container }) => container),
    );
    return {
      reason: 'seccompProfile',
      detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
    };
  }
  const without = containers.filter(({ type }) => type === undefined).map(({ container }) => container);
  if (!isRequired || ofPod !== undefined || without.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${naming(without)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}
