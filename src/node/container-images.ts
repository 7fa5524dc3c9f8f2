import { type Clock, formatDuration, messageOf } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { EventDetails } from '../kit/index.ts';
import type { NodeBackend } from './backend/index.ts';
import { imageSpec, KeptSandboxConfig } from './config/index.ts';
import { imageNameProblem, type ImagePuller, type PullResult, PullsFailedError } from './images/index.ts';
import { backOffUntil, type ContainerSpec, nextBackOff, pullKey, type StartFailure } from './life/index.ts';
import type { NodeCounts } from './node-counts.ts';
import type { PodEvents } from './pod-events.ts';
import type { PodRecord } from './pod-record.ts';
import type { Image, ImageSpec } from './runtime/index.ts';

export interface ContainerImagesParts {
  readonly clock: Clock;
  readonly backend: NodeBackend;
  readonly puller: ImagePuller;
  readonly counts: Pick<NodeCounts, 'metrics'>;
  /** Called after an image was pulled. */
  imagesChanged(): void;
  /** Called when an image is on the machine already, which the node may not have reported yet. */
  imageFound(id: string): void;
}

type ImageVolume = NonNullable<NonNullable<NonNullable<Observed<Pod>['spec']>['volumes']>[number]['image']>;

/** An image that a container needs, and how events about it are recorded. */
interface WantedImage {
  readonly spec: ImageSpec;
  readonly policy: string;
  tell(details: EventDetails): void;
}

/** Delay before the image of a volume that could not be pulled is looked at again. */
const IMAGE_VOLUME_RETRY_MS = 1000;
/** Delay before another try, for failures that have no back-off. */
const RETRY_MS = 10_000;

/** Makes the images that containers of a pod need present on the machine: their own, and those of the image volumes that they mount. */
export class ContainerImages {
  readonly #record: PodRecord;
  readonly #events: PodEvents;
  readonly #parts: ContainerImagesParts;
  readonly #sandboxConfig = new KeptSandboxConfig();
  /** The image that was looked at last. */
  #seen: { readonly name: string; readonly image: Image } | undefined;

  constructor(record: PodRecord, events: PodEvents, parts: ContainerImagesParts) {
    this.#record = record;
    this.#events = events;
    this.#parts = parts;
  }

  /** Pulls what the container needs and the pull policies ask for. Returns why the container has to wait, if it has to. */
  async ensure(pod: Observed<Pod>, container: ContainerSpec, signal: AbortSignal): Promise<StartFailure | undefined> {
    return (
      (await this.#ensureVolumes(pod, container, signal)) ??
      (await this.#ensureImage(pod, this.#imageOf(pod, container), signal))
    );
  }

  /** What the runtime says of the image of a container; `ensure` has mostly asked it already. */
  async status(spec: ImageSpec, signal: AbortSignal): Promise<Image | undefined> {
    const seen = this.#seen;
    this.#seen = undefined; // it may be another one at the next start
    return seen?.name === spec.image ? seen.image : await this.#parts.backend.images.imageStatus(spec, { signal });
  }

  /** The images of the pod's image volumes that are on the machine, by the name of the volume. */
  async volumes(
    pod: Observed<Pod>,
    runtimeHandler: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ImageSpec>> {
    const found = new Map<string, ImageSpec>();
    // as the kubelet: the mount names the handler, while images are pulled for all handlers
    const handler = runtimeHandler === '' ? {} : { runtimeHandler };
    for (const { name, image } of pod.spec?.volumes ?? []) {
      if (image === undefined) continue;
      const spec = imageVolumeSpec(pod, image.reference ?? '');
      const present = await this.#parts.backend.images.imageStatus(spec, { signal });
      if (present !== undefined) found.set(name, { ...spec, image: present.id, ...handler });
    }
    return found;
  }

  /** The image of a container. */
  #imageOf(pod: Observed<Pod>, container: ContainerSpec): WantedImage {
    const { name, imagePullPolicy: policy = 'IfNotPresent' } = container;
    const tell = (details: EventDetails): void => this.#events.container(pod, name, details);
    return { spec: imageSpec(pod, container), policy, tell };
  }

  /** Pulls the images that the container mounts as volumes. Without them, the container waits as if its own image were missing. */
  async #ensureVolumes(
    pod: Observed<Pod>,
    container: ContainerSpec,
    signal: AbortSignal,
  ): Promise<StartFailure | undefined> {
    const mounted = new Set(container.volumeMounts?.map(({ name }) => name));
    let last: StartFailure | undefined;
    for (const { name, image } of pod.spec?.volumes ?? []) {
      if (image === undefined || !mounted.has(name)) continue;
      const { metrics } = this.#parts.counts;
      metrics.add('kubelet_image_volume_requested_total');
      const failure = await this.#ensureVolume(pod, image, signal);
      if (failure === undefined) metrics.add('kubelet_image_volume_mounted_succeed_total');
      else metrics.add('kubelet_image_volume_mounted_errors_total');
      if (failure !== undefined) {
        const message = `Error: ${failure.reason}`;
        this.#events.container(pod, container.name, { type: 'Warning', reason: 'Failed', message });
      }
      last = failure ?? last;
    }
    return last;
  }

  async #ensureVolume(
    pod: Observed<Pod>,
    { reference = '', pullPolicy: policy = 'IfNotPresent' }: ImageVolume,
    signal: AbortSignal,
  ): Promise<StartFailure | undefined> {
    const nowMs = this.#parts.clock.now();
    const pull = this.#record.backOffs.get(pullKey(reference));
    const wait = pull === undefined ? undefined : backOffUntil(pull, pull.updatedAtMs, nowMs);
    const tell = (details: EventDetails): void => this.#events.pod(pod, details);
    if (pull !== undefined && wait !== undefined) {
      const message = `Back-off pulling image ${JSON.stringify(reference)}`;
      tell({ reason: 'BackOff', message });
      const cause = pull.cause === undefined ? '' : `: ${pull.cause}`;
      return { reason: 'ImagePullBackOff', message: message + cause, retryAtMs: wait.untilMs };
    }
    const failure = await this.#ensureImage(pod, { spec: imageVolumeSpec(pod, reference), policy, tell }, signal);
    const untilMs = failure === undefined ? undefined : nowMs + IMAGE_VOLUME_RETRY_MS;
    return failure === undefined ? undefined : { ...failure, retryAtMs: failure.retryAtMs ?? untilMs };
  }

  async #ensureImage(pod: Observed<Pod>, wanted: WantedImage, signal: AbortSignal): Promise<StartFailure | undefined> {
    const { spec, policy, tell } = wanted;
    const image = spec.userSpecifiedImage ?? spec.image;
    const { images } = this.#parts.backend;
    const problem = imageNameProblem(image);
    if (problem !== undefined) return this.#invalidName(wanted, problem);
    const present = policy === 'Always' ? undefined : await images.imageStatus(spec, { signal });
    const mayUse = present !== undefined && (await this.#parts.puller.mayUse(pod, image, present.id));
    this.#parts.counts.metrics.add('kubelet_image_manager_ensure_image_requests_total', {
      present_locally: policy === 'Always' ? 'unknown' : String(present !== undefined),
      pull_policy: policy.toLowerCase(),
      pull_required: String(!mayUse),
    });
    if (mayUse) {
      this.#seen = { name: spec.image, image: present };
      this.#parts.imageFound(present.id);
      const message = `Container image ${JSON.stringify(image)} already present on machine and can be accessed by the pod`;
      tell({ reason: 'Pulled', message });
      return undefined;
    }
    if (policy !== 'Never') return this.#pull(pod, wanted, signal);
    const message = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`;
    tell({ type: 'Warning', reason: 'ErrImageNeverPull', message });
    tell({ type: 'Warning', reason: 'Failed', message: 'Error: ErrImageNeverPull' });
    return { reason: 'ErrImageNeverPull', message, retryAtMs: this.#parts.clock.now() + RETRY_MS };
  }

  #invalidName({ spec, tell }: WantedImage, problem: string): StartFailure {
    const image = spec.userSpecifiedImage ?? spec.image;
    const message = `Failed to apply default image tag ${JSON.stringify(image)}: ${problem}`;
    tell({ type: 'Warning', reason: 'InspectFailed', message });
    tell({ type: 'Warning', reason: 'Failed', message: 'Error: InvalidImageName' });
    return { reason: 'InvalidImageName', message, retryAtMs: this.#parts.clock.now() + RETRY_MS };
  }

  async #pull(pod: Observed<Pod>, { spec, tell }: WantedImage, signal: AbortSignal): Promise<StartFailure | undefined> {
    const image = spec.userSpecifiedImage ?? spec.image;
    const { clock, backend, puller } = this.#parts;
    const { auths, missing } = await puller.credentials(pod, image);
    if (missing.length > 0) {
      const words = `Unable to retrieve some image pull secrets (${missing.join(', ')})`;
      const message = `${words}; attempting to pull the image may not succeed.`;
      this.#events.pod(pod, { type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', message });
    }
    tell({ reason: 'Pulling', message: `Pulling image ${JSON.stringify(image)}` });
    let pulled: PullResult;
    try {
      pulled = await puller.pull(
        spec,
        { auths, sandboxConfig: this.#sandboxConfig.of(pod, 0, backend.machine) },
        signal,
      );
    } catch (error) {
      if (signal.aborted) return { reason: 'ErrImagePull', message: 'pull was given up' };
      const text = messageOf(error);
      // of several failures, a kubelet does not look into the single ones
      const words = error instanceof PullsFailedError ? text : text.replace(/^rpc error: code = Unknown desc = /, '');
      const { reason, message } = pullFailure(image, words);
      const failed = { type: 'Warning', reason: 'Failed' } as const;
      tell({ ...failed, message: `Failed to pull image ${JSON.stringify(image)}: ${words}` });
      tell({ ...failed, message: `Error: ${reason}` });
      const nowMs = clock.now();
      const next = nextBackOff(this.#record.backOffs.get(pullKey(image)), { failedAtMs: nowMs, nowMs });
      this.#record.backOffs.set(pullKey(image), { ...next, cause: `${reason}: ${message}` });
      return { reason, message };
    }
    const [took, waited] = [pulled.tookMs, pulled.waitedMs].map((ms) => formatDuration(Math.trunc(ms)));
    const present = await backend.images.imageStatus(spec, { signal });
    this.#seen = present === undefined ? undefined : { name: spec.image, image: present };
    const size = present?.size ?? 0;
    const message = `Successfully pulled image ${JSON.stringify(image)} in ${took} (${waited} including waiting). Image size: ${size} bytes.`;
    tell({ reason: 'Pulled', message });
    this.#parts.imagesChanged();
    return undefined;
  }
}

const PULL_FAILURES: readonly (readonly [reason: string, words: string])[] = [
  ['RegistryUnavailable', 'the registry is unavailable'],
  ['SignatureValidationFailed', 'the signature validation failed'],
];

/** Runtimes begin the messages of some failures with the reason that the status of the container is to have. */
function pullFailure(image: string, text: string): StartFailure {
  const found = PULL_FAILURES.find(([reason]) => text.startsWith(reason));
  if (found === undefined) return { reason: 'ErrImagePull', message: text };
  const [reason, words] = found;
  return { reason, message: `image pull failed for ${image} because ${words}${text.slice(reason.length)}` };
}

function imageVolumeSpec({ metadata }: Observed<Pod>, reference: string): ImageSpec {
  return { image: reference, userSpecifiedImage: reference, annotations: { ...metadata.annotations } };
}
