import { deepEqual } from '../../base/index.ts';
import type { AppArmorProfile, PodSpec, SecurityContext } from '../../api/types/core/v1.d.ts';
import type { WriteContext } from '../../apiserver/index.ts';

const PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';
const MAX_PROFILE_LENGTH = 4095;

/** Confinement was an annotation for each container before it was a field; what the annotation says goes into the field. */
export function withAppArmorProfiles(
  spec: PodSpec,
  annotations: Readonly<Record<string, string>> | undefined,
  context: WriteContext,
): PodSpec {
  if (spec.os?.name === 'windows' || !Object.keys(annotations ?? {}).some((name) => name.startsWith(PREFIX)))
    return spec;
  const podProfile = spec.securityContext?.appArmorProfile;
  const carry = <T extends { name: string; securityContext?: SecurityContext }>(container: T): T => {
    const key = `${PREFIX}${container.name}`;
    const annotation = annotations?.[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) return container;
    const profile = profileOf(annotation);
    const isNews = profile !== undefined && !deepEqual(profile, podProfile);
    if (profile === undefined || isNews) {
      context.warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
    if (!isNews) return container;
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } };
  };
  return {
    ...spec,
    containers: (spec.containers ?? []).map(carry),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(carry) }),
    ...(spec.ephemeralContainers === undefined ? {} : { ephemeralContainers: spec.ephemeralContainers.map(carry) }),
  };
}

function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const name = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : '';
  if (name === '' || name.trim() !== name || Buffer.byteLength(name) > MAX_PROFILE_LENGTH) return undefined;
  return { type: 'Localhost', localhostProfile: name };
}
