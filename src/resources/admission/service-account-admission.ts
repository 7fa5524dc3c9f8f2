import { pathSegmentNameProblems, quoteGo, StatusError } from '../../api/index.ts';
import type {
  Container,
  EphemeralContainer,
  Pod,
  PodSpec,
  ServiceAccount,
  Volume,
  VolumeMount,
} from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectsOf } from '../../apiserver/index.ts';
import { type Clock, type Random, withMembers } from '../../base/index.ts';
import type { Whole } from '../kind.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';
import { whenThere } from './when-there.ts';
import { isNewPod, isPodWrite, podOf, setPodSpec } from './written-pod.ts';

/** Gives every pod an existing service account, with its token and its image pull secrets. */
export function serviceAccountAdmission(parts: AdmissionParts): AdmissionPlugin {
  const accounts = new AccountLookup(parts);

  function withAccount(
    request: AdmissionAttributes,
    act: (account: Whole<ServiceAccount>) => void,
  ): void | Promise<void> {
    const { metadata, spec } = podOf(request);
    const { namespace } = request;
    const { serviceAccountName: name = '' } = spec;
    if (name === '') throw refusal(request, `no service account specified for pod ${namespace}/${metadata.name ?? ''}`);
    const problem = `error looking up service account ${namespace}/${name}`;
    const problems = pathSegmentNameProblems(name);
    if (problems.length > 0) {
      const why = `invalid resource name ${quoteGo(name)}: [${problems.join(' ')}]`;
      throw refusal(request, `${problem}: ${why}`);
    }
    return whenThere(accounts.find(namespace, name), (account) => {
      if (account !== undefined) return act(account);
      throw refusal(request, `${problem}: serviceaccount ${quoteGo(name)} not found`);
    });
  }

  function equip(request: AdmissionAttributes, account: Whole<ServiceAccount>): void {
    const { spec } = podOf(request);
    const equipped = isAutomounted(spec, account) ? withTokenVolume(spec, parts.random) : spec;
    const pulling = (account.imagePullSecrets ?? []).map(({ name }) => (name === undefined ? {} : { name }));
    const pullsAsAccount = (spec.imagePullSecrets ?? []).length === 0 && pulling.length > 0;
    setPodSpec(request, pullsAsAccount ? withMembers(equipped, { imagePullSecrets: pulling }) : equipped);
    checkSecrets(request, account);
  }

  function checkEphemeral(request: AdmissionAttributes, account: Whole<ServiceAccount>): void {
    if (!limitsSecrets(account)) return;
    const { ephemeralContainers } = podOf(request).spec;
    const problem = unlistedInContainers(ephemeralContainers, account, 'ephemeral container');
    if (problem !== undefined) throw new StatusError({ code: 500, message: problem }); // an untyped error upstream
  }

  return {
    name: 'ServiceAccount',
    handles: (target) => isNewPod(target) || isPodWrite(target, 'ephemeralcontainers'),
    mutate(request) {
      if (!isNewPod(request)) return;
      if (isMirrorPod(podOf(request))) return checkMirror(request);
      nameAccount(request);
      return withAccount(request, (account) => equip(request, account));
    },
    validate(request) {
      if (!isNewPod(request)) return withAccount(request, (account) => checkEphemeral(request, account));
      if (isMirrorPod(podOf(request))) return checkMirror(request);
      return withAccount(request, (account) => checkSecrets(request, account));
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

/** `serviceAccount` is the field's deprecated alias. */
function nameAccount(request: AdmissionAttributes): void {
  const { spec } = podOf(request);
  if ((spec.serviceAccountName ?? '') !== '') return;
  const names = { serviceAccountName: DEFAULT_ACCOUNT, serviceAccount: DEFAULT_ACCOUNT };
  setPodSpec(request, withMembers(spec, names));
}

const DEFAULT_ACCOUNT = 'default';

/** kube-apiserver tries ten times, 100 to 200 ms apart. */
const WAITS = 9;
const MIN_WAIT_MS = 100;

type Found = Whole<ServiceAccount> | undefined;

/** Finds service accounts, and waits a little for `default`, which a controller creates in every new namespace. */
class AccountLookup {
  readonly #accounts: ObjectsOf<Whole<ServiceAccount>>;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(parts: AdmissionParts) {
    this.#accounts = parts.objects.of('', 'serviceaccounts');
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  find(namespace: string, name: string): Found | Promise<Found> {
    return whenThere(this.#accounts.get(namespace, name), (found) => found ?? this.#newest(namespace, name));
  }

  async #newest(namespace: string, name: string): Promise<Found> {
    const found = await this.#accounts.newest(namespace, name);
    if (found !== undefined || name !== DEFAULT_ACCOUNT) return found;
    const patience = new AbortController();
    const waitMs = WAITS * (MIN_WAIT_MS + this.#random.int(MIN_WAIT_MS));
    using _ = this.#clock.timer(waitMs, () => patience.abort());
    return await this.#accounts.appearance(namespace, name, patience.signal);
  }
}

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';
/** The values that Go parses as true. */
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Whether an account restricts its pods to the secrets that it lists. */
function limitsSecrets({ metadata }: Whole<ServiceAccount>): boolean {
  return TRUE.has(metadata.annotations?.[ENFORCE] ?? '');
}

/** The first secret in a pod that its account does not list, as a reason to refuse it. */
function unlistedSecret(spec: PodSpec, account: Whole<ServiceAccount>): string | undefined {
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  const { name: owner = '' } = account.metadata;
  for (const { secret } of spec.volumes ?? []) {
    if (secret === undefined || listed.has(secret.secretName)) continue;
    return `volume with ${unlisted(secret.secretName, owner)}`;
  }
  return (
    unlistedInContainers(spec.initContainers, account, 'init container') ??
    unlistedInContainers(spec.containers, account, 'container') ??
    unlistedPullSecret(spec, account)
  );
}

/** The same for one kind of containers. */
function unlistedInContainers(
  containers: readonly (Container | EphemeralContainer)[] | undefined,
  account: Whole<ServiceAccount>,
  sort: string,
): string | undefined {
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  const { name: owner = '' } = account.metadata;
  for (const { name, env = [], envFrom = [] } of containers ?? []) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef;
      if (secret === undefined || listed.has(secret.name)) continue;
      return `${sort} ${name} with envVar ${variable} referencing ${unlisted(secret.name, owner)}`;
    }
    for (const { secretRef } of envFrom) {
      if (secretRef === undefined || listed.has(secretRef.name)) continue;
      return `${sort} ${name} with envFrom referencing ${unlisted(secretRef.name, owner)}`;
    }
  }
  return undefined;
}

function unlistedPullSecret(spec: PodSpec, account: Whole<ServiceAccount>): string | undefined {
  const listed = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  for (const [index, { name = '' }] of (spec.imagePullSecrets ?? []).entries()) {
    if (listed.has(name)) continue;
    const owner = account.metadata.name ?? '';
    return `imagePullSecrets[${index}].name="${name}" is not allowed because service account ${owner} does not reference that imagePullSecret`;
  }
  return undefined;
}

function unlisted(secret: string | undefined, owner: string): string {
  return `secret.secretName="${secret ?? ''}" is not allowed because service account ${owner} does not reference that secret`;
}

const PREFIX = 'kube-api-access-';
const PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour, plus seconds by which the server recognizes tokens that were mounted automatically. */
const TOKEN_SECONDS = 3607;

/** Whether containers get a token automatically: the pod decides, else its account, else yes. */
function isAutomounted(spec: PodSpec, account: ServiceAccount): boolean {
  return spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
}

/** The spec with the account's token in every container that has no other mount at that path. */
function withTokenVolume(spec: PodSpec, random: Random): PodSpec {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  if (!containers.some(lacksToken)) return spec;
  const volumes = spec.volumes ?? [];
  const own = volumes.find(({ name }) => name.startsWith(PREFIX));
  const name = own?.name ?? PREFIX + random.nameSuffix(5);
  const mount: VolumeMount = { name, readOnly: true, mountPath: PATH };
  const withMount = (container: Container): Container =>
    lacksToken(container)
      ? withMembers(container, { volumeMounts: [...(container.volumeMounts ?? []), { ...mount }] })
      : container;
  const equipped = withMembers(spec, {
    volumes: own === undefined ? [...volumes, tokenVolume(name)] : volumes,
    containers: (spec.containers ?? []).map(withMount),
  });
  if (spec.initContainers === undefined) return equipped;
  return withMembers(equipped, { initContainers: spec.initContainers.map(withMount) });
}

function lacksToken({ volumeMounts = [] }: Container): boolean {
  return !volumeMounts.some(({ mountPath }) => mountPath === PATH);
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}

const MIRROR = 'kubernetes.io/config.mirror';

/** Whether a pod mirrors a static pod of a node. */
function isMirrorPod({ metadata }: Whole<Pod>): boolean {
  return metadata.annotations?.[MIRROR] !== undefined;
}

/** Why a mirror pod is refused: it may use no objects of the API. */
function mirrorPodProblem(spec: PodSpec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (namesSecret(spec)) return 'a mirror pod may not reference secrets';
  const hasToken = (spec.volumes ?? []).some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return hasToken ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}

function namesSecret({ imagePullSecrets, volumes, ...spec }: PodSpec): boolean {
  const containers = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ] as const;
  return [
    ...(imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(secretsOfContainer),
    ...(volumes ?? []).flatMap(secretsOfVolume),
  ].some((name) => (name ?? '') !== '');
}

function secretsOfContainer({ env = [], envFrom = [] }: Container | EphemeralContainer): (string | undefined)[] {
  return [
    ...envFrom.map(({ secretRef }) => secretRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ];
}

function secretsOfVolume(volume: Volume): (string | undefined)[] {
  return [
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.flexVolume?.secretRef?.name,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
    volume.rbd?.secretRef?.name,
    volume.secret?.secretName,
    volume.scaleIO?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.storageos?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
  ];
}
