import { builtInTypes, compareVersions, StatusError } from '../../api/index.ts';
import {
  type Clock,
  discardLogger,
  KUBERNETES_RELEASES,
  type KubernetesVersion,
  type Random,
} from '../../base/index.ts';
import type { Client, Kind } from '../../client/index.ts';
import { isGround, type Manifest } from '../../client/manifests/index.ts';
import { type ControlPlane, startControlPlane } from '../../cluster/server-only.ts';

/** What a version of Kubernetes says of a manifest. */
export interface Verdict {
  readonly version: KubernetesVersion;
  /** Why the manifest is refused, in the words of the version; undefined when it is accepted. */
  readonly problem: string | undefined;
  readonly warnings: readonly string[];
  /** Fields of the manifest that the object does not have: their features are off, or the server alone writes them. */
  readonly dropped: readonly string[];
}

export interface CheckedManifest {
  readonly manifest: Manifest;
  readonly verdicts: readonly Verdict[];
}

interface CheckParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly runtimeConfig: ReadonlyMap<string, string>;
}

const ADMIN = { user: 'admin', groups: ['system:masters'] };
/** Admission that waits for controllers, which do not run here. */
const COUNT_ON_CONTROLLERS = ['ServiceAccount', 'TaintNodesByCondition', 'StorageObjectInUseProtection'];
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 20;

/**
 * Creates the objects on an API server of each version, in memory: namespaces and definitions of kinds first, then the others in their order.
 * Unknown fields are refused.
 */
export async function checkManifests(
  manifests: readonly Manifest[],
  versions: readonly KubernetesVersion[],
  parts: CheckParts,
): Promise<readonly CheckedManifest[]> {
  const verdicts = new Map<Manifest, Verdict[]>(manifests.map((manifest) => [manifest, []]));
  const ordered = [...manifests].sort((left, right) => Number(isGround(right)) - Number(isGround(left)));
  for (const version of versions) {
    const server = await CheckingServer.start(version, parts);
    await using _plane = server.plane;
    await server.makeNamespaces(manifests);
    for (const manifest of ordered) verdicts.get(manifest)?.push(await server.check(manifest));
  }
  return manifests.map((manifest) => ({ manifest, verdicts: verdicts.get(manifest) ?? [] }));
}

/** An API server of one version, with nothing else beside it. */
class CheckingServer {
  readonly plane: ControlPlane;
  readonly #version: KubernetesVersion;
  readonly #clock: Clock;
  readonly #client: Client;
  readonly #warnings: string[] = [];

  private constructor(version: KubernetesVersion, plane: ControlPlane, clock: Clock) {
    this.#version = version;
    this.plane = plane;
    this.#clock = clock;
    this.#client = plane.client(ADMIN, { onWarning: ({ text }) => void this.#warnings.push(text) });
  }

  static async start(version: KubernetesVersion, parts: CheckParts): Promise<CheckingServer> {
    const plane = await startControlPlane({
      ...parts,
      name: 'check',
      kubernetesVersion: version,
      storage: { type: 'memory' },
      serviceCidrs: ['10.96.0.0/16'],
      admission: { disable: COUNT_ON_CONTROLLERS },
      log: discardLogger,
    });
    return new CheckingServer(version, plane, parts.clock);
  }

  /** Namespaces that manifests name and do not make, which are elsewhere then. */
  async makeNamespaces(manifests: readonly Manifest[]): Promise<void> {
    const made = manifests
      .filter(({ object }) => object.kind === 'Namespace')
      .map(({ object }) => object.metadata?.name);
    const known = (await this.#client.core.v1.namespaces.list()).items.map(({ metadata }) => metadata.name);
    const named = new Set(manifests.map(({ object }) => object.metadata?.namespace ?? 'default'));
    for (const name of named)
      if (!made.includes(name) && !known.includes(name))
        await this.#client.core.v1.namespaces.create({ metadata: { name } });
  }

  async check(manifest: Manifest): Promise<Verdict> {
    this.#warnings.length = 0;
    try {
      const created = await this.#create(manifest);
      const dropped = missingIn(created, manifest.object);
      return { version: this.#version, problem: undefined, warnings: [...this.#warnings], dropped };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { version: this.#version, problem: error.message, warnings: [...this.#warnings], dropped: [] };
    }
  }

  async #create({ object }: Manifest): Promise<unknown> {
    const kind = await this.#client.apis.find(object.apiVersion, object.kind);
    if (kind === undefined) throw notServed(object, this.#version);
    const created = await this.#client.request({
      method: 'POST',
      path: collectionOf(kind, object.metadata?.namespace ?? 'default'),
      query: { fieldValidation: 'Strict' },
      body: object,
    });
    if (object.kind === 'CustomResourceDefinition') await this.#isServed(object);
    return created;
  }

  /** Waits until the kinds of a definition are served, or never will be. */
  async #isServed({ metadata }: Manifest['object']): Promise<void> {
    const start = this.#clock.monotonic();
    const { customresourcedefinitions } = this.#client.apiextensions.v1;
    while (this.#clock.monotonic() - start < PATIENCE_MS) {
      const { status } = await customresourcedefinitions.get(metadata?.name ?? '');
      if (status?.conditions?.some(({ type, status: is }) => is === (type === 'Established' ? 'True' : 'False'))) break;
      await this.#clock.sleep(LOOK_EVERY_MS);
    }
    this.#client.apis.forget();
  }
}

/** The paths of members that were sent and are not in the object. */
function missingIn(object: unknown, sent: unknown, path = ''): string[] {
  if (Array.isArray(sent))
    return Array.isArray(object)
      ? sent.flatMap((item, index) => missingIn(object[index], item, `${path}[${index}]`))
      : [path];
  if (typeof sent !== 'object' || sent === null) return object === undefined && sent !== null ? [path] : [];
  if (typeof object !== 'object' || object === null) return Object.keys(sent).length === 0 ? [] : [path];
  const members = object as Readonly<Record<string, unknown>>;
  return Object.entries(sent).flatMap(([name, value]) =>
    missingIn(members[name], value, path === '' ? name : `${path}.${name}`),
  );
}

function collectionOf({ group, version, plural, scope }: Kind, namespace: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return scope === 'Cluster' ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}

/** Says where the kind is to be had, if Kubernetes has it anywhere. */
function notServed({ apiVersion, kind }: Manifest['object'], version: KubernetesVersion): StatusError {
  const best = versionsOfKind(kind, version).find((each) => each !== apiVersion);
  const known = (Object.keys(KUBERNETES_RELEASES) as KubernetesVersion[]).filter((each) =>
    versionsOfKind(kind, each).includes(apiVersion),
  );
  const hints = [
    ...(known.includes(version) ? ['it is off by default'] : []),
    ...(known.length === 0 || known.includes(version) ? [] : [`it is in Kubernetes ${known.join(', ')}`]),
    ...(best === undefined ? [] : [`use ${best}${isStable(best) ? '' : ', which is off by default'}`]),
  ];
  const message = `no matches for kind "${kind}" in version "${apiVersion}"`;
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: hints.length === 0 ? message : `${message}: ${hints.join('; ')}`,
  });
}

/** The versions of the API that have a kind, the most stable first. */
function versionsOfKind(kind: string, version: KubernetesVersion): string[] {
  return builtInTypes(version)
    .resources()
    .filter((each) => each.kind === kind)
    .sort((left, right) => compareVersions(left.version, right.version))
    .map(({ group, version: name }) => (group === '' ? name : `${group}/${name}`));
}

function isStable(apiVersion: string): boolean {
  return /(?:^|\/)v\d+$/.test(apiVersion);
}
