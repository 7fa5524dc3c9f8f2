import type { KubernetesObject } from '../../client/index.ts';
import type { OlderOptions } from './resource-options.ts';
import type { ResourceVersion } from './resource-version.ts';

/** An older version with its conversions to the newest and back. */
export interface OlderVersion {
  readonly version: ResourceVersion;
  readonly options: OlderOptions<never, never, unknown, unknown>;
}

interface Parts extends KubernetesObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Converts objects between versions, by way of the newest. */
export class VersionConverter {
  readonly #group: string;
  readonly #newest: ResourceVersion;
  readonly #older: readonly OlderVersion[];

  constructor(group: string, newest: ResourceVersion, older: readonly OlderVersion[]) {
    this.#group = group;
    this.#newest = newest;
    this.#older = older;
  }

  convert(object: KubernetesObject, apiVersion: string): KubernetesObject {
    if (object.apiVersion === apiVersion) return object;
    const newest = this.#up(object);
    const older = this.#find(apiVersion);
    if (older === undefined) return newest;
    const { down } = older.options;
    return down === undefined
      ? { ...newest, apiVersion }
      : this.#assemble(newest, down(newest as never), { apiVersion, version: older.version });
  }

  #up(object: KubernetesObject): KubernetesObject {
    const older = this.#find(object.apiVersion ?? '');
    const { up } = older?.options ?? {};
    const target = { apiVersion: this.#apiVersion(this.#newest.name), version: this.#newest };
    return up === undefined
      ? { ...object, apiVersion: target.apiVersion }
      : this.#assemble(object, up(object as never), target);
  }

  /** The older version of this name; undefined for the newest. */
  #find(apiVersion: string): OlderVersion | undefined {
    const older = this.#older.find(({ version }) => this.#apiVersion(version.name) === apiVersion);
    if (older === undefined && apiVersion !== this.#apiVersion(this.#newest.name))
      throw new Error(`Cannot convert an object: "${apiVersion}" is no version of the kind`);
    return older;
  }

  #apiVersion(version: string): string {
    return `${this.#group}/${version}`;
  }

  /** Keeps what a conversion does not set: metadata, and a status that both versions have. */
  #assemble(
    object: Parts,
    given: unknown,
    target: { readonly apiVersion: string; readonly version: ResourceVersion },
  ): KubernetesObject {
    const { spec, metadata, ...rest } = given as Parts;
    const status = 'status' in rest ? rest.status : object.status;
    const { labels, annotations } = { ...object.metadata, ...metadata };
    return {
      apiVersion: target.apiVersion,
      kind: object.kind,
      metadata: {
        ...object.metadata,
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
      },
      spec,
      ...(status === undefined || !target.version.hasStatus ? {} : { status }),
    } as KubernetesObject;
  }
}
