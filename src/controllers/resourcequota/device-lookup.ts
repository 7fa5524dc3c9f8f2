import type { DeviceObjects } from '../../api/meaning/index.ts';
import { byNamespace, DeviceClass, index, Pod, ResourceClaim } from '../../client/index.ts';
import type { AppContext, Objects } from '../../kit/index.ts';

const byExtendedResource = index(DeviceClass, ({ spec }) => spec.extendedResourceName);

/** The objects that device claims refer to. Empty until `open` has been called and has resolved. */
export class DeviceLookup implements DeviceObjects {
  readonly #context: AppContext;
  readonly #pods: Objects<Pod>;
  #classes: Objects<DeviceClass> | undefined;
  #claims: Objects<ResourceClaim> | undefined;
  #opening: Promise<unknown> | undefined;

  constructor(context: AppContext) {
    this.#context = context;
    this.#pods = context.objects(Pod);
  }

  /** Resolves when all objects are known. */
  async open(signal: AbortSignal): Promise<void> {
    if (this.#opening === undefined) {
      this.#classes = this.#context.objects(DeviceClass);
      this.#claims = this.#context.objects(ResourceClaim);
      const subscriptions = [this.#context.onChange(DeviceClass, {}), this.#context.onChange(ResourceClaim, {})];
      this.#opening = Promise.all(subscriptions.map((subscription) => subscription.synced(signal)));
    }
    await this.#opening;
  }

  deviceClass(name: string): ReturnType<DeviceObjects['deviceClass']> {
    return this.#classes?.get(name);
  }

  hasDeviceClassFor(extendedResource: string): boolean {
    return (this.#classes?.byIndex(byExtendedResource, extendedResource).length ?? 0) > 0;
  }

  pod(namespace: string, name: string): ReturnType<DeviceObjects['pod']> {
    return this.#pods.get(`${namespace}/${name}`);
  }

  claims(namespace: string): ReturnType<DeviceObjects['claims']> {
    return this.#claims?.byIndex(byNamespace, namespace) ?? [];
  }
}
