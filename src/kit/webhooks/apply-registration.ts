import {
  type ApplyOptions,
  hasReason,
  jsonPatch,
  type KubernetesObject,
  type ResourceClient,
  type Sendable,
  type Stored,
} from '../../client/index.ts';

/**
 * Applies an object that says where webhooks are. A `clientConfig` has either a URL or a Service, and an apply removes no
 * Service or URL that another manager wrote, such as kubectl for the same app in a cluster: that `clientConfig` is then
 * replaced first.
 */
export async function applyRegistration<T extends KubernetesObject>(
  objects: ResourceClient<T>,
  wanted: Sendable<T>,
  options: ApplyOptions,
): Promise<Stored<T>> {
  try {
    return await objects.apply(wanted, options);
  } catch (error) {
    if (!hasReason(error, 'Invalid')) throw error;
    const name = wanted.metadata?.name ?? '';
    const { fieldManager, force: _, ...call } = options;
    const live = await objects.get(name, call).catch(() => undefined); // the refusal says more than that there is none
    const replaced = replacedPlaces(live, wanted);
    if (live === undefined || replaced.length === 0) throw error;
    const isSame = { op: 'test' as const, path: '/metadata/resourceVersion', value: live.metadata.resourceVersion };
    await objects.patch(name, jsonPatch([isSame, ...replaced]), { fieldManager, ...call });
    return objects.apply(wanted, options);
  }
}

type Members = Readonly<Record<string, unknown>>;

/** Replaces each `clientConfig` that has what the wanted one does not: a Service or a URL. */
function replacedPlaces(live: unknown, wanted: unknown, path = ''): ReturnType<typeof replacement>[] {
  if (Array.isArray(live) && Array.isArray(wanted))
    return live.flatMap((item: Members, index) => {
      const same: unknown = wanted.find((each: Members | undefined) => each?.['name'] === item?.['name']);
      return replacedPlaces(item, same, `${path}/${index}`);
    });
  if (!isMembers(live) || !isMembers(wanted)) return [];
  return Object.keys(wanted).flatMap((name) => {
    const [old, value] = [live[name], wanted[name]];
    if (name !== 'clientConfig') return replacedPlaces(old, value, `${path}/${name}`);
    const isOther =
      isMembers(old) && isMembers(value) && ['url', 'service'].some((key) => key in old && !(key in value));
    return isOther ? [replacement(`${path}/${name}`, value)] : [];
  });
}

function replacement(path: string, value: unknown) {
  return { op: 'replace' as const, path, value };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
