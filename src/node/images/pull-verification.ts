import type { Clock, Logger } from '../../base/index.ts';
import { messageOf } from '../../base/index.ts';
import type { AgentMetrics } from '../agent-metrics.ts';
import { repositoryOf } from './image-name.ts';
import { credentialHash, type TrackedCredential } from './tracked-credential.ts';

/** `imagePullCredentialsVerificationPolicy`: which images on the machine a pod may only use with credentials that can pull them. */
export type VerificationPolicy =
  | 'NeverVerify'
  | 'NeverVerifyPreloadedImages'
  | 'NeverVerifyAllowlistedImages'
  | 'AlwaysVerify';

/** Who may use an image of a repository. */
export interface PullCredentials {
  readonly kubernetesSecrets?: readonly {
    readonly uid: string;
    readonly namespace: string;
    readonly name: string;
    readonly credentialHash: string;
  }[];
  readonly kubernetesServiceAccounts?: readonly {
    readonly uid: string;
    readonly namespace: string;
    readonly name: string;
  }[];
  /** All pods of the node may use it. */
  readonly nodePodsAccessible?: boolean;
}

export interface PulledRecord {
  readonly lastUpdatedTime: string;
  readonly imageRef: string;
  /** By the name of the image without tag and digest. */
  readonly credentialMapping: Readonly<Record<string, PullCredentials>>;
}

/** Where it is kept which images the node has pulled, and with what. */
export interface PullRecords {
  pulled(imageRef: string): Promise<PulledRecord | undefined>;
  writePulled(record: PulledRecord): Promise<void>;
  hasIntent(image: string): Promise<boolean>;
  addIntent(image: string): Promise<void>;
  removeIntent(image: string): Promise<void>;
}

export interface PullVerificationOptions {
  /** Default `NeverVerifyPreloadedImages`. */
  readonly policy?: VerificationPolicy;
  /** `preloadedImagesVerificationAllowlist`: names of images, or beginnings of names that end with `/*`. */
  readonly allowlist?: readonly string[];
  readonly records: PullRecords;
}

/** Kept for one repository of an image; further secrets have to pull again. */
const MAX_SECRETS = 100;

export interface PullVerificationParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AgentMetrics;
}

/** What a check came to, as metrics name it. */
type CheckResult = 'credentialPolicyAllowed' | 'credentialRecordFound' | 'mustAuthenticate' | 'error';

/** Keeps pods from using images that were pulled with the secrets of others. */
export class PullVerification {
  readonly #policy: VerificationPolicy;
  readonly #allowlist: readonly string[];
  readonly #records: PullRecords;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: AgentMetrics;

  constructor(options: PullVerificationOptions, { clock, log, metrics }: PullVerificationParts) {
    this.#policy = options.policy ?? 'NeverVerifyPreloadedImages';
    this.#allowlist = options.allowlist ?? [];
    this.#records = options.records;
    this.#clock = clock;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Whether an image that is on the machine has to be pulled again, to see that the pod may use it. */
  async mustPull(
    image: string,
    imageRef: string,
    credentials: () => Promise<readonly TrackedCredential[]>,
  ): Promise<boolean> {
    const result = await this.#check(image, imageRef, credentials);
    this.#metrics.add('kubelet_imagemanager_image_mustpull_checks_total', { result });
    return result === 'mustAuthenticate' || result === 'error';
  }

  async #check(
    image: string,
    imageRef: string,
    credentials: () => Promise<readonly TrackedCredential[]>,
  ): Promise<CheckResult> {
    let record: PulledRecord | undefined;
    let isPulled: boolean;
    try {
      record = await this.#records.pulled(imageRef);
      isPulled = record !== undefined || (await this.#records.hasIntent(image));
    } catch (error) {
      this.#log.warn('records of pulled images cannot be read', { image, error: messageOf(error) });
      return 'error';
    }
    if (!this.#verifies(image, isPulled)) return 'credentialPolicyAllowed';
    const known = record?.credentialMapping[repositoryOf(image)];
    if (known === undefined) return 'mustAuthenticate';
    if (known.nodePodsAccessible === true) return 'credentialRecordFound';
    const isKnown = (await credentials()).some((credential) => isAmong(credential, known));
    return isKnown ? 'credentialRecordFound' : 'mustAuthenticate';
  }

  /** A pull begins. Until it has ended, an image that appears counts as pulled by the node. */
  async begin(image: string): Promise<void> {
    await this.#records.addIntent(image);
  }

  /** A pull has ended; `imageRef` is undefined when it has failed, `used` when it took no credential. */
  async end(
    image: string,
    result?: { readonly imageRef: string; readonly used: TrackedCredential | undefined },
  ): Promise<void> {
    if (result !== undefined) await this.#note(image, result.imageRef, result.used);
    await this.#records.removeIntent(image);
  }

  #verifies(image: string, isPulled: boolean): boolean {
    switch (this.#policy) {
      case 'NeverVerify':
        return false;
      case 'NeverVerifyPreloadedImages':
        return isPulled;
      case 'NeverVerifyAllowlistedImages':
        return !isListed(repositoryOf(image), this.#allowlist);
      case 'AlwaysVerify':
        return true;
    }
  }

  async #note(image: string, imageRef: string, used: TrackedCredential | undefined): Promise<void> {
    const record = await this.#records.pulled(imageRef).catch(() => undefined); // a broken record is replaced
    const repository = repositoryOf(image);
    const known = record?.credentialMapping[repository];
    const next = withCredential(known, used);
    if (record !== undefined && next === known) return;
    await this.#records.writePulled({
      lastUpdatedTime: `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`,
      imageRef,
      credentialMapping: { ...record?.credentialMapping, [repository]: next },
    });
  }
}

function isListed(repository: string, allowlist: readonly string[]): boolean {
  return allowlist.some((pattern) =>
    pattern.endsWith('/*') ? repository.startsWith(pattern.slice(0, -1)) : repository === pattern,
  );
}

function isAmong({ auth, source }: TrackedCredential, known: PullCredentials): boolean {
  switch (source.type) {
    case 'node':
      return false;
    case 'secret': {
      const hash = credentialHash(auth);
      return (known.kubernetesSecrets ?? []).some(({ credentialHash: each }) => each === hash);
    }
    case 'service account':
      return (known.kubernetesServiceAccounts ?? []).some(
        ({ uid, namespace, name }) => uid === source.uid && namespace === source.namespace && name === source.name,
      );
  }
}

/** What is pulled without a credential, or with one of the node, is for all pods. */
function withCredential(known: PullCredentials | undefined, used: TrackedCredential | undefined): PullCredentials {
  if (known?.nodePodsAccessible === true) return known;
  if (used === undefined || used.source.type === 'node') return { nodePodsAccessible: true };
  const { namespace, name } = used.source;
  if (used.source.type === 'service account') {
    const own = { uid: used.source.uid, namespace, name };
    return known !== undefined && isAmong(used, known)
      ? known
      : { ...known, kubernetesServiceAccounts: [...(known?.kubernetesServiceAccounts ?? []), own] };
  }
  if (known !== undefined && isAmong(used, known)) return known;
  const others = (known?.kubernetesSecrets ?? []).filter((each) => each.namespace !== namespace || each.name !== name);
  const own = { uid: '', namespace, name, credentialHash: credentialHash(used.auth) };
  return { ...known, kubernetesSecrets: [...others, own].slice(-MAX_SECRETS) };
}
