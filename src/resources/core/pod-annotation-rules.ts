import { type FieldError, forbiddenField, invalidValue, quoteGo } from '../../api/index.ts';
import type { AppArmorProfile, PodSpec, SeccompProfile } from '../../api/types/core/v1.d.ts';
import { eachContainer } from './each-container.ts';
import { checkDescendingPath } from './path-rules.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

const MIRROR = 'kubernetes.io/config.mirror';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';

/** Annotations of pods and templates that mean something. */
export function checkPodAnnotations(annotations: Annotations, spec: PodSpec, field: string): FieldError[] {
  if (annotations === undefined) return [];
  const errors: FieldError[] = [];
  const { [MIRROR]: mirror, [DELETION_COST]: cost, [SECCOMP_POD]: seccomp } = annotations;
  if (mirror !== undefined && (spec.nodeName ?? '') === '') {
    const detail = 'must set spec.nodeName if mirror pod annotation is set';
    errors.push(invalidValue(`${field}[${MIRROR}]`, mirror, detail));
  }
  if (cost !== undefined && !isCost(cost)) {
    errors.push(invalidValue(`${field}[${DELETION_COST}]`, cost, 'must be a 32bit integer'));
  }
  if (seccomp !== undefined) errors.push(...checkSeccompName(seccomp, `${field}.${SECCOMP_POD}`));
  for (const [name, value] of Object.entries(annotations)) {
    if (name.startsWith(SECCOMP_CONTAINER)) errors.push(...checkSeccompName(value, `${field}.${name}`));
  }
  return [...errors, ...checkAppArmorNames(annotations, spec, field)];
}

/** A number of 32 bits without a plus sign or leading zeros. */
function isCost(text: string): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text) && Number(text) === (Number(text) | 0);
}

function checkSeccompName(name: string, field: string): FieldError[] {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(name)) return [];
  if (name.startsWith(LOCALHOST)) return checkDescendingPath(name.slice(LOCALHOST.length), field);
  return [invalidValue(field, name, 'must be a valid seccomp profile')];
}

function checkAppArmorNames(annotations: Readonly<Record<string, string>>, spec: PodSpec, field: string): FieldError[] {
  return Object.entries(annotations).flatMap(([key, profile]) => {
    if (!key.startsWith(APPARMOR)) return [];
    const at = `${field}[${key}]`;
    const name = key.slice(APPARMOR.length);
    const errors: FieldError[] = [];
    let isThere = false;
    eachContainer(spec, '', (container) => {
      isThere ||= container.name === name;
      return [];
    });
    if (!isThere) errors.push(invalidValue(at, name, 'container not found'));
    if (!['', 'runtime/default', 'unconfined'].includes(profile) && !profile.startsWith(LOCALHOST)) {
      errors.push(invalidValue(at, profile, `invalid AppArmor profile name: ${quoteGo(profile)}`));
    }
    return errors;
  });
}

/** Profiles that are given both by annotations, as before, and by fields have to be the same. */
export function checkProfileAnnotations(annotations: Annotations, spec: PodSpec, field: string): FieldError[] {
  if (annotations === undefined) return [];
  const ofPod = spec.securityContext;
  return [
    ...checkSame(annotations[SECCOMP_POD], ofPod?.seccompProfile, `${field}.securityContext.seccompProfile`, 'seccomp'),
    ...eachContainer(spec, field, ({ name, securityContext }, path) => {
      const at = `${path}.securityContext.seccompProfile`;
      return checkSame(annotations[`${SECCOMP_CONTAINER}${name}`], securityContext?.seccompProfile, at, 'seccomp');
    }),
    ...(spec.os?.name === 'windows'
      ? []
      : eachContainer(spec, field, ({ name, securityContext }, path) => {
          const profile = securityContext?.appArmorProfile ?? ofPod?.appArmorProfile;
          const at = `${path}.securityContext.appArmorProfile`;
          return checkSame(annotations[`${APPARMOR}${name}`], profile, at, 'apparmor');
        })),
  ];
}

function checkSame(
  annotation: string | undefined,
  profile: SeccompProfile | AppArmorProfile | undefined,
  field: string,
  what: 'seccomp' | 'apparmor',
): FieldError[] {
  if (annotation === undefined || profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const otherType = [forbiddenField(`${field}.type`, `${what} type in annotation and field must match`)];
  switch (type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? [] : otherType;
    case 'RuntimeDefault':
      if (annotation === 'runtime/default' || (what === 'seccomp' && annotation === 'docker/default')) return [];
      return otherType;
    case 'Localhost':
      if (!annotation.startsWith(LOCALHOST)) return otherType;
      if (annotation.slice(LOCALHOST.length) === localhostProfile) return [];
      return [forbiddenField(`${field}.localhostProfile`, `${what} profile in annotation and field must match`)];
    default:
      return [];
  }
}
