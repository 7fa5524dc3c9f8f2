import type { Check, Judge, SecuredPod, Violation } from './check.ts';
import { hostNamespaces, hostPathVolumes, hostPorts, hostProbes, windowsHostProcess } from './host-checks.ts';
import type { LevelVersion } from './policy.ts';
import {
  allowPrivilegeEscalation,
  capabilitiesBaseline,
  capabilitiesRestricted,
  privileged,
  procMountBaseline,
  procMountRestricted,
} from './privilege-checks.ts';
import { appArmorProfile, seccompBaseline, seccompRestricted, seLinuxOptions } from './profile-checks.ts';
import { sysctls } from './sysctl-check.ts';
import { runAsNonRoot, runAsUser } from './user-checks.ts';
import { restrictedVolumes } from './volume-check.ts';

/** In the order of messages. */
const BASELINE: readonly Check[] = [
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMountBaseline,
  seLinuxOptions,
  seccompBaseline,
  sysctls,
  windowsHostProcess,
];

/** After those of baseline, except for the ones they override. */
const RESTRICTED: readonly Check[] = [
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  procMountRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompRestricted,
];

/** The newest minor version that changed a check; later ones, including `latest`, have the same rules. */
const NEWEST = Math.max(
  ...[...BASELINE, ...RESTRICTED].flatMap(({ revisions }) => revisions.map(({ since }) => since)),
);

/** Evaluates pods against a level in a version; caches the checks of levels and versions. */
export class PodEvaluator {
  readonly #judges = new Map<string, readonly Judge[]>();

  /** All violations of a pod, in the order of the checks. */
  violations({ level, version }: LevelVersion, pod: SecuredPod): readonly Violation[] {
    if (level === 'privileged') return [];
    const minor = version === 'latest' ? NEWEST : Math.min(version, NEWEST);
    const key = `${level} ${minor}`;
    let judges = this.#judges.get(key);
    if (judges === undefined) this.#judges.set(key, (judges = judgesOf(level, minor)));
    return judges.map((judge) => judge(pod)).filter((violation) => violation !== undefined);
  }
}

function judgesOf(level: 'baseline' | 'restricted', minor: number): readonly Judge[] {
  const inForce = (checks: readonly Check[]) =>
    checks.flatMap(({ id, revisions }) => {
      const revision = revisions.findLast(({ since }) => since <= minor);
      return revision === undefined ? [] : [{ id, ...revision }];
    });
  const restricted = level === 'restricted' ? inForce(RESTRICTED) : [];
  const overridden = new Set(restricted.flatMap(({ overrides = [] }) => overrides));
  const baseline = inForce(BASELINE).filter(({ id }) => !overridden.has(id));
  return [...baseline, ...restricted].map(({ judge }) => judge);
}

/** The reasons with the exact problems, for one pod. */
export function detailsOf(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}

/** The reasons alone, for many pods. */
export function reasonsOf(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}
