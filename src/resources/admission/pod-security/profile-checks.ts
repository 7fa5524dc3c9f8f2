import { quoteGo } from '../../../api/index.ts';
import type { SELinuxOptions } from '../../../api/types/core/v1.d.ts';
import {
  type Check,
  containersOf,
  distinct,
  plural,
  quoted,
  type SecuredPod,
  setters,
  unlessWindows,
  type Violation,
} from './check.ts';
import { judgeSeccomp, judgeSeccompAnnotations } from './seccomp-judges.ts';

const APPARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';
const APPARMOR_TYPES: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost']);
const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

/** Baseline: AppArmor profiles are the runtime's or the node's, and not disabled. */
export const appArmorProfile: Check = { id: 'appArmorProfile', revisions: [{ since: 0, judge: judgeAppArmor }] };

/** Baseline: SELinux types are those for containers, and users and roles are not set. */
export const seLinuxOptions: Check = {
  id: 'seLinuxOptions',
  revisions: [
    { since: 0, judge: seLinuxJudge(SELINUX_TYPES) },
    { since: 31, judge: seLinuxJudge([...SELINUX_TYPES, 'container_engine_t']) },
  ],
};

/** Baseline: seccomp profiles are not disabled. */
export const seccompBaseline: Check = {
  id: 'seccompProfile_baseline',
  revisions: [
    { since: 0, judge: judgeSeccompAnnotations },
    { since: 19, judge: (pod) => judgeSeccomp(pod, { isRequired: false }) },
  ],
};

/** Restricted: seccomp profiles are set. */
export const seccompRestricted: Check = {
  id: 'seccompProfile_restricted',
  revisions: [
    { since: 19, judge: (pod) => judgeSeccomp(pod, { isRequired: true }), overrides: ['seccompProfile_baseline'] },
    {
      since: 25,
      judge: unlessWindows((pod) => judgeSeccomp(pod, { isRequired: true })),
      overrides: ['seccompProfile_baseline'],
    },
  ],
};

function judgeAppArmor({ annotations, spec }: SecuredPod): Violation | undefined {
  const isBad = (type = 'RuntimeDefault'): boolean => !APPARMOR_TYPES.has(type);
  const ofPod = spec.securityContext?.appArmorProfile?.type;
  const bad = containersOf(spec).filter(({ securityContext }) => isBad(securityContext?.appArmorProfile?.type));
  const badAnnotations = Object.entries(annotations).filter(
    ([name, value]) => name.startsWith(APPARMOR_ANNOTATION) && !isAllowedAnnotation(value),
  );
  const types = [ofPod, ...bad.map(({ securityContext }) => securityContext?.appArmorProfile?.type)]
    .filter((type) => type !== undefined)
    .filter(isBad);
  const values = [...distinct(types), ...distinct(badAnnotations.map(([name, value]) => `${name}=${quoteGo(value)}`))];
  if (values.length === 0) return undefined;
  const who = [
    setters(isBad(ofPod), bad),
    badAnnotations.length === 0 ? '' : plural('annotation', badAnnotations.length),
  ];
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${who.filter((text) => text !== '').join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function isAllowedAnnotation(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

function seLinuxJudge(allowedTypes: readonly string[]): (pod: SecuredPod) => Violation | undefined {
  const hasBadType = ({ type = '' }: SELinuxOptions): boolean => !allowedTypes.includes(type);
  const isBad = (options: SELinuxOptions): boolean =>
    hasBadType(options) || (options.user ?? '') !== '' || (options.role ?? '') !== '';
  return ({ spec }) => {
    const ofPod = spec.securityContext?.seLinuxOptions ?? {};
    const bad = containersOf(spec).filter(({ securityContext }) => isBad(securityContext?.seLinuxOptions ?? {}));
    if (!isBad(ofPod) && bad.length === 0) return undefined;
    const all = [ofPod, ...bad.map(({ securityContext }) => securityContext?.seLinuxOptions ?? {})];
    const types = distinct(all.filter(hasBadType).map(({ type = '' }) => type));
    const problems = [
      types.length === 0 ? '' : `${plural('type', types.length)} ${quoted(types)}`,
      all.some(({ user = '' }) => user !== '') ? 'user may not be set' : '',
      all.some(({ role = '' }) => role !== '') ? 'role may not be set' : '',
    ].filter((text) => text !== '');
    const who = setters(isBad(ofPod), bad);
    return {
      reason: 'seLinuxOptions',
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${problems.join('; ')}`,
    };
  };
}
