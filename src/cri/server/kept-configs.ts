import { posix } from 'node:path';
import type {
  ContainerConfig,
  LinuxContainerResources,
  Mount,
  NamespaceOption,
  PodSandboxConfig,
} from '../../node/index.ts';
import { RuntimeError } from '../../node/index.ts';

/** The part of a sandbox's configuration that its status repeats. */
export interface KeptSandbox {
  readonly name: string;
  readonly runtimeHandler: string;
  readonly namespaceOptions: NamespaceOption;
}

/** The part of a container's configuration that its status repeats. */
export interface KeptContainer {
  readonly name: string;
  readonly podSandboxId: string;
  readonly imageId: string | undefined;
  readonly mounts: readonly Mount[];
  readonly resources: LinuxContainerResources;
  readonly user: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
  readonly stopSignal: string | undefined;
  /** Where its output goes on the machine; undefined when the client wants no log. */
  readonly logFile: string | undefined;
}

/**
 * What clients have asked for and statuses repeat. A name belongs to one sandbox or container until that is removed: a call that is
 * sent again makes no second one.
 */
export class KeptConfigs {
  readonly sandboxes = new Map<string, KeptSandbox>();
  readonly containers = new Map<string, KeptContainer>();
  /** Names and who has them; undefined for a call that is under way. */
  readonly #names = new Map<string, string | undefined>();

  /** Makes a sandbox under its name. */
  async addSandbox(config: PodSandboxConfig, runtimeHandler: string, make: () => Promise<string>): Promise<string> {
    const { name: pod, namespace, uid, attempt } = config.metadata;
    const name = [pod, namespace, uid, attempt].join('_');
    const id = await this.#named('sandbox', name, make);
    const { namespaceOptions } = config.linux.securityContext;
    this.sandboxes.set(id, { name: `sandbox ${name}`, runtimeHandler, namespaceOptions });
    return id;
  }

  /** Makes a container under its name. */
  async addContainer(
    podSandboxId: string,
    { config, sandboxConfig, imageId }: KeptRequest,
    make: () => Promise<string>,
  ): Promise<string> {
    const { name: pod, namespace, uid } = sandboxConfig.metadata;
    const name = [config.metadata.name, pod, namespace, uid, config.metadata.attempt].join('_');
    const id = await this.#named('container', name, make);
    const { runAsUser = 0, runAsGroup = 0, supplementalGroups } = config.linux.securityContext;
    this.containers.set(id, {
      name: `container ${name}`,
      podSandboxId,
      imageId,
      mounts: config.mounts,
      resources: config.linux.resources,
      user: { uid: runAsUser, gid: runAsGroup, supplementalGroups },
      stopSignal: config.stopSignal,
      logFile:
        sandboxConfig.logDirectory === '' || config.logPath === ''
          ? undefined
          : posix.join(sandboxConfig.logDirectory, config.logPath),
    });
    return id;
  }

  /** Numbers that are 0 leave the present ones. */
  updateResources(id: string, { hugepageLimits, unified, ...numbers }: LinuxContainerResources): void {
    const kept = this.containers.get(id);
    if (kept === undefined) return;
    const given = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== 0));
    const resources = {
      ...kept.resources,
      ...given,
      ...(hugepageLimits.length === 0 ? {} : { hugepageLimits }),
      ...(unified === undefined ? {} : { unified: { ...kept.resources.unified, ...unified } }),
    };
    this.containers.set(id, { ...kept, resources });
  }

  removeContainer(id: string): void {
    this.#names.delete(this.containers.get(id)?.name ?? '');
    this.containers.delete(id);
  }

  removeSandbox(id: string): void {
    for (const [containerId, { podSandboxId }] of this.containers)
      if (podSandboxId === id) this.removeContainer(containerId);
    this.#names.delete(this.sandboxes.get(id)?.name ?? '');
    this.sandboxes.delete(id);
  }

  async #named(kind: 'sandbox' | 'container', name: string, make: () => Promise<string>): Promise<string> {
    const key = `${kind} ${name}`;
    if (this.#names.has(key)) {
      const owner = this.#names.get(key);
      const why = owner === undefined ? 'another request for it is in progress' : `it is reserved for "${owner}"`;
      throw new RuntimeError('Failed', `failed to reserve ${kind} name "${name}": ${why}`);
    }
    this.#names.set(key, undefined);
    try {
      const id = await make();
      this.#names.set(key, id);
      return id;
    } catch (error) {
      this.#names.delete(key);
      throw error;
    }
  }
}

interface KeptRequest {
  readonly config: ContainerConfig;
  readonly sandboxConfig: PodSandboxConfig;
  readonly imageId: string | undefined;
}
