import { StatusError } from '../../api/index.ts';
import type { ServiceAccount } from '../../api/types/core/v1.d.ts';
import type { AdmissionPlugin, AdmissionAttributes } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';
import { AccountLookup, DEFAULT_ACCOUNT } from './account-lookup.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { isMirrorPod, mirrorPodProblem } from './mirror-pod.ts';
import { limitsSecrets, unlistedInContainers, unlistedSecret } from './mountable-secrets.ts';
import { refusal } from './refusal.ts';
import { isAutomounted, withTokenVolume } from './service-account-token-volume.ts';
import { isNewPod, isPodWrite, podOf, setPodSpec } from './written-pod.ts';

/** Every pod acts as a service account that is there, with its token and its secrets for pulling images. */
export function serviceAccountAdmission(parts: AdmissionParts): AdmissionPlugin {
  const accounts = new AccountLookup(parts);

  async function accountOf(request: AdmissionAttributes): Promise<Whole<ServiceAccount>> {
    const { metadata, spec } = podOf(request);
    const { namespace } = request;
    const { serviceAccountName: name = '' } = spec;
    if (name === '') throw refusal(request, `no service account specified for pod ${namespace}/${metadata.name ?? ''}`);
    const account = await accounts.find(namespace, name);
    if (account !== undefined) return account;
    const problem = `error looking up service account ${namespace}/${name}`;
    throw refusal(request, `${problem}: serviceaccount "${name}" not found`);
  }

  async function equip(request: AdmissionAttributes): Promise<void> {
    if (isMirrorPod(podOf(request))) return checkMirror(request);
    nameAccount(request);
    const account = await accountOf(request);
    const { spec } = podOf(request);
    const equipped = isAutomounted(spec, account) ? withTokenVolume(spec, parts.random) : spec;
    const pulling = (account.imagePullSecrets ?? []).map(({ name }) => (name === undefined ? {} : { name }));
    const pullsAsAccount = (spec.imagePullSecrets ?? []).length === 0 && pulling.length > 0;
    setPodSpec(request, pullsAsAccount ? { ...equipped, imagePullSecrets: pulling } : equipped);
    checkSecrets(request, account);
  }

  async function check(request: AdmissionAttributes): Promise<void> {
    if (isMirrorPod(podOf(request))) checkMirror(request);
    else checkSecrets(request, await accountOf(request));
  }

  async function checkEphemeral(request: AdmissionAttributes): Promise<void> {
    const account = await accountOf(request);
    if (!limitsSecrets(account)) return;
    const { ephemeralContainers } = podOf(request).spec;
    const problem = unlistedInContainers(ephemeralContainers, account, 'ephemeral container');
    if (problem !== undefined) throw new StatusError({ code: 500, message: problem }); // an error of no kind upstream
  }

  return {
    name: 'ServiceAccount',
    handles: (target) => isNewPod(target) || isPodWrite(target, 'ephemeralcontainers'),
    mutate(request) {
      if (isNewPod(request)) return equip(request);
    },
    validate(request) {
      return isNewPod(request) ? check(request) : checkEphemeral(request);
    },
  };
}

function checkMirror(request: AdmissionAttributes): void {
  const problem = mirrorPodProblem(podOf(request).spec);
  if (problem !== undefined) throw refusal(request, problem);
}

function checkSecrets(request: AdmissionAttributes, account: Whole<ServiceAccount>): void {
  const problem = limitsSecrets(account) ? unlistedSecret(podOf(request).spec, account) : undefined;
  if (problem !== undefined) throw refusal(request, problem);
}

/** `serviceAccount` is the field's older name, and says the same. */
function nameAccount(request: AdmissionAttributes): void {
  const { spec } = podOf(request);
  if ((spec.serviceAccountName ?? '') !== '') return;
  setPodSpec(request, { ...spec, serviceAccountName: DEFAULT_ACCOUNT, serviceAccount: DEFAULT_ACCOUNT });
}
